#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <halfopen/policy/any_pipeline.hpp>
#include <halfopen/policy/call.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/rate_limiter.hpp>
#include <halfopen/policy/virtual_runtime.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

constexpr instant at(duration d) { return instant{d}; }

int take_all(rate_limiter& l, instant now, int most = 1000) {
  int n = 0;
  while (n < most && l.try_acquire(now)) ++n;
  return n;
}

static_assert(sizeof(rate_limiter) <= 64);

// The machine, as a value: what has been taken is given back as if it had never been.
constexpr bool gives_back_exactly() {
  auto const l = rate_limit::of({.calls = 3, .per = 1s, .burst = 2});
  rate_state s;
  (void)s.take(l, 1, 0, 0);
  auto const before = s.due;
  (void)s.take(l, 1, 0, 0);
  return s.give_back(before, s.due) && s.due == before;
}
static_assert(gives_back_exactly());

// redisson#2072: the first acquisition exceeded the rate. resilience4j#61: there was nothing at the start.
TEST(rate_limiter, field_78_begins_with_its_burst_and_no_more) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 3}};
  EXPECT_EQ(take_all(l, at(1h)), 3);
  EXPECT_EQ(take_all(l, at(1h + 99ms)), 0);
  EXPECT_EQ(take_all(l, at(1h + 100ms)), 1);
  EXPECT_EQ(take_all(l, at(2h)), 3);
}

TEST(rate_limiter, says_when_to_come_back) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 1}};
  ASSERT_TRUE(l.try_acquire(at(0s)));
  auto const no = l.try_acquire(at(30ms));
  ASSERT_FALSE(no);
  EXPECT_EQ(no.error().retry_after, 70ms);
  EXPECT_EQ(l.snapshot(at(30ms)).refused, 1U);
  EXPECT_TRUE(l.try_acquire(at(100ms)));
}

TEST(rate_limiter, takes_several_tokens_or_none) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 5}};
  ASSERT_TRUE(l.try_acquire(at(0s), 3));
  EXPECT_FALSE(l.try_acquire(at(0s), 3));
  EXPECT_EQ(l.snapshot(at(0s)).available, 2U);
  auto const never = l.try_acquire(at(0s), 6);
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().retry_after, duration::max()) << "more than the burst";
}

// Sentinel#2615, #2951: milliseconds were rounded, so that above 1000 a second the rate was wrong, above 2000
// there was none, and below one in two seconds it divided by zero.
TEST(rate_limiter, field_72_is_exact_from_one_in_a_hundred_seconds_to_ten_million_a_second) {
  struct rate {
    std::uint32_t calls;
    duration per;
  };
  for (auto const& [calls, per] : {rate{1, 100s},
                                   {1, 3s},
                                   {2, 1s},
                                   {7, 1s},
                                   {999, 1s},
                                   {1001, 1s},
                                   {1999, 1s},
                                   {2001, 1s},
                                   {33'333, 1s},
                                   {999'999, 1s},
                                   {1'234'567, 1s},
                                   {3'333'333, 1s},
                                   {9'999'999, 1s},
                                   {10'000'000, 1s}}) {
    rate_limiter l{{.calls = calls, .per = per, .burst = 1, .wait_max = 24h * 300}};
    ASSERT_TRUE(l.try_acquire(at(0s)));
    constexpr int n = 2000;
    instant last{};
    for (int i = 0; i < n; ++i) last = l.reserve(at(0s))->ready;
    double const wanted = static_cast<double>(per.count()) / calls * n;
    auto const is = static_cast<double>(last.since_start().count());
    EXPECT_GE(is, wanted) << calls << ": never faster";
    EXPECT_LE(is, wanted * 1.001 + 1) << calls;
  }
}

// symfony#47676, svix/diom#115: who asked often moved the time of the last refill, and nothing came in.
TEST(rate_limiter, field_77_refills_however_often_it_is_asked) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 1}};
  int got = 0;
  for (duration t{}; t < 10s; t += 1ms) got += l.try_acquire(at(t)) ? 1 : 0;
  EXPECT_EQ(got, 100);
}

// envoy#46702: a limit that was shared by more members than it had tokens gave each of them zero.
TEST(rate_limiter, field_74_a_share_of_less_than_one_is_a_slower_rate) {
  rate_limiter_config const whole{.calls = 2, .per = 1s, .burst = 2};
  auto const part = share_of(whole, 8);
  EXPECT_TRUE(validate(part).empty());
  int got = 0;
  for (int member = 0; member < 8; ++member) {
    rate_limiter l{part};
    EXPECT_EQ(take_all(l, at(0s)), 1) << "a burst is no less than one";
    for (duration t = 1s; t <= 40s; t += 1s) got += take_all(l, at(t));
  }
  EXPECT_EQ(got, 80) << "eight members, forty seconds, two a second";
}

// resilience4j#1283, #1968: who could not get a token in time slept for the whole time-out all the same; a
// drain left what the next cycle brought.
TEST(rate_limiter, field_76_refuses_a_hopeless_wait_at_once) {
  rate_limiter l{{.calls = 1, .per = 1s, .burst = 1, .wait_max = 1500ms}};
  ASSERT_TRUE(l.reserve(at(0s)));
  EXPECT_FALSE(l.reserve(at(0s), at(1s))) << "at the deadline it is of no use";
  EXPECT_EQ(l.reserve(at(0s), at(1001ms))->ready, at(1s));
  auto const no = l.reserve(at(0s));
  ASSERT_FALSE(no) << "longer than wait_max";
  EXPECT_EQ(no.error().retry_after, 2s);
  EXPECT_EQ(l.reserve(at(500ms))->ready, at(2s)) << "a refusal takes nothing";
}

TEST(rate_limiter, field_76_a_drain_leaves_nothing) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 5, .drain_max = 10s}};
  for (duration const from : {0s, 7s}) {
    l.drain(at(from), 2s);
    EXPECT_EQ(l.snapshot(at(from)).available, 0U);
    EXPECT_FALSE(l.try_acquire(at(from + 1999ms)));
    EXPECT_EQ(take_all(l, at(from + 2s)), 1) << "the rate, and no burst";
    EXPECT_EQ(take_all(l, at(from + 2099ms)), 0);
  }
  l.drain(at(20s), 1h);
  EXPECT_FALSE(l.try_acquire(at(20s + 9999ms)));
  EXPECT_TRUE(l.try_acquire(at(30s))) << "no longer than drain_max";
  rate_limiter deaf{{.drain_max = 0s}};
  deaf.drain(at(0s), 1h);
  EXPECT_TRUE(deaf.try_acquire(at(0s)));
}

TEST(rate_limiter, a_drain_without_a_time_takes_what_is_there) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 5}};
  l.drain(at(0s), 0s);
  EXPECT_EQ(take_all(l, at(0s)), 0);
  EXPECT_EQ(take_all(l, at(100ms)), 1);
}

// go x/time/rate#71360: a clock that went back minted tokens.
TEST(rate_limiter, field_71360_mints_nothing_on_a_stale_clock) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 2}};
  EXPECT_EQ(take_all(l, at(1h)), 2);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(l.try_acquire(at(1h - 1s * i)));
  EXPECT_FALSE(l.try_acquire(at(1h + 99ms)));
}

TEST(rate_limiter, lets_those_who_wait_begin_in_the_order_in_which_they_asked) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 1, .wait_max = 1s}};
  ASSERT_TRUE(l.reserve(at(0s)));
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(l.reserve(at(0s))->ready, at(100ms * i));
  EXPECT_EQ(l.reserve(at(50ms))->ready, at(600ms)) << "nobody overtakes";
}

TEST(rate_limiter, gives_back_only_what_was_granted_last) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 1, .wait_max = 1s}};
  auto const a = *l.reserve(at(0s));
  auto const b = *l.reserve(at(0s));
  auto const c = *l.reserve(at(0s));
  EXPECT_FALSE(l.give_back(b)) << "a newcomer would begin together with c";
  EXPECT_TRUE(l.give_back(c));
  EXPECT_FALSE(l.give_back(c)) << "once";
  EXPECT_EQ(l.reserve(at(0s))->ready, c.ready);
  EXPECT_FALSE(l.give_back(a));
  EXPECT_FALSE(l.give_back(rate_grant{}));
}

TEST(rate_limiter, gives_back_the_latest_ones_one_after_the_other) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 3, .wait_max = 1s}};
  std::vector<rate_grant> out;
  for (int i = 0; i < 6; ++i) out.push_back(*l.reserve(at(0s)));
  for (; !out.empty(); out.pop_back()) EXPECT_TRUE(l.give_back(out.back()));
  EXPECT_EQ(take_all(l, at(0s)), 3);
}

TEST(rate_limiter, a_coarse_clock_needs_a_burst_that_covers_its_tick) {
  rate_limiter_config c{.calls = 1000, .per = 1s, .burst = 3, .clock_tick = 4ms};
  ASSERT_EQ(validate(c).size(), 1U);
  EXPECT_EQ(validate(c)[0].field, "burst");
  c.burst = 4;
  EXPECT_TRUE(validate(c).empty());
  rate_limiter l{c};
  int got = 0;
  for (duration tick = 4ms; tick <= 10s; tick += 4ms) got += take_all(l, at(tick));
  EXPECT_EQ(got, 10'000);
}

TEST(rate_limiter, lists_what_is_wrong_with_its_settings) {
  EXPECT_EQ(validate({.calls = 0, .per = 0s, .burst = 0, .wait_max = -1s, .drain_max = -1s}).size(), 5U);
  EXPECT_EQ(validate({.calls = 20'000'000}).size(), 1U);
  EXPECT_EQ(validate({.calls = 1, .per = 1h, .burst = 1'000'000}).size(), 1U);
  EXPECT_EQ(validate({.per = 24h * 366}).size(), 1U);
  EXPECT_TRUE(validate(rate_limiter_config{}).empty());
  EXPECT_THROW(rate_limiter{{.calls = 0}}, std::invalid_argument);
}

TEST(rate_limiter, takes_new_settings_and_keeps_how_many_are_out) {
  rate_limiter l{{.calls = 1, .per = 100s, .burst = 4}};
  ASSERT_TRUE(l.try_acquire(at(0s), 3));
  l.reconfigure({.calls = 10, .per = 1s, .burst = 4}, at(0s));
  EXPECT_EQ(l.snapshot(at(0s)).available, 1U);
  EXPECT_EQ(l.snapshot(at(300ms)).available, 4U) << "at the new rate";
  EXPECT_THROW(l.reconfigure({.burst = 0}, at(0s)), std::invalid_argument);
}

TEST(rate_limiter, bears_times_beyond_its_range) {
  rate_limiter l{{.calls = 1, .per = 1s, .burst = 1, .wait_max = 1s}};
  EXPECT_TRUE(l.try_acquire(instant::min()));
  EXPECT_TRUE(l.reserve(at(0s), instant::max()));
  EXPECT_TRUE(l.try_acquire(instant::max()));
  l.drain(instant::max(), duration::max());
  EXPECT_FALSE(l.try_acquire(instant::max()));
}

// Any order of grants, waits and cancellations, by clocks that are behind or go back: what begins in any
// stretch of time is at most the burst and what the rate gives.
TEST(rate_limiter, never_exceeds_burst_and_rate_in_any_stretch_of_time) {
  rc::check([] {
    auto const burst = *rc::gen::inRange<std::uint32_t>(1, 5);
    rate_limiter l{{.calls = 10,
                    .per = 1s,
                    .burst = burst,
                    .wait_max = std::chrono::milliseconds{*rc::gen::inRange(0, 500)},
                    .drain_max = 1s}};
    std::vector<rate_grant> sent;
    std::vector<rate_grant> out;
    duration now{};
    for (int const act : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10))) {
      now += std::chrono::milliseconds{*rc::gen::inRange(0, 100)};
      auto const read = now - std::chrono::milliseconds{act % 2 == 0 ? *rc::gen::inRange(0, 300) : 0};
      if (act < 6) {
        if (auto const g = l.reserve(at(read))) out.push_back(*g);
      } else if (act < 8 && !out.empty()) {
        auto const which = out.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(out));
        (void)l.give_back(*which);
        out.erase(which);
      } else if (act == 8 && !out.empty()) {
        sent.push_back(out.back());
        out.pop_back();
      } else if (act == 9) {
        l.drain(at(read), 50ms);
      }
    }
    sent.insert(sent.end(), out.begin(), out.end());
    std::sort(sent.begin(), sent.end(), [](auto const& a, auto const& b) { return a.ready < b.ready; });
    for (std::size_t i = 0; i < sent.size(); ++i)
      for (std::size_t j = i; j < sent.size(); ++j)
        RC_ASSERT(static_cast<std::int64_t>(j - i + 1) <= burst + (sent[j].ready - sent[i].ready) / 100ms);
  });
}

// What is given back last first leaves no trace: the limiter answers as one that was never asked.
TEST(rate_limiter, forgets_what_is_given_back_in_order) {
  rc::check([] {
    rate_limiter_config const c{.calls = 10, .per = 1s, .burst = 3, .wait_max = 1s};
    rate_limiter l{c};
    rate_limiter twin{c};
    duration now{};
    for (bool const is_kept : *rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>())) {
      now += std::chrono::milliseconds{*rc::gen::inRange(0, 150)};
      if (is_kept) {
        RC_ASSERT(l.reserve(at(now)).has_value() == twin.reserve(at(now)).has_value());
        continue;
      }
      std::vector<rate_grant> out;
      for (int i = *rc::gen::inRange(1, 5); i > 0; --i)
        if (auto const g = l.reserve(at(now))) out.push_back(*g);
      now += std::chrono::milliseconds{*rc::gen::inRange(0, 150)};
      for (; !out.empty(); out.pop_back()) RC_ASSERT(l.give_back(out.back()));
      RC_ASSERT(l.snapshot(at(now)).available == twin.snapshot(at(now)).available);
    }
  });
}

// Sentinel#3091: set after the check, so that several threads passed at once.
TEST(rate_limiter, field_71_is_exact_when_sixteen_threads_share_it) {
  rate_limiter l{{.calls = 1'000'000, .per = 1s, .burst = 7, .wait_max = 1s}};
  std::vector<std::vector<instant>> begun(16);
  std::vector<std::thread> threads;
  for (auto& mine : begun) {
    threads.emplace_back([&l, &mine] {
      for (int i = 0; i < 2000; ++i) {
        auto const g = l.reserve(at(1h + 1us * (i / 8)));
        if (!g) continue;
        if (i % 3 == 0 && l.give_back(*g)) continue;
        mine.push_back(g->ready);
      }
    });
  }
  for (auto& t : threads) t.join();
  std::vector<instant> all;
  for (auto const& mine : begun) all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin(), all.end());
  ASSERT_GT(all.size(), 100U);
  for (std::size_t i = 7; i < all.size(); ++i) ASSERT_GE(all[i] - all[i - 7], 1us);
  EXPECT_LE(std::ssize(all), 7 + (all.back() - all.front()) / 1us);
}

class limited_calls : public testing::Test {
 protected:
  template <class Pipeline>
  auto run(Pipeline& p, int status = 200, call_options const& options = {}) {
    return call<int>(
        p, [&](attempt) { return ++sent, status; }, options,
        [](int const& s) {
          return s == 429 ? verdict{result_class::throttled, 2s} : verdict{result_class::success};
        },
        time);
  }

  instant now{1h};
  virtual_runtime time{now};
  int sent = 0;
};

// Refuses what reaches it.
struct refusing {
  struct its_layer {
    step start(instant, attempt&, ended& e) const noexcept {
      e = {.result = result_class::refused, .why = errc::open, .who = "refusing"};
      return step::complete;
    }
    step done(instant, ended&) const noexcept { return step::complete; }
    step wake(instant, ended&) const noexcept { return step::stay; }
    [[nodiscard]] instant wake_at() const noexcept { return instant::max(); }
    void abandon(instant) const noexcept {}
  };
  [[nodiscard]] its_layer make_layer() const noexcept { return {}; }
};

TEST_F(limited_calls, are_refused_with_a_time) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 1}, "reports"};
  pipeline p{l};
  EXPECT_TRUE(run(p));
  auto const r = run(p);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().why, errc::rate_limited);
  EXPECT_EQ(r.error().who, "reports");
  EXPECT_EQ(r.error().retry_after, 100ms);
  EXPECT_EQ(sent, 1);
}

TEST_F(limited_calls, wait_for_their_turn) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 1, .wait_max = 1s}};
  pipeline p{l};
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(run(p));
  EXPECT_EQ(now, at(1h + 300ms));
  EXPECT_EQ(run(p).story().waited, 100ms);
}

TEST_F(limited_calls, do_not_wait_for_what_comes_after_the_deadline) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 1, .wait_max = 1s}};
  pipeline p{l};
  EXPECT_TRUE(run(p));
  EXPECT_EQ(run(p, 200, {.deadline = now + 50ms}).error().why, errc::rate_limited);
  EXPECT_EQ(now, at(1h));
}

TEST_F(limited_calls, get_their_token_back_where_nothing_was_sent) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 1}};
  pipeline refused{l, refusing{}};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(refused).error().why, errc::open);
  pipeline p{l};
  EXPECT_TRUE(run(p));
}

TEST_F(limited_calls, that_are_throttled_drain_it) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 5}};
  pipeline p{l};
  EXPECT_TRUE(run(p, 429));
  EXPECT_EQ(run(p).error().retry_after, 2s);
  now += 2s;
  EXPECT_TRUE(run(p));
}

TEST_F(limited_calls, that_are_called_off_while_they_wait_give_their_place_back) {
  rate_limiter l{{.calls = 10, .per = 1s, .burst = 1, .wait_max = 1s}};
  pipeline p{l};
  EXPECT_TRUE(run(p));
  auto waiting = p.make_call();
  attempt a;
  ended e;
  ASSERT_EQ(waiting.start(now, a, e), step::stay);
  EXPECT_EQ(waiting.wake_at(), now + 100ms);
  waiting.abandon(now);
  EXPECT_EQ(l.reserve(now)->ready, now + 100ms);
}

TEST_F(limited_calls, are_limited_in_a_pipeline_of_run_time_as_well) {
  auto const l = std::make_shared<rate_limiter>(rate_limiter_config{.calls = 10, .per = 1s, .burst = 1});
  any_pipeline p{{any_rate_limiter{l}}};
  EXPECT_TRUE(run(p));
  EXPECT_EQ(run(p).error().why, errc::rate_limited);
}

}  // namespace
}  // namespace halfopen
