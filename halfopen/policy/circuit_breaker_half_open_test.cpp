// Half-open: its probes, and how it ends (S1, L2).
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

TEST(circuit_breaker, closes_at_the_first_success_of_its_probe) {
  tripped s;
  s.probe().success(s.now());
  EXPECT_EQ(s.state(), breaker_state::closed);
  EXPECT_EQ(s.look().window, window_counts{});
}

TEST(circuit_breaker, opens_again_at_the_first_failure_of_a_probe_whatever_the_minimum) {
  breaker_config c = plain_breaker();
  c.window = call_window{.size = 100};
  c.minimum_calls = 50;
  c.required_successes = 5;
  breaker_subject s{c};
  s.calls(50, outcome::failure);
  s.wait_out();
  s.calls(4, outcome::success);
  EXPECT_EQ(s.state(), breaker_state::half_open);
  s.call(outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::open);
  EXPECT_EQ(s.events.back().counts, (window_counts{5, 1, 0}));
}

TEST(circuit_breaker, wants_its_successes_one_after_the_other_with_one_probe) {
  tripped s{with(plain_breaker(), [](auto& c) { c.required_successes = 3; })};
  s.wait_out();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(s.state(), i == 0 ? breaker_state::open : breaker_state::half_open);
    auto p = s.admitted();
    EXPECT_EQ(s.refused(), errc::probe_in_flight);
    std::move(p).success(s.now());
  }
  EXPECT_EQ(s.state(), breaker_state::closed);
}

TEST(circuit_breaker, sends_no_more_probes_than_can_be_needed_so_none_is_out_when_it_closes) {
  tripped s{with(plain_breaker(), [](auto& c) { c.probes = 2, c.required_successes = 2; })};
  s.wait_out();
  auto first = s.admitted();
  auto second = s.admitted();
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
  std::move(first).success(s.now());
  EXPECT_EQ(s.refused(), errc::probe_in_flight);  // a slot is free, but a third probe would be one too many
  std::move(second).success(s.now());
  EXPECT_EQ(s.state(), breaker_state::closed);
}

TEST(circuit_breaker, with_several_probes_tells_to_come_back_at_the_earliest_lease_end) {
  tripped s{with(plain_breaker(), [](auto& c) { c.probes = 3, c.required_successes = 3; })};
  s.wait_out();
  auto first = s.admitted();
  s.after(1s);
  auto second = s.admitted();
  s.after(1s);
  auto third = s.admitted();
  auto const no = s.ask();
  EXPECT_EQ(no.error().retry_after, 3s);
  EXPECT_EQ(no.error().probe_age, 2s);
  EXPECT_EQ(s.look().oldest_probe_age, 2s);
  EXPECT_EQ(s.look().retry_after, 3s);
  EXPECT_EQ(s.look().probes_out, 3U);
  std::move(first).success(s.now());
  EXPECT_EQ(s.ask().error().retry_after, 4s);
}

TEST(circuit_breaker, a_slow_probe_opens_only_if_told_to) {
  auto const c = with(plain_breaker(), [](auto& c) { c.slow_after = 1s; });
  tripped lenient{c};
  auto p = lenient.probe();
  lenient.after(2s);
  std::move(p).success(lenient.now());
  EXPECT_EQ(lenient.state(), breaker_state::closed);
  tripped strict{with(c, [](auto& c) { c.slow_probe_fails = true; })};
  auto q = strict.probe();
  strict.after(2s);
  std::move(q).success(strict.now());
  EXPECT_EQ(strict.state(), breaker_state::open);
  EXPECT_EQ(strict.events.back().cause, breaker_cause::probe_slow);
}

TEST(circuit_breaker, a_neutral_probe_gives_its_slot_back_at_once) {
  for (outcome const how : {outcome::ignored, outcome::abandoned}) {
    tripped s;
    s.wait_out();
    s.call(how);
    EXPECT_EQ(s.state(), breaker_state::half_open);
    EXPECT_EQ(s.look().probes_out, 0U);
    s.call(outcome::success);
    EXPECT_EQ(s.state(), breaker_state::closed);
  }
}

TEST(circuit_breaker, leaves_half_open_after_so_many_neutral_results) {
  for (auto const exit : {neutral_exit::open, neutral_exit::closed}) {
    tripped s{with(plain_breaker(), [&](auto& c) { c.neutral_max = 3, c.after_neutral = exit; })};
    s.wait_out();
    s.calls(3, outcome::abandoned);
    EXPECT_EQ(s.state(), breaker_state::half_open);  // only a call finds out
    if (exit == neutral_exit::open) {
      EXPECT_EQ(s.refused(), errc::open);
      EXPECT_EQ(s.look().retry_after, 20s);
      EXPECT_EQ(s.look().next_lease, 5s);  // nothing has expired
    } else {
      EXPECT_FALSE(s.admitted().is_probe());
      EXPECT_EQ(s.state(), breaker_state::closed);
    }
    EXPECT_EQ(s.events.back().cause, breaker_cause::only_neutral);
  }
}

TEST(circuit_breaker, looks_at_an_expired_lease_before_it_counts_neutral_results) {
  tripped s{
      with(plain_breaker(), [](auto& c) { c.neutral_max = 1, c.probes = 2, c.required_successes = 2; })};
  s.wait_out();
  auto lost = s.admitted();
  s.call(outcome::ignored);
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
  s.after(6s);
  EXPECT_EQ(s.refused(), errc::open);
  EXPECT_EQ(s.events.back().cause, breaker_cause::probe_expired);
}

}  // namespace
}  // namespace halfopen
