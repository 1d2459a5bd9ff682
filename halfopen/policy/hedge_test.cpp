#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <halfopen/base/random.hpp>
#include <halfopen/policy/call.hpp>
#include <halfopen/policy/circuit_breaker_layer.hpp>
#include <halfopen/policy/hedge.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/retry.hpp>
#include <halfopen/policy/timeout.hpp>
#include <halfopen/policy/virtual_runtime.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;
using namespace halfopen::literals;

constexpr ended good{};
constexpr ended failed{.result = result_class::failure, .why = errc::failed};

class hedges : public testing::Test {
 protected:
  hedges() {
    for (int i = 0; i < 50; ++i) budget.on_call();
  }
  void expect_all_given_back() const {
    EXPECT_EQ(budget.snapshot().out, 0U);
    EXPECT_EQ(cells.sum().in_flight(), 0U);
  }

  instant now{1h};
  retry_budget budget{{.ratio = 20_percent, .minimum_per_second = 0}};
  breaker_cells cells = breaker_cells::one();
  circuit_breaker breaker{{.window = call_window<100>{}}, {.cells = &cells, .now = now}};
  hedge policy{{.after = 50ms}, budget};
  pipeline<timeout, hedge&, circuit_breaker&, timeout> pipe{timeout{800ms, "call"}, policy, breaker,
                                                            timeout{250ms, "attempt"}};
  decltype(pipe)::call_type c = pipe.make_call();
  attempt a{.repeat = repeat::at_once};
  ended e;
};

TEST_F(hedges, begin_a_second_attempt_when_the_first_takes_long) {
  EXPECT_EQ(c.start(now, a, e), step::descend);
  EXPECT_EQ(c.branch(), 0);
  EXPECT_EQ(c.wake_at(), now + 50ms);
  EXPECT_EQ(c.wake(now + 50ms, e), step::descend);
  EXPECT_EQ(c.branch(), 1);
  EXPECT_EQ(c.below().number, 2U);
  EXPECT_EQ(c.below().deadline, now + 300ms) << "its own attempt's timeout";
  EXPECT_EQ(budget.snapshot().out, 1U);
  EXPECT_EQ(c.wake_at(), now + 250ms);
}

TEST_F(hedges, take_the_first_good_answer_and_call_the_other_off) {
  c.start(now, a, e);
  c.wake(now + 50ms, e);
  EXPECT_EQ(c.done(now + 60ms, e = good, 1), step::abort_below);
  EXPECT_EQ(c.branch(), 0) << "the first attempt is the loser";
  EXPECT_TRUE(c.in_flight(0));
  EXPECT_EQ(budget.snapshot().out, 0U);
  EXPECT_EQ(c.done(now + 60ms, e = ended::called_off(), 0), step::complete);
  EXPECT_EQ(e.result, result_class::success);
  EXPECT_EQ(e.branch, 1);
  EXPECT_EQ(e.attempts, 2U);
  expect_all_given_back();
  EXPECT_EQ(cells.sum().successes, 1U) << "the loser is neutral";
}

TEST_F(hedges, keep_the_first_attempts_answer_when_it_comes_first_after_all) {
  c.start(now, a, e);
  c.wake(now + 50ms, e);
  EXPECT_EQ(c.done(now + 60ms, e = good, 0), step::abort_below);
  EXPECT_EQ(c.branch(), 1);
  EXPECT_EQ(c.done(now + 60ms, e = good, 1), step::complete) << "too late to be called off, and not taken";
  EXPECT_EQ(e.branch, 0);
  expect_all_given_back();
}

TEST_F(hedges, wait_for_the_other_attempt_when_one_fails) {
  for (std::uint8_t const first : {std::uint8_t{0}, std::uint8_t{1}}) {
    auto call = pipe.make_call();
    call.start(now, a, e);
    call.wake(now + 50ms, e);
    EXPECT_EQ(call.done(now + 60ms, e = failed, first), step::stay);
    EXPECT_EQ(call.done(now + 70ms, e = good, static_cast<std::uint8_t>(1 - first)), step::complete);
    EXPECT_EQ(e.result, result_class::success);
    expect_all_given_back();
  }
}

TEST_F(hedges, end_as_a_failure_where_both_fail) {
  c.start(now, a, e);
  c.wake(now + 50ms, e);
  c.done(now + 60ms, e = failed, 1);
  EXPECT_EQ(c.done(now + 70ms, e = failed, 0), step::complete);
  EXPECT_EQ(e.result, result_class::failure);
  EXPECT_EQ(e.attempts, 2U);
  expect_all_given_back();
}

// failsafe-go#141: a budget that was exceeded made the hedged call fail.
TEST_F(hedges, field_66_refused_by_the_budget_leave_the_first_attempt_untouched) {
  retry_budget empty{{.ratio = 20_percent, .minimum_per_second = 0}};
  pipeline p{hedge{{.after = 50ms}, empty}, timeout{250ms}};
  auto call = p.make_call();
  call.start(now, a, e);
  EXPECT_EQ(call.wake(now + 50ms, e), step::stay);
  EXPECT_EQ(call.wake_at(), now + 250ms) << "asked once";
  EXPECT_EQ(call.done(now + 60ms, e = good), step::complete);
  EXPECT_EQ(e.attempts, 1U);
  EXPECT_EQ(empty.snapshot().refused, 1U);
}

TEST_F(hedges, field_66_refused_by_a_breaker_leave_the_first_attempt_untouched) {
  auto const saved = budget.snapshot().saved_hundredths;
  c.start(now, a, e);
  breaker.force_open(now);
  EXPECT_EQ(c.wake(now + 50ms, e), step::stay);
  EXPECT_FALSE(c.in_flight(1));
  EXPECT_EQ(c.wake_at(), now + 250ms);
  EXPECT_EQ(budget.snapshot().saved_hundredths, saved + 20U) << "never sent: given back";
  EXPECT_EQ(c.done(now + 70ms, e = failed, 0), step::complete);
  EXPECT_EQ(e.result, result_class::failure);
  EXPECT_EQ(e.attempts, 1U);
  expect_all_given_back();
}

TEST_F(hedges, keep_the_first_failure_where_the_second_attempt_is_refused_afterwards) {
  struct refuses_late {  // a layer that waits, and then refuses
    struct half {
      int* started;
      instant alarm = instant::max();
      step start(instant t, attempt&, ended&) {
        if ((*started)++ == 0) return step::descend;
        alarm = t + 100ms;
        return step::stay;
      }
      static step done(instant, ended&) { return step::complete; }
      step wake(instant, ended& end) {
        alarm = instant::max();
        end = {.result = result_class::refused, .why = errc::open, .who = "late"};
        return step::complete;
      }
      [[nodiscard]] instant wake_at() const { return alarm; }
      void abandon(instant) { alarm = instant::max(); }
    };
    int started = 0;
    half make_layer() { return {&started}; }
  };
  pipeline p{policy, refuses_late{}};
  auto call = p.make_call();
  call.start(now, a, e);
  EXPECT_EQ(call.wake(now + 50ms, e), step::stay);
  EXPECT_EQ(call.done(now + 60ms, e = failed, 0), step::stay);
  EXPECT_EQ(call.wake(now + 150ms, e), step::complete);
  EXPECT_EQ(e.result, result_class::failure);
  expect_all_given_back();
}

TEST_F(hedges, are_made_only_for_calls_that_may_run_twice_at_once) {
  for (auto const r : {repeat::never, repeat::later}) {
    auto call = pipe.make_call();
    attempt plain{.repeat = r};
    call.start(now, plain, e);
    EXPECT_EQ(call.wake_at(), now + 250ms);
    call.abandon(now);
  }
}

TEST_F(hedges, are_not_made_for_a_breakers_probe) {
  circuit_breaker outside{{.window = consecutive{1}}, {.now = now}};
  std::move(*outside.try_acquire(now)).failure(now);
  pipeline p{outside, policy};
  auto call = p.make_call();
  EXPECT_EQ(call.start(now + 2s, a, e), step::descend);
  EXPECT_TRUE(call.below().probe);
  EXPECT_TRUE(call.wake_at().is_never());
  call.abandon(now + 2s);
}

TEST_F(hedges, are_not_retries_a_quick_failure_is_the_answer) {
  c.start(now, a, e);
  EXPECT_EQ(c.done(now + 10ms, e = failed), step::complete);
  EXPECT_EQ(e.attempts, 1U);
}

TEST_F(hedges, end_with_the_call_and_give_everything_back) {
  c.start(now, a, e);
  c.wake(now + 50ms, e);
  EXPECT_EQ(c.wake(now + 800ms, e), step::abort_below);
  EXPECT_EQ(c.branch(), 0);
  EXPECT_EQ(c.done(now + 800ms, e = ended::called_off(), 0), step::abort_below);
  EXPECT_EQ(c.branch(), 1);
  EXPECT_EQ(c.done(now + 800ms, e = ended::called_off(), 1), step::complete);
  EXPECT_EQ(e.who, "call");
  expect_all_given_back();
}

TEST_F(hedges, are_given_back_when_the_caller_goes_at_any_moment) {
  for (int steps = 0; steps < 4; ++steps) {
    auto call = pipe.make_call();
    call.start(now, a, e);
    if (steps > 0) call.wake(now + 50ms, e);
    if (steps == 2) call.done(now + 60ms, e = failed, 0);
    if (steps == 3) call.done(now + 60ms, e = good, 1);
    call.abandon(now + 70ms);
    expect_all_given_back();
    EXPECT_FALSE(call.in_flight());
  }
}

TEST_F(hedges, time_out_each_for_itself) {
  c.start(now, a, e);
  c.wake(now + 50ms, e);
  EXPECT_EQ(c.wake(now + 250ms, e), step::abort_below);
  EXPECT_EQ(c.branch(), 0);
  EXPECT_EQ(c.done(now + 250ms, e = ended::called_off(), 0), step::stay);
  EXPECT_EQ(c.wake_at(), now + 300ms);
  EXPECT_EQ(c.wake(now + 300ms, e), step::abort_below);
  EXPECT_EQ(c.branch(), 1);
  EXPECT_EQ(c.done(now + 300ms, e = ended::called_off(), 1), step::complete);
  EXPECT_EQ(e.why, errc::timed_out);
  EXPECT_EQ(e.who, "attempt");
}

TEST_F(hedges, share_the_budget_with_retries_and_each_call_adds_its_share_once) {
  retry_budget both{{.ratio = 50_percent, .minimum_per_second = 0}};
  pipeline p{retry{{.attempts_max = 3, .backoff = constant_backoff(1ms)}, both},
             hedge{{.after = 50ms}, both}};
  auto call = p.make_call();
  call.start(now, a, e);
  EXPECT_EQ(both.snapshot().saved_hundredths, 50U);
  call.abandon(now);
  call = p.make_call();
  call.start(now, a, e);
  EXPECT_EQ(call.wake(now + 50ms, e), step::descend) << "two calls have saved up one hedge";
  call.done(now + 60ms, e = failed, 0);
  EXPECT_EQ(call.done(now + 60ms, e = failed, 1), step::complete) << "nothing is left for a retry";
  EXPECT_EQ(e.gave_up, give_up::no_budget);
}

TEST_F(hedges, begin_anew_with_each_retry) {
  pipeline p{retry{{.attempts_max = 2, .backoff = constant_backoff(0ms)}, budget}, policy, breaker};
  auto call = p.make_call();
  call.start(now, a, e);
  EXPECT_EQ(call.wake(now + 50ms, e), step::descend);
  EXPECT_EQ(call.done(now + 60ms, e = failed, 1), step::stay);
  EXPECT_EQ(call.done(now + 60ms, e = failed, 0), step::descend);
  EXPECT_EQ(call.branch(), 0);
  EXPECT_EQ(call.wake(now + 110ms, e), step::descend);
  EXPECT_EQ(call.branch(), 1);
  EXPECT_EQ(call.done(now + 120ms, e = good, 1), step::abort_below);
  EXPECT_EQ(call.done(now + 120ms, e = ended::called_off(), 0), step::complete);
  EXPECT_EQ(e.attempts, 4U);
  expect_all_given_back();
}

TEST_F(hedges, under_the_blocking_driver_are_not_made_while_the_operation_runs) {
  virtual_runtime const time{now};
  auto const r = call<int>(
      pipe, [&](attempt) { return now += 200ms, 7; }, {.repeat = repeat::at_once}, classify_by_kind{}, time);
  EXPECT_EQ(*r, 7);
  EXPECT_EQ(r.story().attempts, 1U);
  EXPECT_EQ(budget.snapshot().charged, 0U);
}

TEST_F(hedges, under_the_blocking_driver_run_beside_an_attempt_that_only_waits) {
  virtual_runtime const time{now};
  pipeline p{policy, retry{{.attempts_max = 2, .backoff = constant_backoff(100ms)}}};
  std::vector<instant> sent;
  auto const r = call<int>(
      p,
      [&](attempt) {
        sent.push_back(now);
        return sent.size() == 1 ? throw std::runtime_error{"reset"} : 7;
      },
      {.repeat = repeat::at_once}, classify_by_kind{}, time);
  EXPECT_EQ(*r, 7);
  EXPECT_EQ(r.story().branch, 1);
  EXPECT_EQ(sent, (std::vector<instant>{instant{1h}, instant{1h} + 50ms}));
  expect_all_given_back();
}

TEST_F(hedges, wait_as_long_as_most_attempts_take) {
  hedge observing{{.after = 500ms, .observed = 95_percent, .samples_min = 64}, budget};
  pipeline p{observing};
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(observing.after() == duration{500ms}, i < 64) << i;
    auto call = p.make_call();
    call.start(now, a, e);
    call.done(now + (i % 10 == 0 ? 40ms : 10ms), e = good);
  }
  EXPECT_GE(observing.after(), 40ms);
  EXPECT_LE(observing.after(), 40ms * 17 / 16);
}

TEST_F(hedges, list_what_is_wrong_with_their_settings) {
  hedge_config const c{.after = -1s, .observed = percent{101}, .after_min = 2s, .after_max = 1s};
  EXPECT_EQ(validate(c).size(), 3U);
  EXPECT_THROW((hedge{c, budget}), std::invalid_argument);
}

static_assert(latency_buckets::of(duration{0}) == 0 && latency_buckets::of(duration::max()) == 383);

TEST(latency_quantile, is_never_too_low_and_too_high_by_a_sixteenth_at_most) {
  rc::check([] {
    auto const took = duration{*rc::gen::inRange<std::int64_t>(0, duration{60s}.count())};
    auto const bucket = latency_buckets::of(took);
    RC_ASSERT(latency_buckets::highest_of(bucket) >= took);
    RC_ASSERT(latency_buckets::highest_of(bucket) <= took + took / 16 + 1024ns);
    auto const below_it = bucket == 0 ? duration{-1} : latency_buckets::highest_of(bucket - 1);
    RC_ASSERT(below_it < took);
  });
}

TEST(latency_quantile, agrees_with_sorting) {
  rc::check([] {
    auto samples = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 10'000'000'000)));
    percent const share{*rc::gen::inRange<std::uint8_t>(1, 101)};
    std::vector<std::uint32_t> counts(latency_buckets::count);
    for (auto const s : samples) ++counts[latency_buckets::of(duration{s})];
    auto const q =
        latency_buckets::quantile([&](std::uint32_t i) { return counts[i]; }, samples.size(), share);
    std::sort(samples.begin(), samples.end());
    auto const exact = samples[(samples.size() * share.value + 99) / 100 - 1];
    RC_ASSERT(latency_buckets::of(q) == latency_buckets::of(duration{exact}));
  });
}

TEST(latency_quantile, follows_what_happens_now) {
  latency_quantile p95{95_percent};
  for (int i = 0; i < 100'000; ++i) p95.record(10ms);
  EXPECT_NEAR(static_cast<double>(p95.value(1).count()), 10e6, 1e6);
  for (int i = 0; i < 8'000; ++i) p95.record(100ms);
  EXPECT_NEAR(static_cast<double>(p95.value(1).count()), 100e6, 7e6);
  for (int i = 0; i < 40'000; ++i) p95.record(10ms);
  EXPECT_NEAR(static_cast<double>(p95.value(1).count()), 10e6, 1e6) << "what is old fades";
}

TEST(latency_quantile, counts_for_threads) {
  latency_quantile p50{50_percent};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&p50, t] {
      for (std::uint64_t i = 0; i < 20'000; ++i)
        p50.record(duration{
            static_cast<std::int64_t>(5'000'000 + below(mix(static_cast<std::uint64_t>(t), i), 10'000'000))});
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_NEAR(static_cast<double>(p50.value(1).count()), 10e6, 1e6);
}

}  // namespace
}  // namespace halfopen
