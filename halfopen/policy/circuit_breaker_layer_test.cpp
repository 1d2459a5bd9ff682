#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include <halfopen/policy/any_pipeline.hpp>
#include <halfopen/policy/call.hpp>
#include <halfopen/policy/circuit_breaker_layer.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/virtual_runtime.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

// A breaker that one failure opens for a second, with a probe's lease of two.
breaker_config brittle() {
  breaker_config c;
  c.window = consecutive{1};
  c.open_for = {.initial = 1s, .multiplier = 1, .maximum = 60s, .jitter = jitter::none};
  c.probe_timeout = 2s;
  c.max_probe_timeout = 32s;
  return c;
}

class breaker_in_a_pipeline : public testing::Test {
 protected:
  using inner_pipeline = pipeline<circuit_breaker&, timeout>;

  instant now{1h};
  virtual_runtime time{now};
  breaker_cells cells = breaker_cells::one();
  std::shared_ptr<circuit_breaker> breaker = std::make_shared<circuit_breaker>(
      brittle(), breaker_options{.name = "payments", .cells = &cells, .now = now});
  inner_pipeline pipe{*breaker, timeout{250ms}};
  ended e;

  static ended as(result_class r, duration retry_after = {}) {
    return {.result = r, .why = errc::failed, .retry_after = retry_after};
  }
  void one(ended how) {
    auto c = pipe.make_call();
    attempt a;
    ASSERT_EQ(c.start(now, a, e), step::descend);
    ASSERT_EQ(c.done(now, how), step::complete);
  }
  void trip() { one(as(result_class::failure)); }
  void trip_and_wait() {
    trip();
    ASSERT_EQ(breaker->state(), breaker_state::open);
    now += 1s;
  }
  void expect_nothing_out() {
    EXPECT_EQ(cells.sum().in_flight(), 0U);
    EXPECT_EQ(breaker->snapshot(now).probes_out, 0U);
  }
};

TEST_F(breaker_in_a_pipeline, settles_each_class_of_result_as_one_thing) {
  one(as(result_class::success));
  one(as(result_class::slow));
  one(as(result_class::ignored));
  one(as(result_class::cancelled));
  one(as(result_class::refused));
  auto const before = cells.sum();
  EXPECT_EQ(before.successes, 2U);
  EXPECT_EQ(before.ignored, 1U);
  EXPECT_EQ(before.abandoned, 2U);
  EXPECT_EQ(before.failures, 0U);
  EXPECT_EQ(breaker->state(), breaker_state::closed);
  one(as(result_class::throttled));
  EXPECT_EQ(cells.sum().failures, 1U);
  EXPECT_EQ(breaker->state(), breaker_state::open);
  expect_nothing_out();
}

TEST_F(breaker_in_a_pipeline, refuses_with_reason_name_and_time) {
  trip();
  auto c = pipe.make_call();
  attempt a;
  EXPECT_EQ(c.start(now, a, e), step::complete);
  EXPECT_EQ(e.result, result_class::refused);
  EXPECT_EQ(e.why, errc::open);
  EXPECT_EQ(e.who, "payments");
  EXPECT_EQ(e.retry_after, 1s);
  EXPECT_EQ(e.attempts, 0U);
}

TEST_F(breaker_in_a_pipeline, heeds_the_retry_after_of_the_result_that_opens) {
  auto heeding = brittle();
  heeding.retry_after_max = 1min;
  ASSERT_TRUE(breaker->reconfigure(heeding, now));
  one(as(result_class::throttled, 30s));
  EXPECT_EQ(breaker->status(now).retry_after, 30s);
}

TEST_F(breaker_in_a_pipeline, bounds_a_probe_by_its_lease_in_place_of_the_inner_timeout) {
  trip_and_wait();
  auto c = pipe.make_call();
  attempt a;
  EXPECT_EQ(c.start(now, a, e), step::descend);
  EXPECT_TRUE(a.probe);
  EXPECT_EQ(a.deadline, now + 2s);
  EXPECT_EQ(c.wake_at(), now + 2s);
  c.abandon(now);
}

TEST_F(breaker_in_a_pipeline, bounds_a_probe_by_the_whole_call_as_well) {
  trip_and_wait();
  pipeline whole{timeout{800ms}, *breaker, timeout{250ms}};
  auto c = whole.make_call();
  attempt a;
  EXPECT_EQ(c.start(now, a, e), step::descend);
  EXPECT_EQ(a.deadline, now + 800ms);
  EXPECT_EQ(a.lease, now + 2s);
  c.abandon(now);
}

TEST_F(breaker_in_a_pipeline,
       counts_a_probe_that_used_up_its_lease_as_expired_so_that_the_next_lease_is_longer) {
  trip_and_wait();
  auto c = pipe.make_call();
  attempt a;
  c.start(now, a, e);
  now = c.wake_at();
  EXPECT_EQ(c.wake(now, e), step::abort_below);
  EXPECT_EQ(c.done(now, e = ended::called_off()), step::complete);
  EXPECT_EQ(e.why, errc::timed_out);
  auto const seen = breaker->snapshot(now);
  EXPECT_EQ(seen.state, breaker_state::open);
  EXPECT_EQ(seen.cause, breaker_cause::probe_expired);
  EXPECT_EQ(seen.next_lease, 4s);
}

TEST_F(breaker_in_a_pipeline, dates_an_expiry_that_it_notices_late_at_the_leases_end) {
  trip_and_wait();
  instant const end = now + 2s;
  (void)call<void>(pipe, [&](attempt) { now = end + 300ms; }, classify_by_kind{}, time);
  auto const seen = breaker->snapshot(now);
  EXPECT_EQ(seen.cause, breaker_cause::probe_expired);
  EXPECT_EQ(seen.until, end + 1s);
}

TEST_F(breaker_in_a_pipeline, counts_an_inner_timeout_of_an_ordinary_call_as_a_failure) {
  (void)call<void>(pipe, [&](attempt a) { now = a.deadline + 1ms; }, classify_by_kind{}, time);
  EXPECT_EQ(cells.sum().failures, 1U);
}

TEST_F(breaker_in_a_pipeline, is_neutral_when_the_whole_call_times_out_around_it) {
  pipeline whole{timeout{800ms}, *breaker};
  auto c = whole.make_call();
  attempt a;
  c.start(now, a, e);
  now += 800ms;
  EXPECT_EQ(c.wake(now, e), step::abort_below);
  EXPECT_EQ(c.done(now, e = ended::called_off()), step::complete);
  EXPECT_EQ(e.why, errc::timed_out);
  EXPECT_EQ(cells.sum().abandoned, 1U);
  EXPECT_EQ(breaker->state(), breaker_state::closed);
}

// resilience4j#544, Polly#1979, gh-aw-mcpg#10686: a probe ends by an exception, and half-open is never left.
TEST_F(breaker_in_a_pipeline, field_a_probe_that_throws_is_settled) {
  trip_and_wait();
  auto const r =
      call<int>(pipe, [](attempt) -> int { throw std::runtime_error{"x"}; }, classify_by_kind{}, time);
  EXPECT_EQ(r.error().why, errc::threw);
  EXPECT_EQ(breaker->state(), breaker_state::open);
  expect_nothing_out();
}

// resilience4j#544, opossum#388: a probe whose result is to be ignored eats the only probe.
TEST_F(breaker_in_a_pipeline, field_an_ignored_probe_leaves_room_for_the_next) {
  trip_and_wait();
  one(as(result_class::ignored));
  EXPECT_EQ(breaker->state(), breaker_state::half_open);
  one(as(result_class::success));
  EXPECT_EQ(breaker->state(), breaker_state::closed);
}

// Sentinel#1638, #2136, sentinel-golang#196: a rule further in refuses the probe, and nobody completes it.
TEST_F(breaker_in_a_pipeline, field_a_refusal_further_in_gives_the_probe_back) {
  circuit_breaker inner{brittle(), breaker_options{.name = "host", .now = now}};
  inner.force_open(now);
  trip_and_wait();
  pipeline both{*breaker, inner};
  auto c = both.make_call();
  attempt a;
  EXPECT_EQ(c.start(now, a, e), step::complete);
  EXPECT_EQ(e.who, "host");
  expect_nothing_out();
  one(as(result_class::success));
  EXPECT_EQ(breaker->state(), breaker_state::closed);
}

// Hystrix#1621, brpc#3532: a cancelled probe leaves the circuit open for ever, or counts against the node.
TEST_F(breaker_in_a_pipeline, field_an_abandoned_probe_gives_its_slot_back) {
  trip_and_wait();
  auto c = pipe.make_call();
  attempt a;
  c.start(now, a, e);
  c.abandon(now);
  expect_nothing_out();
  EXPECT_EQ(breaker->state(), breaker_state::half_open);
  EXPECT_EQ(cells.sum().failures, 1U);
}

TEST_F(breaker_in_a_pipeline, gives_its_permit_back_when_a_call_is_destroyed_unfinished) {
  {
    auto c = pipe.make_call();
    attempt a;
    c.start(now, a, e);
  }
  expect_nothing_out();
}

class orphan : public breaker_in_a_pipeline {
 protected:
  any_pipeline const whole{{timeout{800ms, "call"}, any_breaker{breaker}, timeout{250ms, "attempt"}}};

  // A probe is out, its caller's deadline comes, and the caller has got its answer.
  any_call part() {
    trip_and_wait();
    auto c = whole.make_call();
    attempt a;
    EXPECT_EQ(c.start(now, a, e), step::descend);
    now += 800ms;
    EXPECT_EQ(c.wake(now, e), step::abort_below);
    EXPECT_TRUE(c.probe_can_outlive(now));
    auto apart = c.part_probe();
    EXPECT_EQ(c.done(now, e = ended::called_off()), step::complete);
    EXPECT_EQ(e.who, "call");
    EXPECT_EQ(breaker->snapshot(now).probes_out, 1U) << "the caller's answer settles nothing";
    return apart;
  }
};

TEST_F(orphan, closes_the_breaker_with_a_reply_that_its_caller_did_not_wait_for) {
  auto apart = part();
  EXPECT_EQ(apart.wake_at(), instant{1h} + 1s + 2s);
  now += 500ms;
  EXPECT_EQ(apart.wake(now, e), step::stay) << "the caller's deadline is not the orphan's";
  EXPECT_EQ(apart.done(now, e = ended{}), step::complete);
  EXPECT_EQ(e.result, result_class::success);
  EXPECT_EQ(breaker->state(), breaker_state::closed);
  expect_nothing_out();
}

TEST_F(orphan, ends_with_its_lease) {
  auto apart = part();
  now = apart.wake_at();
  EXPECT_EQ(apart.wake(now, e), step::abort_below);
  EXPECT_EQ(apart.done(now, e = ended::called_off()), step::complete);
  EXPECT_EQ(e.why, errc::timed_out);
  EXPECT_EQ(breaker->snapshot(now).cause, breaker_cause::probe_expired);
  expect_nothing_out();
}

TEST_F(orphan, gives_the_probe_back_when_it_is_abandoned) {
  auto apart = part();
  apart.abandon(now);
  EXPECT_EQ(breaker->state(), breaker_state::half_open);
  expect_nothing_out();
}

TEST_F(orphan, is_not_made_of_an_ordinary_call_or_of_a_lease_that_is_over) {
  auto c = whole.make_call();
  attempt a;
  c.start(now, a, e);
  EXPECT_FALSE(c.probe_can_outlive(now));
  c.abandon(now);

  trip_and_wait();
  auto probe = whole.make_call();
  probe.start(now, a = attempt{}, e);
  EXPECT_TRUE(probe.probe_can_outlive(now));
  EXPECT_FALSE(probe.probe_can_outlive(now + 2s));
  probe.abandon(now);
}

class a_chosen_breaker : public breaker_in_a_pipeline, public breaker_choice {
 protected:
  any_pipeline const tool{{any_breaker{breaker}, any_choice{}, timeout{250ms}}};
  circuit_breaker hosts[2]{circuit_breaker{brittle(), {.name = "a", .now = now}},
                           circuit_breaker{brittle(), {.name = "b", .now = now}}};
  int next = 0;
  bool nothing_left = false;

  chosen choose(instant, attempt const&, ended& why_not) override {
    if (nothing_left) why_not = {.result = result_class::refused, .why = errc::open, .who = "hosts"};
    return {nothing_left ? nullptr : &hosts[next]};
  }
};

TEST_F(a_chosen_breaker, guards_the_attempt_that_it_was_chosen_for) {
  next = 1;
  auto c = tool.make_call(this);
  attempt a;
  EXPECT_EQ(c.start(now, a, e), step::descend);
  EXPECT_EQ(c.done(now, e = as(result_class::failure)), step::complete);
  EXPECT_EQ(hosts[0].state(), breaker_state::closed);
  EXPECT_EQ(hosts[1].state(), breaker_state::open);
}

TEST_F(a_chosen_breaker, refuses_where_nothing_is_left_to_choose) {
  nothing_left = true;
  auto c = tool.make_call(this);
  attempt a;
  EXPECT_EQ(c.start(now, a, e), step::complete);
  EXPECT_EQ(e.who, "hosts");
  expect_nothing_out();
}

}  // namespace
}  // namespace halfopen
