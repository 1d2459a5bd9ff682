// After closing: a growing share.
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

TEST(circuit_breaker, admits_a_growing_share_after_closing_by_count) {
  tripped s{with(plain_breaker(), [](auto& c) { c.ramp = 10s; })};
  s.probe().success(s.now());
  int admitted = 0;
  for (int i = 0; i < 100; ++i) admitted += s.ask() ? 1 : 0;
  EXPECT_EQ(admitted, 10);  // 10 % at the start, exactly
  s.after(5s);
  admitted = 0;
  for (int i = 0; i < 100; ++i) admitted += s.ask() ? 1 : 0;
  EXPECT_EQ(admitted, 55);
  s.after(5s);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(s.ask());
  EXPECT_EQ(s.totals().refused_ramping, 135U);
}

TEST(circuit_breaker, the_first_call_of_a_ramp_is_admitted_and_the_refused_are_told_why) {
  tripped s{with(plain_breaker(), [](auto& c) { c.ramp = 10s; })};
  s.probe().success(s.now());
  EXPECT_FALSE(s.admitted().is_probe());
  EXPECT_EQ(s.refused(), errc::ramping);
}

TEST(circuit_breaker, passed_over_in_a_ramp_takes_its_share_all_the_same) {
  tripped s{with(plain_breaker(), [](auto& c) { c.ramp = 10s; })};
  s.probe().success(s.now());
  int admitted = 0;
  for (int i = 0; i < 100; ++i)
    if (s.breaker.consult(s.now())) admitted += s.ask() ? 1 : 0;
  EXPECT_EQ(admitted, 10);
  EXPECT_EQ(s.totals().refused_ramping, 0U);
}

TEST(circuit_breaker, failures_during_a_ramp_trip_as_usual) {
  tripped s{with(plain_breaker(), [](auto& c) { c.ramp = 10s, c.ramp_from = percent{100}; })};
  s.probe().success(s.now());
  s.calls(2, outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::open);
  EXPECT_EQ(s.look().openings, 2U);
}

}  // namespace
}  // namespace halfopen
