// The rules of docs/breaker.md, each as a claim in virtual time.
#include <stdexcept>
#include <type_traits>

#include <halfopen/policy/basic_circuit_breaker.hpp>
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<permit> && std::is_nothrow_move_constructible_v<permit>);
static_assert(sizeof(permit) <= 40);

class tripped : public breaker_subject {
 public:
  explicit tripped(breaker_config const& c = plain_breaker()) : breaker_subject{c} {
    calls(2, outcome::failure);
    EXPECT_EQ(state(), breaker_state::open);
  }
  permit probe() {
    wait_out();
    auto p = admitted();
    EXPECT_TRUE(p.is_probe());
    return p;
  }
};

breaker_config with(breaker_config c, auto change) {
  change(c);
  return c;
}

// --- making one

TEST(circuit_breaker, starts_closed_and_admits) {
  breaker_subject s{breaker_config{}};
  EXPECT_EQ(s.state(), breaker_state::closed);
  auto p = s.admitted();
  EXPECT_FALSE(p.is_probe());
  EXPECT_EQ(p.deadline(), instant::max());
  EXPECT_EQ(p.epoch(), 0U);
}

TEST(circuit_breaker, cannot_be_made_from_bad_settings_and_says_all_that_is_wrong) {
  breaker_config const bad{.window = call_window{.size = 0}, .failure_rate = percent{0}, .probes = 0};
  auto const made = circuit_breaker::make(bad);
  ASSERT_FALSE(made);
  EXPECT_GE(made.error().size(), 3U);
  try {
    circuit_breaker b{bad};
    FAIL();
  } catch (std::invalid_argument const& e) {
    EXPECT_EQ(e.what(), to_string(made.error()));
  }
}

TEST(circuit_breaker, can_be_moved_while_permits_are_out) {
  auto made = circuit_breaker::make(plain_breaker());
  ASSERT_TRUE(made);
  auto p = made->try_acquire(instant{});
  circuit_breaker moved = *std::move(made);
  std::move(*p).failure(instant{});
  EXPECT_EQ(moved.snapshot(instant{}).window.failures, 1U);
}

// --- permits (S4)

TEST(permit, is_abandoned_by_its_destructor) {
  breaker_subject s{plain_breaker()};
  {
    auto p = s.admitted();
  }
  EXPECT_EQ(s.totals().abandoned, 1U);
  EXPECT_EQ(s.totals().in_flight(), 0U);
}

TEST(permit, moves_its_right_with_it) {
  breaker_subject s{plain_breaker()};
  auto p = s.admitted();
  permit q = std::move(p);
  EXPECT_TRUE(p.is_spent());  // NOLINT: that is the claim
  std::move(q).success(s.now());
  EXPECT_TRUE(q.is_spent());
  EXPECT_EQ(s.totals().successes, 1U);
  EXPECT_EQ(s.totals().settled(), 1U);
}

TEST(permit, that_is_assigned_over_is_abandoned) {
  breaker_subject s{plain_breaker()};
  auto p = s.admitted();
  p = s.admitted();
  EXPECT_EQ(s.totals().abandoned, 1U);
  std::move(p).success(s.now());
  EXPECT_EQ(s.totals().in_flight(), 0U);
}

TEST(permit, counts_where_its_new_thread_counts) {
  auto cells = breaker_cells::each(2);
  circuit_breaker b{plain_breaker(), {.cells = &cells}};
  auto p = b.try_acquire(instant{}, cells[0]);
  p->count_in(cells[1]);
  std::move(*p).success(instant{});
  EXPECT_EQ(cells[0].read(tally::admitted), 1U);
  EXPECT_EQ(cells[1].read(tally::success), 1U);
  EXPECT_EQ(cells.sum().in_flight(), 0U);
}

TEST(permit, settled_twice_does_nothing_and_is_counted_or_stops_a_debug_build) {
  breaker_subject s{plain_breaker()};
  auto p = s.admitted();
  std::move(p).failure(s.now());
#ifdef HALFOPEN_COUNTS_SECOND_SETTLEMENTS
  std::move(p).failure(s.now());  // NOLINT: that is the claim
  EXPECT_EQ(s.state(), breaker_state::closed);
  EXPECT_EQ(s.look().settled_twice, 1U);
  EXPECT_EQ(s.totals().settled(), 1U);
#else
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(std::move(p).failure(s.now()), "S4");  // NOLINT: that is the claim
#endif
}

// --- closed

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

// --- open

TEST(circuit_breaker, admits_nobody_before_the_deadline_and_one_probe_at_it) {  // S3
  tripped s;
  s.after(10s - 1ns);
  EXPECT_EQ(s.refused(), errc::open);
  EXPECT_FALSE(s.breaker.would_admit(s.now()));
  EXPECT_EQ(s.ask().error().retry_after, 1ns);
  s.after(1ns);
  EXPECT_TRUE(s.breaker.would_admit(s.now()));
  auto probe = s.admitted();
  EXPECT_TRUE(probe.is_probe());
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
}

TEST(circuit_breaker, looking_changes_nothing_and_shows_an_expired_open_as_open) {
  tripped s;
  s.after(1h);
  EXPECT_EQ(s.breaker.status(s.now()), (breaker_status{breaker_state::open, 1, 0s}));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(s.breaker.would_admit(s.now()));
  EXPECT_EQ(s.look().state, breaker_state::open);
  EXPECT_EQ(s.events.size(), 1U);
}

TEST(circuit_breaker, backs_off_further_at_each_opening_in_a_row) {
  tripped s;
  for (duration const expected : {10s, 20s, 40s, 40s}) {
    EXPECT_EQ(s.look().retry_after, expected);
    s.probe().failure(s.now());
  }
  EXPECT_EQ(s.look().openings, 5U);
}

TEST(circuit_breaker, flapping_keeps_backing_off_until_it_has_stayed_closed) {
  tripped s;
  s.probe().success(s.now());
  s.after(60s - 1ns);  // one short of reset_after
  s.calls(2, outcome::failure);
  EXPECT_EQ(s.look().retry_after, 20s);
  s.probe().success(s.now());
  s.after(60s);
  s.calls(2, outcome::failure);
  EXPECT_EQ(s.look().retry_after, 10s);
  EXPECT_EQ(s.look().openings, 1U);
}

TEST(circuit_breaker, is_held_open_longer_by_the_retry_after_of_the_result_that_opens_it) {
  auto const c = with(plain_breaker(), [](auto& c) { c.retry_after_max = 30s; });
  breaker_subject s{c};
  auto late = s.admitted();
  s.call(outcome::failure);
  s.admitted().failure(s.now(), 25s);
  EXPECT_EQ(s.look().retry_after, 25s);
  std::move(late).failure(s.now(), 30s);  // late: never extends
  EXPECT_EQ(s.look().retry_after, 25s);
  s.wait_out();
  s.admitted().failure(s.now(), 1h);  // bounded
  EXPECT_EQ(s.look().retry_after, 30s);
  s.wait_out();
  s.admitted().failure(s.now(), 1s);  // never shortens
  EXPECT_EQ(s.look().retry_after, 40s);
}

TEST(circuit_breaker, does_not_heed_retry_after_unless_told_to) {
  breaker_subject s{plain_breaker()};
  s.call(outcome::failure);
  s.admitted().failure(s.now(), 1h);
  EXPECT_EQ(s.look().retry_after, 10s);
}

// --- late results (S2, S5)

class late_result : public ::testing::TestWithParam<outcome> {};

TEST_P(late_result, changes_no_state_and_is_counted_apart) {
  breaker_subject s{plain_breaker()};
  std::vector<permit> early;
  for (int i = 0; i < 4; ++i) early.push_back(s.admitted());
  s.calls(2, outcome::failure);
  auto const same = [&](permit& p) {
    auto const before = s.look();
    auto const events = s.events.size();
    std::move(p).settle(GetParam(), s.now(), 1h);
    auto const after = s.look();
    EXPECT_EQ(after.state, before.state);
    EXPECT_EQ(after.epoch, before.epoch);
    EXPECT_EQ(after.until, before.until);
    EXPECT_EQ(after.window, before.window);
    EXPECT_EQ(after.next_lease, before.next_lease);
    EXPECT_EQ(s.events.size(), events);
  };
  same(early[0]);  // in open
  s.wait_out();
  auto probe = s.admitted();
  same(early[1]);  // in half_open: S5, a stale success does not close
  std::move(probe).success(s.now());
  same(early[2]);  // in closed
  s.breaker.force_open(s.now());
  same(early[3]);
  auto const t = s.totals();
  EXPECT_EQ(t.late_successes + t.late_failures, is_neutral(GetParam()) ? 0U : 4U);
  EXPECT_EQ(t.in_flight(), 0U);
}
INSTANTIATE_TEST_SUITE_P(all, late_result,
                         ::testing::Values(outcome::success, outcome::failure, outcome::ignored,
                                           outcome::abandoned));

// --- half-open

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

// --- leases

TEST(circuit_breaker, a_lease_has_run_out_only_after_its_end_and_counts_as_of_it) {
  tripped s;
  auto lost = s.probe();
  s.after(5s);
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
  EXPECT_EQ(s.ask().error().retry_after, 0s);
  s.after(3s);
  EXPECT_EQ(s.refused(), errc::open);
  EXPECT_EQ(s.events.back().at, instant{15s});  // dated at the lease's end, not now
  EXPECT_EQ(s.look().until, instant{35s});
}

TEST(circuit_breaker, the_call_that_finds_a_lost_probe_long_after_is_the_next_probe) {
  tripped s;
  auto lost = s.probe();
  s.after(1h);
  EXPECT_TRUE(s.breaker.would_admit(s.now()));
  auto next = s.admitted();
  EXPECT_TRUE(next.is_probe());
  EXPECT_EQ(next.epoch(), 4U);
  EXPECT_EQ(s.look().openings, 2U);
  s.expect_one_event_an_epoch();
}

TEST(circuit_breaker, a_result_that_comes_before_anyone_finds_the_lease_run_out_acts) {
  tripped s;
  auto slow = s.probe();
  s.after(1h);
  std::move(slow).success(s.now());
  EXPECT_EQ(s.state(), breaker_state::closed);
}

TEST(circuit_breaker, doubles_the_lease_once_for_each_episode_that_expired) {
  tripped s{with(plain_breaker(),
                 [](auto& c) { c.probes = 2, c.required_successes = 2, c.max_probe_timeout = 30s; })};
  std::vector<permit> lost;
  for (duration const expected : {5s, 10s, 20s, 30s, 30s}) {
    s.wait_out();
    lost.push_back(s.admitted());
    EXPECT_EQ(lost.back().deadline(), s.now() + expected);
    lost.push_back(s.admitted());
    s.after(expected + 1ns);
    EXPECT_EQ(s.refused(), errc::open);
  }
}

TEST(circuit_breaker, keeps_the_lease_after_a_failure_and_returns_to_its_base_when_closed) {
  tripped s;
  auto lost = s.probe();
  s.after(6s);
  EXPECT_EQ(s.refused(), errc::open);
  s.probe().failure(s.now());
  EXPECT_EQ(s.look().next_lease, 10s);
  s.probe().success(s.now());
  EXPECT_EQ(s.look().next_lease, 5s);
}

TEST(circuit_breaker, learns_from_a_late_success_of_a_probe_how_long_a_reply_takes) {
  tripped s{with(plain_breaker(), [](auto& c) { c.lease_doubles = false; })};
  auto late = s.probe();
  s.after(6s);
  EXPECT_EQ(s.refused(), errc::open);
  s.after(2s);
  std::move(late).success(s.now());
  EXPECT_EQ(s.state(), breaker_state::open);  // S2, S5: never closes by itself
  EXPECT_EQ(s.look().next_lease, 8s + 1ms);
  EXPECT_EQ(s.totals().late_successes, 1U);
}

TEST(circuit_breaker, learns_nothing_from_failures_ordinary_calls_or_in_other_states) {
  tripped s{with(plain_breaker(), [](auto& c) { c.lease_doubles = false; })};
  auto first = s.probe();
  s.after(6s);
  EXPECT_EQ(s.refused(), errc::open);
  auto second = s.probe();
  std::move(first).failure(s.now());
  EXPECT_EQ(s.look().next_lease, 5s);
  s.after(6s);
  EXPECT_EQ(s.refused(), errc::open);
  s.breaker.force_open(s.now());
  std::move(second).success(s.now());
  EXPECT_EQ(s.look().next_lease, 5s);
}

TEST(circuit_breaker, a_learnt_lease_is_bounded) {
  tripped s{with(plain_breaker(), [](auto& c) { c.max_probe_timeout = 7s; })};
  auto late = s.probe();
  s.after(1h);
  auto next = s.admitted();
  std::move(late).success(s.now());
  EXPECT_EQ(s.look().next_lease, 7s);
}

TEST(circuit_breaker, recovers_although_every_reply_takes_longer_than_the_base_lease) {  // L3
  for (bool const by_doubling : {true, false}) {
    auto const c = with(plain_breaker(), [&](auto& c) {
      c.lease_doubles = by_doubling;
      c.lease_learns = !by_doubling;
    });
    tripped s{c};
    std::vector<std::pair<instant, permit>> replies;
    for (int step = 0; step < 10'000 && s.state() != breaker_state::closed; ++step) {
      if (!replies.empty() && replies.front().first <= s.now()) {
        std::move(replies.front().second).success(s.now());
        replies.erase(replies.begin());
      }
      if (auto p = s.ask()) replies.emplace_back(s.now() + 31s, *std::move(p));
      s.after(100ms);
    }
    EXPECT_EQ(s.state(), breaker_state::closed) << (by_doubling ? "doubling" : "evidence");
  }
}

TEST(circuit_breaker,
     never_recovers_from_such_delays_with_a_lease_that_neither_doubles_nor_learns) {  // naive twin
  tripped s{with(plain_breaker(), [](auto& c) { c.lease_doubles = c.lease_learns = false; })};
  std::vector<std::pair<instant, permit>> replies;
  for (int step = 0; step < 10'000; ++step) {
    if (!replies.empty() && replies.front().first <= s.now()) {
      std::move(replies.front().second).success(s.now());
      replies.erase(replies.begin());
    }
    if (auto p = s.ask()) replies.emplace_back(s.now() + 31s, *std::move(p));
    s.after(100ms);
    ASSERT_NE(s.state(), breaker_state::closed);
  }
}

// --- ramp

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

// --- operators (S7)

TEST(circuit_breaker, forced_open_refuses_for_ever_with_the_configured_retry_after) {
  tripped s;
  s.breaker.force_open(s.now());
  s.after(10h);
  EXPECT_EQ(s.refused(), errc::forced_open);
  EXPECT_EQ(s.ask().error().retry_after, 30s);
  EXPECT_EQ(s.breaker.status(s.now()).retry_after, 30s);
  EXPECT_FALSE(s.breaker.would_admit(s.now()));
}

TEST(circuit_breaker, disabled_admits_all_and_the_window_does_not_count) {
  breaker_subject s{plain_breaker()};
  s.breaker.disable(s.now());
  s.calls(50, outcome::failure);
  s.calls(50, outcome::success);
  EXPECT_EQ(s.state(), breaker_state::disabled);
  EXPECT_EQ(s.look().window, window_counts{});
  EXPECT_EQ(s.totals().failures, 50U);
  EXPECT_EQ(s.totals().successes, 50U);
}

TEST(circuit_breaker, metrics_only_says_what_it_would_have_done_each_time_the_condition_turns_true) {
  breaker_subject s{plain_breaker()};
  s.breaker.metrics_only(s.now());
  s.calls(5, outcome::failure);
  s.call(outcome::success);
  s.calls(2, outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::metrics_only);
  ASSERT_EQ(s.events.size(), 3U);
  EXPECT_EQ(s.events[1].kind, breaker_event_kind::would_trip);
  EXPECT_EQ(s.events[1].counts.failures, 2U);
  EXPECT_EQ(s.events[2].kind, breaker_event_kind::would_trip);
}

TEST(circuit_breaker, no_result_and_no_time_leaves_an_operators_state) {
  for (auto const act :
       {&circuit_breaker::force_open, &circuit_breaker::disable, &circuit_breaker::metrics_only}) {
    tripped s;
    auto probe = s.probe();
    (s.breaker.*act)(s.now());
    auto const forced = s.state();
    EXPECT_TRUE(is_operators(forced));
    s.after(1h);  // the lease has run out, too
    std::move(probe).success(s.now());
    if (auto p = s.ask()) std::move(*p).failure(s.now());
    EXPECT_EQ(s.state(), forced);
    s.breaker.auto_(s.now());
    EXPECT_EQ(s.state(), breaker_state::closed);
  }
}

TEST(circuit_breaker, automatic_and_reset_begin_anew_from_every_state) {
  for (auto const act : {&circuit_breaker::auto_, &circuit_breaker::reset}) {
    breaker_subject s{plain_breaker()};
    s.call(outcome::failure);
    auto early = s.admitted();
    (s.breaker.*act)(s.now());  // closed -> closed is a new epoch, too
    EXPECT_EQ(s.look().epoch, 1U);
    EXPECT_EQ(s.look().window, window_counts{});
    std::move(early).failure(s.now());
    EXPECT_EQ(s.totals().late_failures, 1U);
    s.calls(2, outcome::failure);
    s.wait_out();
    auto lost = s.admitted();
    s.after(6s);
    EXPECT_EQ(s.refused(), errc::open);
    (s.breaker.*act)(s.now());
    EXPECT_EQ(s.look().openings, 0U);
    EXPECT_EQ(s.look().next_lease, 5s);
    s.call(outcome::success);
    s.expect_one_event_an_epoch();
  }
}

TEST(circuit_breaker, the_same_operators_act_twice_is_one) {
  breaker_subject s{plain_breaker()};
  s.breaker.force_open(s.now());
  s.breaker.force_open(s.now());
  EXPECT_EQ(s.events.size(), 1U);
}

// --- time

TEST(circuit_breaker, time_does_not_go_back) {
  tripped s;
  s.after(10s);
  auto probe = s.admitted();
  EXPECT_EQ(s.breaker.try_acquire(instant{1s}).error().retry_after, 5s);
  std::move(probe).failure(instant{2s});
  EXPECT_EQ(s.look().until, instant{30s});
}

TEST(circuit_breaker, survives_a_jump_far_ahead_and_time_that_stands_still) {
  tripped s;
  s.after(std::chrono::hours{24 * 365 * 100});
  auto probe = s.admitted();
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
  std::move(probe).success(s.now());
  EXPECT_EQ(s.state(), breaker_state::closed);
  for (int i = 0; i < 100; ++i) s.call(outcome::success);
}

TEST(circuit_breaker, deadlines_saturate_at_the_end_of_time) {
  breaker_subject s{plain_breaker()};
  s.clock.set(instant::max() - 1ns);
  s.clock.set(instant{duration::max() - 1ns});
  s.calls(2, outcome::failure);
  EXPECT_EQ(s.refused(), errc::open);
  EXPECT_GE(s.ask().error().retry_after, 0s);
}

TEST(circuit_breaker, reads_its_own_clock_where_nobody_says_the_time) {
  breaker_subject s{plain_breaker()};
  s.after(3s);
  for (int i = 0; i < 2; ++i) std::move(*s.breaker.try_acquire()).failure();
  EXPECT_EQ(s.look().since, instant{3s});
  s.after(10s);
  auto probe = s.breaker.try_acquire();
  EXPECT_EQ(probe->deadline(), instant{18s});
  std::move(*probe).success();
  EXPECT_EQ(s.state(), breaker_state::closed);
}

// --- reload

TEST(circuit_breaker, new_settings_keep_state_deadline_and_permits) {
  tripped s;
  auto const before = s.look();
  auto c = plain_breaker();
  c.open_for.initial = 1s;
  c.probe_timeout = 2s;
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  EXPECT_EQ(s.look().state, before.state);
  EXPECT_EQ(s.look().epoch, before.epoch);
  EXPECT_EQ(s.look().until, before.until);
  auto probe = s.probe();
  c.probes = 3;
  c.required_successes = 3;
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  auto second = s.admitted();
  auto third = s.admitted();
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
  for (auto* p : {&probe, &second, &third}) std::move(*p).success(s.now());
  EXPECT_EQ(s.state(), breaker_state::closed);
  EXPECT_EQ(s.totals().in_flight(), 0U);
}

TEST(circuit_breaker, fewer_probes_and_successes_by_reload_do_not_strand_half_open) {
  tripped s{with(plain_breaker(), [](auto& c) { c.probes = 3, c.required_successes = 3; })};
  s.wait_out();
  s.calls(2, outcome::success);
  ASSERT_TRUE(s.breaker.reconfigure(plain_breaker(), s.now()));
  s.call(outcome::success);
  EXPECT_EQ(s.state(), breaker_state::closed);
}

TEST(circuit_breaker, bad_settings_change_nothing) {
  breaker_subject s{plain_breaker()};
  auto bad = plain_breaker();
  bad.probes = 0;
  EXPECT_FALSE(s.breaker.reconfigure(bad, s.now()));
  EXPECT_EQ(s.breaker.config(), plain_breaker());
}

}  // namespace
}  // namespace halfopen
