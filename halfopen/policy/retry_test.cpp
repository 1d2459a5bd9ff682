#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <halfopen/policy/call.hpp>
#include <halfopen/policy/circuit_breaker_layer.hpp>
#include <halfopen/policy/layer_contract.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/retry.hpp>
#include <halfopen/policy/timeout.hpp>
#include <halfopen/policy/virtual_runtime.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;
using namespace halfopen::literals;

constexpr ended failed{.result = result_class::failure, .why = errc::failed};

retry_config three_times(duration wait) { return {.attempts_max = 3, .backoff = constant_backoff(wait)}; }

// The machine, as a value: three attempts, then it has used them up.
constexpr retry_answer third_end() {
  retry_config const c{.attempts_max = 3, .backoff = constant_backoff(10ms)};
  retry_state s;
  s.retries = 2;
  return decide(s, c, failed, instant{}, 1);
}
static_assert(third_end().why_not == give_up::attempts_used);

class retries : public testing::Test {
 protected:
  template <class Pipeline, class Op>
  auto run(Pipeline& p, Op op, call_options const& options = {}) {
    return call<int>(
        p,
        [&](attempt a) {
          seen.push_back(a.number);
          return op(a);
        },
        options, by_value, time);
  }

  static verdict by_value(int const& v) {
    if (v == 429) return {result_class::throttled, 3s};
    if (v == 400) return result_class::ignored;
    if (v == 501) return verdict{result_class::failure}.final();
    if (v == 503) return verdict{result_class::failure}.given_up();
    return v >= 500 ? result_class::failure : result_class::success;
  }
  static int fail(attempt) { return 500; }

  instant now{1h};
  virtual_runtime time{now};
  std::vector<std::uint32_t> seen;
};

TEST_F(retries, tries_again_until_it_succeeds) {
  pipeline p{retry{three_times(10ms)}};
  auto const r = run(p, [](attempt a) { return a.number == 2 ? 200 : 500; });
  EXPECT_EQ(*r, 200);
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(r.story().attempts, 2U);
  EXPECT_EQ(r.story().waited, 10ms);
  EXPECT_EQ(r.story().gave_up, give_up::no);
  EXPECT_EQ(now, instant{1h} + 10ms);
}

TEST_F(retries, give_up_after_the_last_attempt_with_the_operations_own_answer) {
  pipeline p{retry{three_times(10ms)}};
  auto const r = run(p, fail);
  EXPECT_EQ(*r, 500);
  EXPECT_EQ(r.story().attempts, 3U);
  EXPECT_EQ(r.story().waited, 20ms);
  EXPECT_EQ(r.story().gave_up, give_up::attempts_used);
}

TEST_F(retries, double_their_waits_by_default_and_draw_them) {
  retry_config c{.attempts_max = 9, .backoff = 50ms, .seed = 7};
  pipeline p{retry{c}};
  (void)run(p, fail);
  auto const waited = now - instant{1h};
  EXPECT_GT(waited, 500ms);
  EXPECT_LT(waited, 50ms * 255);
}

TEST_F(retries, of_two_calls_draw_different_waits) {
  pipeline p{retry{{.attempts_max = 2, .backoff = 50ms, .seed = 7}}};
  auto const first = run(p, fail).story().waited;
  EXPECT_NE(run(p, fail).story().waited, first);
}

TEST_F(retries, leave_the_callers_own_mistake_and_success_alone) {
  pipeline p{retry{three_times(1ms)}};
  EXPECT_EQ(run(p, [](attempt) { return 400; }).story().attempts, 1U);
  EXPECT_EQ(run(p, [](attempt) { return 200; }).story().attempts, 1U);
}

TEST_F(retries, try_an_exception_again) {
  pipeline p{retry{three_times(1ms)}};
  auto const r = run(p, [](attempt) -> int { throw std::runtime_error{"reset"}; });
  EXPECT_EQ(r.error().why, errc::threw);
  EXPECT_EQ(r.story().attempts, 3U);
}

// virtrigaud#70: an open circuit was marked retryable. resilience4j#1065, #920: it had to be excluded by
// hand.
TEST_F(retries, field_63_never_try_a_local_refusal_again_unless_asked) {
  circuit_breaker b{{.window = consecutive{1}}, {.now = now}};
  std::move(*b.try_acquire(now)).failure(now);
  pipeline p{retry{three_times(1ms)}, b};
  auto const r = run(p, fail);
  EXPECT_EQ(r.error().why, errc::open);
  EXPECT_EQ(r.story().attempts, 0U);
  EXPECT_EQ(r.story().waited, 0ms);

  retry_config asked = three_times(2s);
  asked.refusals = true;
  pipeline patient{retry{asked}, b};
  EXPECT_EQ(*run(patient, [](attempt) { return 200; }), 200) << "the breaker half-opens meanwhile";
}

// jac#7909, failsafe#96, #90: one failure per retry loop, or one per attempt? Per attempt, inside; per call,
// outside.
TEST_F(retries, field_63_a_breaker_counts_attempts_inside_and_calls_outside) {
  breaker_config const c{.window = call_window<10>{}, .minimum_calls = 10};
  circuit_breaker inside{c, {.now = now}};
  circuit_breaker outside{c, {.now = now}};
  pipeline p{outside, retry{three_times(1ms)}, inside};
  (void)run(p, fail);
  EXPECT_EQ(inside.snapshot(now).window.failures, 3U);
  EXPECT_EQ(outside.snapshot(now).window.failures, 1U);
}

TEST_F(retries, never_try_again_what_was_called_off) {
  pipeline p{timeout{5ms, "call"}, retry{three_times(10ms)}};
  auto c = p.make_call();
  attempt a;
  ended e;
  EXPECT_EQ(c.start(now, a, e), step::descend);
  EXPECT_EQ(c.wake(now + 5ms, e), step::abort_below);
  EXPECT_EQ(c.done(now + 6ms, e = ended::called_off()), step::complete);
  EXPECT_EQ(e.attempts, 1U);
}

TEST_F(retries, give_up_at_once_where_the_wait_does_not_fit_before_the_deadline) {
  pipeline p{timeout{100ms, "call"}, retry{three_times(100ms)}};
  auto const r = run(p, fail);
  EXPECT_EQ(*r, 500) << "the operation's own answer, not a timeout";
  EXPECT_EQ(r.story().gave_up, give_up::no_time);
  EXPECT_EQ(now, instant{1h}) << "nobody slept";
}

TEST_F(retries, give_up_where_too_little_time_would_be_left) {
  retry_config c = three_times(60ms);
  c.useful_min = 41ms;
  pipeline p{retry{c}};
  EXPECT_EQ(run(p, fail, {.deadline = now + 100ms}).story().gave_up, give_up::no_time);
  EXPECT_EQ(run(p, fail, {.deadline = now + 101ms}).story().attempts, 2U);
}

TEST_F(retries, begin_none_after_their_total_time) {
  retry_config c = three_times(60ms);
  c.total_max = 119ms;
  pipeline p{retry{c}};
  auto const r = run(p, fail);
  EXPECT_EQ(r.story().attempts, 2U);
  EXPECT_EQ(r.story().gave_up, give_up::no_time);
}

TEST_F(retries, give_what_was_called_the_time_that_it_asks_for) {
  retry_config c = three_times(100ms);
  pipeline p{retry{c}};
  EXPECT_EQ(run(p, [](attempt a) { return a.number == 1 ? 429 : 200; }).story().waited, 3s + 100ms);
  c.retry_after_max = 1s;
  pipeline capped{retry{c}};
  EXPECT_EQ(run(capped, [](attempt a) { return a.number == 1 ? 429 : 200; }).story().waited, 1s);
  c.retry_after_min = 10s;
  c.retry_after_max = 20s;
  pipeline floored{retry{c}};
  EXPECT_EQ(run(floored, [](attempt a) { return a.number == 1 ? 429 : 200; }).story().waited, 10s + 100ms);
}

TEST_F(retries, respect_a_result_and_a_call_that_must_not_be_repeated) {
  pipeline p{retry{three_times(1ms)}};
  auto const final = run(p, [](attempt) { return 501; });
  EXPECT_EQ(final.story().attempts, 1U);
  EXPECT_EQ(final.story().gave_up, give_up::not_repeatable);
  auto const once = run(p, fail, {.repeat = repeat::never});
  EXPECT_EQ(once.story().attempts, 1U);
  EXPECT_EQ(once.story().gave_up, give_up::not_repeatable);
}

TEST_F(retries, ask_the_users_predicate_about_all_but_cancellations_and_refusals) {
  retry_config c = three_times(1ms);
  c.retry_if = [](ended const& e) { return e.result == result_class::ignored; };
  pipeline p{retry{c}};
  EXPECT_EQ(run(p, [](attempt) { return 400; }).story().attempts, 3U);
  EXPECT_EQ(run(p, fail).story().attempts, 1U);
}

TEST_F(retries, stop_when_the_budget_is_exhausted_and_say_so) {
  retry_budget budget{{.ratio = 20_percent, .minimum_per_second = 0}};
  pipeline p{retry{three_times(1ms), budget}};
  std::uint32_t attempts = 0;
  for (int i = 0; i < 100; ++i) {
    auto const r = run(p, fail);
    attempts += r.story().attempts;
    EXPECT_TRUE(r.story().gave_up == give_up::no_budget || r.story().attempts == 3U);
  }
  EXPECT_EQ(attempts, 120U);
  EXPECT_EQ(budget.snapshot().out, 0U);
}

// resilience4j, Envoy, gRPC: each layer that retries multiplies what the layers below it send.
TEST_F(retries, do_not_make_up_for_a_retry_further_in) {
  retry_budget budget{{.ratio = 20_percent, .minimum_per_second = 0}};
  pipeline p{retry{three_times(1ms)}, retry{three_times(1ms), budget}};
  auto const r = run(p, fail);
  EXPECT_EQ(r.story().attempts, 1U);
  EXPECT_EQ(r.story().gave_up, give_up::no_budget);

  pipeline nested{retry{three_times(1ms)}, retry{three_times(1ms)}};
  EXPECT_EQ(run(nested, fail).story().attempts, 3U);

  retry_config eager = three_times(1ms);
  eager.already_retried = true;
  pipeline multiplies{retry{eager}, retry{three_times(1ms)}};
  EXPECT_EQ(run(multiplies, fail).story().attempts, 9U) << "only where asked";
}

TEST_F(retries, do_not_make_up_for_a_retry_on_the_far_side) {
  pipeline p{retry{three_times(1ms)}};
  auto const r = run(p, [](attempt) { return 503; });
  EXPECT_EQ(r.story().attempts, 1U);
  EXPECT_EQ(r.story().gave_up, give_up::no_budget);
}

TEST_F(retries, do_not_make_up_for_a_call_within_the_call) {
  pipeline outer{retry{three_times(1ms)}};
  pipeline inner{retry{three_times(1ms)}};
  int sent = 0;
  auto const op = [&](attempt) {
    return call<int>(
        inner,
        [&](attempt) -> int {
          ++sent;
          throw 1;
        },
        classify_by_kind{}, time);
  };
  auto const r = call<int>(outer, op, classify_by_kind{}, time);
  EXPECT_FALSE(r);
  EXPECT_EQ(sent, 3);
  EXPECT_EQ(r.story().gave_up, give_up::attempts_used);
}

TEST_F(retries, give_their_charge_back_when_a_breaker_refuses_them) {
  retry_budget budget{{.ratio = percent{100}, .minimum_per_second = 0}};
  circuit_breaker b{{.window = consecutive{1}}, {.now = now}};
  pipeline p{retry{three_times(1ms), budget}, b};
  auto const r = run(p, fail);
  EXPECT_EQ(r.error().why, errc::open) << "the first attempt tripped it";
  EXPECT_EQ(budget.snapshot().saved_hundredths, 100U);
  EXPECT_EQ(budget.snapshot().out, 0U);
}

TEST_F(retries, give_their_charge_back_when_the_caller_goes_while_they_wait) {
  retry_budget budget{{.ratio = percent{100}, .minimum_per_second = 0}};
  pipeline p{retry{three_times(10ms), budget}};
  attempt a;
  ended e;
  for (bool const sent : {false, true}) {
    auto c = p.make_call();
    c.start(now, a, e);
    EXPECT_EQ(c.done(now, e = failed), step::stay);
    EXPECT_EQ(budget.snapshot().out, 1U);
    if (sent) {
      EXPECT_EQ(c.wake(now + 10ms, e), step::descend);
    }
    c.abandon(now + 11ms);
    EXPECT_EQ(budget.snapshot().out, 0U);
    EXPECT_EQ(budget.snapshot().saved_hundredths, 100U) << "two calls saved two; one retry was sent";
  }
}

TEST_F(retries, keep_to_the_layer_contract) {
  retry policy{three_times(1ms)};
  contract_checked l{policy.make_layer()};
  attempt a;
  ended e;
  EXPECT_EQ(l.start(now, a, e), step::descend);
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(l.done(now, e = failed), step::stay);
    EXPECT_EQ(l.wake(now + 1ms, e), step::descend);
    now += 1ms;
  }
  EXPECT_EQ(l.done(now, e = failed), step::complete);
  EXPECT_EQ(l.start(now, a, e), step::descend) << "as good as new";
  EXPECT_EQ(l.done(now, e = failed), step::stay);
}

TEST_F(retries, list_what_is_wrong_with_their_settings) {
  retry_config c{.attempts_max = 0, .backoff = halfopen::backoff{.initial = -1s, .multiplier = 0.5}};
  c.total_max = 0s;
  c.useful_min = -1s;
  c.retry_after_min = 2s;
  c.retry_after_max = 1s;
  EXPECT_EQ(validate(c).size(), 7U) << to_string(validate(c));
  EXPECT_THROW(retry{c}, std::invalid_argument);
}

// Polly#1866, #2163, Polly.Contrib#24, cockatiel#86: delays that were infinite, not a number, or negative.
TEST_F(retries, field_68_wait_a_finite_time_within_bounds_before_every_attempt) {
  rc::check([] {
    auto const initial = duration{*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000)};
    auto const maximum = *rc::gen::element(initial, initial + 1s, duration::max());
    retry_config c{
        .backoff = halfopen::backoff{
            .initial = initial,
            .multiplier = *rc::gen::element(1.0, 1.0001, 1.5, 2.0, 1e9, 1e300),
            .maximum = maximum,
            .jitter = *rc::gen::element(jitter::none, jitter::full, jitter::equal, jitter::decorrelated)}};
    c.retry_after_max = *rc::gen::element(duration{60s}, duration::max());
    auto const n = *rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 2000),
                                   rc::gen::arbitrary<std::uint32_t>(), rc::gen::just(1U << 31));
    auto const asked = *rc::gen::element(duration{0}, duration{5s}, duration::max());
    auto const wait = wait_before(c, n, asked, *rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(wait >= 0s);
    RC_ASSERT(wait <= (asked == 0s ? maximum : std::max(c.retry_after_max, maximum)));
    if (asked > 0s) RC_ASSERT(wait >= std::min(asked, c.retry_after_max));
  });
}

// Whatever the settings and results: no retry begins at or after the deadline, nor after the total time; none
// follows a cancellation; attempts keep to their maximum.
TEST_F(retries, never_break_their_promises_whatever_happens) {
  rc::check([] {
    retry_config c{.attempts_max = *rc::gen::inRange<std::uint32_t>(1, 6),
                   .backoff = constant_backoff(duration{*rc::gen::inRange(0, 50)})};
    c.total_max = duration{*rc::gen::inRange(1, 150)};
    c.useful_min = duration{*rc::gen::inRange(0, 30)};
    c.refusals = *rc::gen::arbitrary<bool>();
    retry_state s;
    s.deadline = instant{duration{*rc::gen::inRange(1, 200)}};
    instant now;
    for (;;) {
      now += duration{*rc::gen::inRange(0, 20)};
      ended e{.result = static_cast<result_class>(*rc::gen::inRange(0, 7))};
      e.retry_after = duration{*rc::gen::inRange(0, 20)};
      auto const a = decide(s, c, e, now, 5);
      if (!a.again) break;
      now += a.wait;
      ++s.retries;
      RC_ASSERT(now < s.deadline && now + c.useful_min <= s.deadline);
      RC_ASSERT(now - s.first <= c.total_max);
      RC_ASSERT(s.retries < c.attempts_max);
      RC_ASSERT(e.result != result_class::cancelled);
      RC_ASSERT(c.refusals || e.result != result_class::refused);
    }
  });
}

// envoy#24937: limits of each client do not bound a storm of ten thousand clients. A budget of each does.
TEST_F(retries, field_67_a_fleet_with_budgets_sends_no_more_than_its_calls_and_a_fifth) {
  constexpr std::uint64_t clients = 10'000;
  constexpr std::uint64_t calls = 20;
  std::uint64_t sent = 0;
  for (std::uint64_t i = 0; i < clients; ++i) {
    retry_budget budget{{.ratio = 20_percent, .minimum_per_second = 0}};
    pipeline p{retry{{.attempts_max = 4, .backoff = 1ms, .seed = i + 1}, budget}};
    for (std::uint64_t n = 0; n < calls; ++n) {
      auto const r = call<void>(
          p,
          [&](attempt) {
            ++sent;
            throw 1;
          },
          classify_by_kind{}, time);
      EXPECT_FALSE(r);
    }
  }
  EXPECT_EQ(sent, clients * calls * 120 / 100);
}

}  // namespace
}  // namespace halfopen
