#include <algorithm>

#include <halfopen/policy/breaker_config.hpp>

namespace halfopen {
namespace {

std::string text(duration d) {
  using std::to_string;
  auto const ns = d.count();
  if (ns % 1'000'000'000 == 0) return to_string(ns / 1'000'000'000) + "s";
  if (ns % 1'000'000 == 0) return to_string(ns / 1'000'000) + "ms";
  return to_string(ns) + "ns";
}

// Collects what is wrong, a rule a line.
class examination {
 public:
  void error(char const* field, std::string what) { problems_.push_back({field, std::move(what), true}); }
  void warn(char const* field, std::string what) { problems_.push_back({field, std::move(what), false}); }

  void within(char const* field, std::uint64_t value, std::uint64_t lowest, std::uint64_t highest) {
    if (lowest <= value && value <= highest) return;
    error(field, "is " + std::to_string(value) + "; must be " + std::to_string(lowest) + ".." +
                     std::to_string(highest));
  }
  void at_least(char const* field, duration value, duration lowest) {
    if (value < lowest) error(field, "is " + text(value) + "; must be at least " + text(lowest));
  }

  std::vector<config_problem> problems_;
};

constexpr duration shortest = std::chrono::milliseconds{1};

void examine_window(breaker_config const& c, examination& e) {
  switch (c.window.kind) {
    case window_kind::consecutive: e.within("window.failures", c.window.count, 1, consecutive_limit); return;
    case window_kind::calls: e.within("window.size", c.window.count, 1, call_window_limit); break;
    case window_kind::time:
      e.within("window.buckets", c.window.count, 1, buckets_limit);
      e.at_least("window.length", c.window.length, shortest * std::clamp(c.window.count, 1U, buckets_limit));
      break;
  }
  e.within("failure_rate", c.failure_rate.value, 1, 100);
  e.within("slow_rate", c.slow_rate.value, 0, 100);
  e.within("minimum_calls", c.minimum_calls, 1, ~std::uint32_t{0});
  if (c.window.kind == window_kind::calls && c.minimum_calls > c.window.count) {
    e.error("minimum_calls", "is " + std::to_string(c.minimum_calls) + ", more than window.size (" +
                                 std::to_string(c.window.count) + "): it would never trip");
  }
}

void examine_slow(breaker_config const& c, examination& e) {
  bool const trips = c.slow_rate.value != 0 && c.window.kind != window_kind::consecutive;
  e.at_least("slow_after", c.slow_after, duration{1});
  if ((trips || c.slow_probe_fails) && c.slow_after == duration::max()) {
    e.error("slow_after", "is not set; slow_rate and slow_probe_fails need it");
  }
  if (c.slow_rate.value != 0 && c.window.kind == window_kind::consecutive) {
    e.warn("slow_rate", "is not used: a window of consecutive failures does not look at slow calls");
  }
}

void examine_open(breaker_config const& c, examination& e) {
  e.at_least("open_for.initial", c.open_for.initial, shortest);
  if (!(c.open_for.multiplier >= 1 && c.open_for.multiplier <= 1000)) {
    e.error("open_for.multiplier", "is " + std::to_string(c.open_for.multiplier) + "; must be 1..1000");
  }
  if (c.open_for.maximum < c.open_for.initial) {
    e.error("open_for.maximum", "is " + text(c.open_for.maximum) + ", less than open_for.initial (" +
                                    text(c.open_for.initial) + ")");
  }
  if (c.open_for.jitter != jitter::none && c.seed == 0) {
    e.warn("seed", "is 0: breakers with the same seed draw the same jitter and probe together");
  }
  e.at_least("reset_after", c.reset_after, duration{0});
  e.at_least("retry_after_max", c.retry_after_max, duration{0});
  e.at_least("forced_retry_after", c.forced_retry_after, duration{0});
}

void examine_half_open(breaker_config const& c, examination& e) {
  e.within("probes", c.probes, 1, probes_limit);
  e.within("required_successes", c.required_successes, 1, successes_limit);
  e.within("neutral_max", c.neutral_max, 1, neutral_limit);
  e.at_least("probe_timeout", c.probe_timeout, shortest);
  if (c.max_probe_timeout < c.probe_timeout) {
    e.error("max_probe_timeout",
            "is " + text(c.max_probe_timeout) + ", less than probe_timeout (" + text(c.probe_timeout) + ")");
  }
  e.at_least("clock_resolution", c.clock_resolution, duration{1});
  if (c.probes > c.required_successes) {
    e.warn("probes", "is " + std::to_string(c.probes) + ", more than required_successes (" +
                         std::to_string(c.required_successes) + "): it may close while a probe is still out");
  }
  if (!c.lease_doubles && !c.lease_learns && c.max_probe_timeout > c.probe_timeout) {
    e.warn("max_probe_timeout",
           "is not used: the lease neither doubles nor learns, and replies later than "
           "probe_timeout keep the breaker open for ever");
  }
}

void examine_rest(breaker_config const& c, examination& e) {
  e.at_least("ramp", c.ramp, duration{0});
  if (c.ramp > duration{0})
    e.within("ramp_from", c.ramp_from.value, 1, 100);
  else
    e.within("ramp_from", c.ramp_from.value, 0, 100);
  e.within("events_max", c.events_max, 1, events_limit);
}

}  // namespace

std::vector<config_problem> validate(breaker_config const& config) {
  examination e;
  examine_window(config, e);
  examine_slow(config, e);
  examine_open(config, e);
  examine_half_open(config, e);
  examine_rest(config, e);
  return std::move(e.problems_);
}

bool has_errors(std::vector<config_problem> const& problems) noexcept {
  return std::any_of(problems.begin(), problems.end(), [](auto const& p) { return p.is_error; });
}

std::string to_string(std::vector<config_problem> const& problems) {
  std::string all;
  for (auto const& p : problems) {
    if (!all.empty()) all += '\n';
    all += p.field + ": " + p.what + (p.is_error ? "" : " (warning)");
  }
  return all;
}

}  // namespace halfopen
