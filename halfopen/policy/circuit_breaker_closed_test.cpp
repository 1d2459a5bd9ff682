// Closed: what trips it, and what does not.
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

TEST(circuit_breaker, trips_at_so_many_failures_in_a_row) {
  breaker_subject s{with(plain_breaker(), [](auto& c) { c.window = consecutive{3}; })};
  s.calls(2, outcome::failure);
  s.call(outcome::success);
  s.calls(2, outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::closed);
  s.call(outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::open);
}

TEST(circuit_breaker, trips_exactly_at_the_failure_rate) {
  breaker_config const c{.window = call_window{.size = 10}, .failure_rate = percent{30}, .minimum_calls = 10};
  breaker_subject below{c};
  below.calls(2, outcome::failure);
  below.calls(8, outcome::success);
  EXPECT_EQ(below.state(), breaker_state::closed);
  breaker_subject at{c};
  at.calls(3, outcome::failure);
  at.calls(6, outcome::success);
  EXPECT_EQ(at.state(), breaker_state::closed);  // not enough calls yet
  at.call(outcome::success);                     // a success can trip: it completes minimum_calls
  EXPECT_EQ(at.state(), breaker_state::open);
}

TEST(circuit_breaker, a_success_trips_when_it_pushes_an_older_success_out) {
  breaker_config const c{.window = call_window{.size = 4},
                         .failure_rate = percent{75},
                         .slow_rate = percent{100},
                         .slow_after = 1s,
                         .minimum_calls = 4};
  breaker_subject s{c};
  s.call(outcome::success);
  for (int i = 0; i < 3; ++i) s.slow_call(2s);
  EXPECT_EQ(s.state(), breaker_state::closed);
  s.slow_call(2s);
  EXPECT_EQ(s.state(), breaker_state::open);
  EXPECT_EQ(s.events.back().cause, breaker_cause::slow_calls);
}

TEST(circuit_breaker, trips_at_the_slow_rate_though_every_call_succeeds) {
  breaker_config const c{.window = time_window{.length = 60s},
                         .failure_rate = percent{100},
                         .slow_rate = percent{50},
                         .slow_after = 1s,
                         .minimum_calls = 4};
  breaker_subject s{c};
  s.slow_call(1s);  // exactly slow_after is not slow
  s.slow_call(1s);
  s.slow_call(1001ms);
  EXPECT_EQ(s.state(), breaker_state::closed);
  s.slow_call(1001ms);
  EXPECT_EQ(s.state(), breaker_state::open);
  EXPECT_EQ(s.events.back().counts, (window_counts{4, 0, 2}));
  EXPECT_EQ(s.totals().slow, 2U);
}

TEST(circuit_breaker, takes_the_length_of_a_call_from_the_caller_if_he_measured_it) {
  breaker_config const c{
      .window = call_window{.size = 2}, .slow_rate = percent{50}, .slow_after = 1s, .minimum_calls = 2};
  breaker_subject s{c};
  s.admitted().success(5ms);
  s.admitted().success(2s);
  EXPECT_EQ(s.state(), breaker_state::open);
}

TEST(circuit_breaker, a_slow_success_is_a_success_for_failures_in_a_row) {
  breaker_subject s{with(plain_breaker(), [](auto& c) { c.slow_after = 1s; })};
  s.call(outcome::failure);
  s.slow_call(10s);
  s.call(outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::closed);
}

TEST(circuit_breaker, neutral_results_are_no_part_of_any_rate) {
  breaker_subject s{{.window = call_window{.size = 10}, .minimum_calls = 2}};
  s.call(outcome::failure);
  s.calls(20, outcome::ignored);
  s.calls(20, outcome::abandoned);
  EXPECT_EQ(s.look().window, (window_counts{1, 1, 0}));
  EXPECT_EQ(s.state(), breaker_state::closed);
  s.call(outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::open);
}

TEST(circuit_breaker, a_call_counts_when_it_ends) {
  breaker_subject s{{.window = time_window{.length = 10s, .buckets = 10}, .minimum_calls = 1}};
  auto early = s.admitted();
  s.after(1h);
  std::move(early).failure(s.now());
  EXPECT_EQ(s.state(), breaker_state::open);
}

TEST(circuit_breaker, says_how_far_it_is_from_tripping) {
  breaker_subject row{with(plain_breaker(), [](auto& c) { c.window = consecutive{3}; })};
  EXPECT_EQ(row.look().failures_to_trip, 3U);
  row.call(outcome::failure);
  EXPECT_EQ(row.look().failures_to_trip, 2U);

  for (window_config const w :
       {window_config{call_window{.size = 8}}, window_config{time_window{.length = 60s}}}) {
    breaker_subject s{{.window = w, .failure_rate = percent{50}, .minimum_calls = 6}};
    s.calls(5, outcome::success);
    auto const distance = s.look().failures_to_trip;
    s.calls(static_cast<int>(distance) - 1, outcome::failure);
    EXPECT_EQ(s.state(), breaker_state::closed);
    s.call(outcome::failure);
    EXPECT_EQ(s.state(), breaker_state::open);
  }
}

}  // namespace
}  // namespace halfopen
