// Failures that users of other systems reported, each impossible here. The numbers are public issues.
// Half-open and its probes are in circuit_breaker_field_half_open_test.cpp.
#include <future>
#include <thread>

#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

// --- late results

// Polly#217, #218: each late failure raised onBreak again, and a call from before the outage decided
// half-open.
TEST(field_late_results, raise_nothing_and_decide_nothing) {
  breaker_subject s{plain_breaker()};
  std::vector<permit> early;
  for (int i = 0; i < 20; ++i) early.push_back(s.admitted());
  s.calls(2, outcome::failure);
  auto const until = s.look().until;
  for (int i = 0; i < 10; ++i) std::move(early[static_cast<std::size_t>(i)]).failure(s.now());
  EXPECT_EQ(s.events.size(), 1U);
  EXPECT_EQ(s.look().until, until);
  s.wait_out();
  auto probe = s.admitted();
  for (int i = 10; i < 20; ++i) std::move(early[static_cast<std::size_t>(i)]).success(s.now());
  EXPECT_EQ(s.state(), breaker_state::half_open);
  EXPECT_EQ(s.totals().late_failures, 10U);
  EXPECT_EQ(s.totals().late_successes, 10U);
}

// resilience4j#1366: half-open -> open though both probes succeeded and the metrics said 0 failures.
TEST(field_opening, says_what_justified_it) {
  breaker_subject s{{.window = call_window{.size = 10}, .minimum_calls = 4}};
  s.calls(2, outcome::success);
  s.calls(2, outcome::failure);
  EXPECT_EQ(s.events.back().counts, (window_counts{4, 2, 0}));
  s.wait_out();
  s.call(outcome::failure);
  EXPECT_EQ(s.events.back().counts, (window_counts{1, 1, 0}));
}

// agentic_security#328: a failure in half-open was swallowed by a sample gate, then three successes closed.
TEST(field_failed_probe, is_never_forgotten) {
  opened s{with(plain_breaker(), [](auto& c) { c.required_successes = 3; })};
  s.call(outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::open);
}

// --- races and split state

// resilience4j#674, #562: the loser of the race into half-open threw into the user's call. #1653: it counted
// thrice.
TEST(field_race_into_half_open, has_one_winner_and_the_loser_is_just_refused_once) {
  for (int round = 0; round < 50; ++round) {
    opened s;
    std::atomic<int> won{0};
    std::vector<permit> kept[2];
    auto const race = [&](std::vector<permit>& mine) {
      auto p = s.breaker.try_acquire(s.now());
      if (p) mine.push_back(*std::move(p));
      won.fetch_add(p ? 1 : 0);
    };
    std::thread one{race, std::ref(kept[0])};
    std::thread two{race, std::ref(kept[1])};
    one.join();
    two.join();
    EXPECT_EQ(won.load(), 1);
    EXPECT_EQ(s.totals().refused(), 1U);
    EXPECT_EQ(s.totals().refused_probe_in_flight, 1U);
    s.expect_one_event_an_epoch();
  }
}

// resilience4j#2034, #674: recovery hung on a background thread.
TEST(field_recovery, needs_no_thread_and_no_timer) {
  opened s;
  s.after(24h);
  EXPECT_EQ(s.state(), breaker_state::open);  // nothing happens by itself
  s.call(outcome::success);
  EXPECT_EQ(s.state(), breaker_state::closed);
}

// Hystrix#1640, #1665: open without its deadline: admits for ever. Hystrix and Sentinel published the state
// first.
TEST(field_open, is_never_seen_without_its_deadline) {
  auto const c = with(plain_breaker(), [](auto& c) { c.window = consecutive{1}; });
  circuit_breaker b{c, {.now = instant{}}};
  std::atomic<bool> stop{false};
  std::thread flapper{[&] {
    for (int i = 0; i < 3000; ++i) {
      if (auto p = b.try_acquire(instant{})) std::move(*p).failure(instant{});
      b.reset(instant{});
    }
    stop = true;
  }};
  // The time never reaches any deadline: whoever is refused for `open` is told the whole back-off, and no
  // probe is sent.
  while (!stop) {
    auto p = b.try_acquire(instant{});
    if (p) {
      EXPECT_FALSE(p->is_probe());
      std::move(*p).ignored(instant{});
    } else {
      EXPECT_EQ(p.error().retry_after, 10s);
    }
  }
  flapper.join();
}

// go x/time/rate#71360, pd#10745, Sentinel#586, node-rate-limiter#48: a time from before the lock moved the
// clock back.
TEST(field_stale_time, does_not_move_anything_back) {
  breaker_subject s{{.window = time_window{.length = 10s}, .minimum_calls = 3}};
  s.after(100s);
  s.calls(2, outcome::failure);
  auto p = s.breaker.try_acquire(instant{5s});
  std::move(*p).failure(instant{5s});  // counted now, not in a bucket of the past, and not thrown away
  EXPECT_EQ(s.state(), breaker_state::open);
  EXPECT_EQ(s.look().since, instant{100s});
}

// resilience4j#1569: a failure inside the completion released the permit a second time. tonic#2673: results
// lost between reading the counters and resetting them.
TEST(field_permit, is_released_exactly_once_whatever_happens_around_it) {
  breaker_subject s{plain_breaker()};
  try {
    auto p = s.admitted();
    std::move(p).failure(s.now());
    throw std::runtime_error{"in the completion"};
  } catch (std::runtime_error const&) {
  }
  EXPECT_EQ(s.look().window.failures, 1U);
  EXPECT_EQ(s.totals().settled(), 1U);
}

// AegisAI#1152: the check and the record were apart. Here the record needs the check's permit, which nobody
// else makes.
template <class T>
concept can_report_without_a_permit =
    requires(T b) { b.record_success(); } || requires(T b) { b.on_success(); };
static_assert(!can_report_without_a_permit<circuit_breaker>);
static_assert(!std::is_default_constructible_v<permit>);

// --- counts

// opossum: rejected, cached and running calls diluted the rate.
TEST(field_rate, is_failures_among_ended_calls_that_say_something) {
  breaker_subject s{{.window = call_window{.size = 100}, .minimum_calls = 4}};
  std::vector<permit> running;
  for (int i = 0; i < 50; ++i) running.push_back(s.admitted());
  s.calls(20, outcome::ignored);
  s.calls(2, outcome::success);
  s.call(outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::closed);
  s.call(outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::open);
  EXPECT_EQ(s.totals().in_flight(), 50U);
}

// envoy#12816, #44164, resilience4j#1653: a rejection counted under another reason, twice, or thrice.
TEST(field_rejection, counts_once_under_its_own_reason) {
  opened s{with(plain_breaker(), [](auto& c) { c.ramp = 10s; })};
  auto probe = s.admitted();
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
  std::move(probe).failure(s.now());
  EXPECT_EQ(s.refused(), errc::open);
  s.wait_out();
  s.call(outcome::success);
  s.call(outcome::success);
  EXPECT_EQ(s.refused(), errc::ramping);
  s.breaker.force_open(s.now());
  EXPECT_EQ(s.refused(), errc::forced_open);
  auto const t = s.totals();
  EXPECT_EQ(t.refused_probe_in_flight, 1U);
  EXPECT_EQ(t.refused_open, 1U);
  EXPECT_EQ(t.refused_ramping, 1U);
  EXPECT_EQ(t.refused_forced_open, 1U);
}

// brpc#3532, cerberus#738, gobreaker#107: the caller's cancellation counted as a failure.
// resilience4j#568: three kinds of results, in every state.
TEST(field_cancellation, is_neutral_in_every_state) {
  for (outcome const how : {outcome::abandoned, outcome::ignored}) {
    breaker_subject s{plain_breaker()};
    s.call(outcome::failure);
    s.calls(100, how);
    EXPECT_EQ(s.state(), breaker_state::closed);
    EXPECT_EQ(s.look().window.failures, 1U);  // nor a success: it does not end the row
    s.call(outcome::failure);
    s.wait_out();
    s.call(how);
    EXPECT_EQ(s.state(), breaker_state::half_open);
    EXPECT_EQ(s.look().probes_out, 0U);
    for (auto const act : {&circuit_breaker::disable, &circuit_breaker::metrics_only}) {
      (s.breaker.*act)(s.now());
      s.calls(5, how);
      EXPECT_EQ(s.look().window, window_counts{});
    }
  }
}

// --- callbacks, reload, lifetime

// Polly#2953: completion ran the continuation inline, and it used the same breaker: deadlock.
TEST(field_callback, may_call_through_the_same_breaker) {
  class caller final : public breaker_observer {
   public:
    void on_event(breaker_event const&) override {
      if (auto p = breaker->try_acquire(instant{}))
        std::move(*p).failure(instant{});
      else
        breaker->reset(instant{});
      ++told;
    }
    circuit_breaker* breaker = nullptr;
    int told = 0;
  } observer;
  circuit_breaker b{plain_breaker(), {.observer = &observer, .now = instant{}}};
  observer.breaker = &b;
  for (int i = 0; i < 2; ++i) std::move(*b.try_acquire(instant{})).failure(instant{});
  EXPECT_EQ(observer.told, 2);  // open: refused, so it resets; closed: one failure
  EXPECT_EQ(b.snapshot(instant{}).window.failures, 1U);
}

// Polly#1578: a reload disposed of the controller while calls were running.
TEST(field_reload, keeps_permits_that_are_out) {
  breaker_subject s{{.window = call_window{.size = 10}, .minimum_calls = 2}};
  auto p = s.admitted();
  auto q = s.admitted();
  auto c = s.breaker.config();
  c.window = call_window{.size = 1000};
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  std::move(p).failure(s.now());
  c.window = time_window{.length = 60s};
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  std::move(q).failure(s.now());
  EXPECT_EQ(s.look().window.failures, 1U);
  EXPECT_EQ(s.totals().in_flight(), 0U);
}

// Sentinel#2901, #1990: any change of a rule rebuilt the breaker, closed. otoroshi#883: new settings were
// ignored.
TEST(field_reload, of_an_unrelated_field_keeps_state_window_and_deadline_and_takes_the_new_value) {
  breaker_subject s{plain_breaker()};
  s.call(outcome::failure);
  auto c = s.breaker.config();
  c.open_for.initial = 3s;
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  EXPECT_EQ(s.look().window.failures, 1U);
  s.call(outcome::failure);
  EXPECT_EQ(s.look().retry_after, 3s);
  auto const until = s.look().until;
  c.open_for.initial = 7s;
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  EXPECT_EQ(s.look().until, until);
  EXPECT_EQ(s.state(), breaker_state::open);
}

// --- found by reading others' sources

// A late ignored result in half-open raised the permits above the configured number.
TEST(field_source, a_late_neutral_result_adds_no_probe) {
  breaker_subject s{plain_breaker()};
  auto early = s.admitted();
  s.calls(2, outcome::failure);
  s.wait_out();
  auto probe = s.admitted();
  std::move(early).ignored(s.now());
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
}

// A half-open timer that was running already overwrote forced-open.
TEST(field_source, forced_open_outlives_a_lease_that_runs_out_and_a_probe_that_succeeds) {
  opened s;
  auto probe = s.admitted();
  s.breaker.force_open(s.now());
  s.after(1h);
  EXPECT_EQ(s.refused(), errc::forced_open);
  std::move(probe).success(s.now());
  EXPECT_EQ(s.state(), breaker_state::forced_open);
}

// The timer of a prober that was set before a reset opened the breaker early after a second trip.
TEST(field_source, an_earlier_openings_time_does_not_open_a_later_one) {
  breaker_subject s{plain_breaker()};
  s.calls(2, outcome::failure);
  s.after(9s);
  s.breaker.reset(s.now());
  s.calls(2, outcome::failure);
  s.after(1s);  // when the first opening would have ended
  EXPECT_EQ(s.refused(), errc::open);
}

// brpc: an error in no time counted as a success.
TEST(field_source, a_failure_in_no_time_is_a_failure) {
  breaker_subject s{with(plain_breaker(), [](auto& c) { c.slow_after = 1s; })};
  s.admitted().failure(0ns);
  s.admitted().failure(s.now());
  EXPECT_EQ(s.state(), breaker_state::open);
}

}  // namespace
}  // namespace halfopen
