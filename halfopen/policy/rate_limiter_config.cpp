#include <string>

#include <halfopen/policy/rate_limiter_config.hpp>

namespace halfopen {
namespace {

constexpr duration year = std::chrono::hours{24 * 365};
constexpr std::int64_t calls_per_second_max = 10'000'000;

void up_to_a_year(std::vector<config_problem>& found, char const* field, duration d) {
  if (d < duration::zero()) found.push_back({field, "is negative; must be at least 0s"});
  if (d > year) found.push_back({field, "is longer than a year"});
}

void check_burst(std::vector<config_problem>& found, rate_limiter_config const& c) {
  auto const limit = rate_limit::of(c);
  if (limit.interval < rate_limit::units(std::chrono::seconds{1}) / calls_per_second_max)
    found.push_back({"calls", "is " + std::to_string(c.calls) + " in " + std::to_string(c.per.count()) +
                                  " ns; must be at most " + std::to_string(calls_per_second_max) +
                                  " a second"});
  if (limit.tolerance > rate_limit::units(year))
    found.push_back(
        {"burst", "is " + std::to_string(c.burst) + ": at this rate it comes back in over a year"});
  if (limit.tolerance < rate_limit::units(c.clock_tick))
    found.push_back({"burst", "is " + std::to_string(c.burst) +
                                  ", and used up before the clock's next tick in " +
                                  std::to_string(c.clock_tick.count()) +
                                  " ns: the rate would not be reached; must be "
                                  "larger, or the clock precise"});
}

}  // namespace

std::vector<config_problem> validate(rate_limiter_config const& c) {
  std::vector<config_problem> found;
  if (c.calls == 0) found.push_back({"calls", "is 0; must be at least 1"});
  if (c.per <= duration::zero()) found.push_back({"per", "is 0s or negative; must be longer"});
  if (c.per > year) found.push_back({"per", "is longer than a year"});
  if (c.burst == 0) found.push_back({"burst", "is 0; must be at least 1"});
  up_to_a_year(found, "wait_max", c.wait_max);
  up_to_a_year(found, "drain_max", c.drain_max);
  up_to_a_year(found, "clock_tick", c.clock_tick);
  if (found.empty()) check_burst(found, c);
  return found;
}

}  // namespace halfopen
