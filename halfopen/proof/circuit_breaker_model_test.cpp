#include <gmock/gmock.h>

#include <halfopen/check/explore.hpp>
#include <halfopen/proof/circuit_breaker_model.hpp>

namespace halfopen::proof {
namespace {

using check::counts;
using check::verdict;

check::result explored(circuit_breaker_model bounds) {
  check::typed_model m{bounds};
  return check::explore(m);
}

std::vector<std::string> actions(check::result const& r) {
  std::vector<std::string> names;
  for (auto const& step : r.trace) names.push_back(circuit_breaker_model::action_name(step.by));
  return names;
}

// The counts are noted in specs/circuit_breaker/README.md; the checker must find the same for the module.
TEST(circuit_breaker_model, hardened_holds_with_two_three_and_four_callers) {
  auto const two = explored({.num_callers = 2});
  EXPECT_EQ(two.found, verdict::holds);
  EXPECT_EQ(two.counts, (counts{.distinct = 13, .generated = 43, .depth = 10}));
  auto const three = explored({.num_callers = 3});
  EXPECT_EQ(three.found, verdict::holds);
  EXPECT_EQ(three.counts, (counts{.distinct = 14, .generated = 64, .depth = 10}));
  auto const four = explored({.num_callers = 4});
  EXPECT_EQ(four.found, verdict::holds);
  EXPECT_EQ(four.counts, (counts{.distinct = 15, .generated = 87, .depth = 10}));
}

TEST(circuit_breaker_model, naive_probes_twice_starting_from_closed) {
  for (std::uint8_t callers = 2; callers <= 4; ++callers) {
    auto const r = explored({.num_callers = callers, .hardened = false});
    EXPECT_EQ(r.found, verdict::invariant_broken);
    EXPECT_EQ(circuit_breaker_model::invariants()[static_cast<std::size_t>(r.property)].name,
              "NoDoubleProbe");
    EXPECT_THAT(actions(r),
                testing::ElementsAre("Init", "ClosedCallFailure(1)", "ClosedCallFailureTripBreaker(1)",
                                     "OpenTick", "OpenTick", "OpenTimerElapses", "HalfOpenProbeStart(1)",
                                     "HalfOpenProbeStart(2)"));
  }
}

TEST(circuit_breaker_model, shows_a_state_in_the_modules_words) {
  EXPECT_EQ(
      circuit_breaker_model::show({.now = circuit_breaker_model::lifecycle::half_open,
                                   .failure_count = 2,
                                   .open_ticks = 2,
                                   .probe_inflight = 1,
                                   .probes_accepted = 1,
                                   .caller_active = 3}),
      "state = \"HalfOpen\"\nfailureCount = 2\nopenTicks = 2\nprobeInflight = TRUE\nprobesAccepted = 1\n"
      "callerActive = {1, 2}\n");
}

}  // namespace
}  // namespace halfopen::proof
