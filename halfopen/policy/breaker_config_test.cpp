#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/policy/breaker_config.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

std::vector<std::string> fields(breaker_config const& c, bool errors) {
  std::vector<std::string> found;
  for (auto const& p : validate(c)) {
    if (p.is_error == errors) found.push_back(p.field);
  }
  return found;
}

TEST(breaker_config, defaults_are_valid_and_only_ask_for_a_seed) {
  EXPECT_TRUE(fields({}, true).empty());
  EXPECT_THAT(fields({}, false), ElementsAre("seed"));
}

TEST(breaker_config, every_problem_is_listed_at_once_under_the_name_a_file_uses) {
  breaker_config const c{.window = time_window{.length = 1ms, .buckets = 10},
                         .failure_rate = percent{0},
                         .slow_rate = percent{101},
                         .minimum_calls = 0,
                         .open_for = {.initial = 0s, .multiplier = 0.5, .maximum = -1s},
                         .reset_after = -1s,
                         .retry_after_max = -1s,
                         .forced_retry_after = -1s,
                         .probes = 0,
                         .required_successes = 256,
                         .neutral_max = 0,
                         .probe_timeout = 0s,
                         .max_probe_timeout = -1s,
                         .clock_resolution = 0s,
                         .ramp = 1s,
                         .ramp_from = percent{0},
                         .events_max = 0};
  EXPECT_THAT(
      fields(c, true),
      ElementsAre("window.length", "failure_rate", "slow_rate", "minimum_calls", "slow_after",
                  "open_for.initial", "open_for.multiplier", "open_for.maximum", "reset_after",
                  "retry_after_max", "forced_retry_after", "probes", "required_successes", "neutral_max",
                  "probe_timeout", "max_probe_timeout", "clock_resolution", "ramp_from", "events_max"));
}

TEST(breaker_config, a_problem_says_what_is_and_what_must_be) {
  EXPECT_EQ(to_string(validate({.probes = 0, .seed = 1})), "probes: is 0; must be 1..64");
  EXPECT_EQ(to_string(validate({.probe_timeout = 0s, .seed = 1})),
            "probe_timeout: is 0s; must be at least 1ms");
}

TEST(breaker_config, a_rate_that_can_never_be_reached_is_an_error) {
  EXPECT_THAT(fields({.window = call_window{.size = 10}, .minimum_calls = 11}, true),
              ElementsAre("minimum_calls"));
}

TEST(breaker_config, slow_settings_need_a_length) {
  EXPECT_THAT(fields({.slow_rate = percent{50}}, true), ElementsAre("slow_after"));
  EXPECT_THAT(fields({.slow_probe_fails = true}, true), ElementsAre("slow_after"));
  EXPECT_THAT(fields({.window = consecutive{}, .slow_rate = percent{50}}, false),
              ElementsAre("slow_rate", "seed"));
}

TEST(breaker_config, warns_of_what_recovers_badly) {
  EXPECT_THAT(fields({.probes = 2, .seed = 1}, false), ElementsAre("probes"));
  EXPECT_THAT(fields({.lease_doubles = false, .lease_learns = false, .seed = 1}, false),
              ElementsAre("max_probe_timeout"));
}

TEST(breaker_config, a_multiplier_that_is_no_number_is_refused) {
  EXPECT_THAT(fields({.open_for = {.multiplier = std::numeric_limits<double>::quiet_NaN()}}, true),
              ElementsAre("open_for.multiplier"));
}

TEST(breaker_config, windows_are_written_as_what_they_are) {
  EXPECT_EQ((breaker_config{.window = consecutive{.failures = 3}}.window.kind), window_kind::consecutive);
  EXPECT_EQ((breaker_config{.window = call_window{.size = 7}}.window.count), 7U);
  EXPECT_EQ((breaker_config{.window = call_window<100>{}}.window.count), 100U);
  EXPECT_EQ((breaker_config{.window = time_window{.length = 5s}}.window),
            (window_config{time_window{.length = 5s, .buckets = 10}}));
}

}  // namespace
}  // namespace halfopen
