#include <halfopen/policy/hedge_config.hpp>
#include <halfopen/policy/retry_budget_machine.hpp>
#include <halfopen/policy/retry_config.hpp>

namespace halfopen {
namespace {

void within(std::vector<config_problem>& found, char const* field, std::uint64_t value, std::uint64_t lowest,
            std::uint64_t highest) {
  if (lowest <= value && value <= highest) return;
  found.push_back({field, "is " + std::to_string(value) + "; must be " + std::to_string(lowest) + ".." +
                              std::to_string(highest)});
}

void not_negative(std::vector<config_problem>& found, char const* field, duration d) {
  if (d < duration::zero()) found.push_back({field, "is negative; must be at least 0s"});
}

}  // namespace

std::vector<config_problem> validate(retry_config const& c) {
  std::vector<config_problem> found;
  auto const& b = c.backoff.value();
  within(found, "attempts_max", c.attempts_max, 1, ~std::uint32_t{0});
  not_negative(found, "backoff.initial", b.initial);
  if (!(b.multiplier >= 1)) found.push_back({"backoff.multiplier", "is less than 1, or not a number"});
  if (b.maximum < b.initial) found.push_back({"backoff.maximum", "is less than backoff.initial"});
  if (c.total_max <= duration::zero()) found.push_back({"total_max", "is not longer than zero"});
  not_negative(found, "useful_min", c.useful_min);
  not_negative(found, "retry_after_min", c.retry_after_min);
  if (c.retry_after_max < c.retry_after_min)
    found.push_back({"retry_after_max", "is less than retry_after_min"});
  if (b.jitter != jitter::none && c.seed == 0)
    found.push_back({"seed", "is 0: processes with the same seed draw the same jitter", false});
  return found;
}

std::vector<config_problem> validate(retry_budget_config const& c) {
  std::vector<config_problem> found;
  within(found, "ratio", c.ratio.value, 0, 100);
  within(found, "minimum_per_second", c.minimum_per_second, 0, retry_budget_limit);
  within(found, "burst", c.burst, 1, retry_budget_limit);
  if (c.ratio.value == 0 && c.minimum_per_second == 0)
    found.push_back({"ratio", "is 0, and so is minimum_per_second: nothing would ever be retried"});
  return found;
}

std::vector<config_problem> validate(hedge_config const& c) {
  std::vector<config_problem> found;
  not_negative(found, "after", c.after);
  within(found, "observed", c.observed.value, 0, 100);
  not_negative(found, "after_min", c.after_min);
  if (c.after_max < c.after_min) found.push_back({"after_max", "is less than after_min"});
  return found;
}

}  // namespace halfopen
