#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/base/random.hpp>
#include <halfopen/net/timer_wheel.hpp>

namespace halfopen::net {
namespace {

using namespace std::chrono_literals;

constexpr instant at(duration d) { return instant{d}; }

struct counting_timer : timer {
  counting_timer()
      : timer{[](timer& self, instant now) {
          auto& mine = static_cast<counting_timer&>(self);
          ++mine.fired;
          mine.fired_at = now;
        }} {}
  int fired = 0;
  instant fired_at;
};

TEST(timer_wheel, fires_at_its_instant_and_not_before) {
  timer_wheel wheel{at(0ms)};
  counting_timer t;
  wheel.arm(t, at(10ms));
  wheel.advance(at(9999us));
  EXPECT_EQ(t.fired, 0);
  wheel.advance(at(10ms));
  EXPECT_EQ(t.fired, 1);
  EXPECT_FALSE(t.armed());
}

TEST(timer_wheel, rounds_up_to_the_next_tick) {
  timer_wheel wheel{at(0ms)};
  counting_timer t;
  wheel.arm(t, at(2100us));
  wheel.advance(at(2900us));
  EXPECT_EQ(t.fired, 0);
  wheel.advance(at(3ms));
  EXPECT_EQ(t.fired, 1);
}

TEST(timer_wheel, fires_what_is_already_due_at_the_next_advance) {
  timer_wheel wheel{at(5s)};
  counting_timer t;
  wheel.arm(t, at(1s));
  EXPECT_EQ(wheel.next_wake(), at(5001ms));
  wheel.advance(at(5001ms));
  EXPECT_EQ(t.fired, 1);
}

TEST(timer_wheel, never_fires_what_is_never_due) {
  timer_wheel wheel{at(0ms)};
  counting_timer t;
  wheel.arm(t, instant::max());
  EXPECT_FALSE(t.armed());
  EXPECT_TRUE(wheel.next_wake().is_never());
}

TEST(timer_wheel, forgets_a_cancelled_timer_and_its_wake) {
  timer_wheel wheel{at(0ms)};
  counting_timer t;
  wheel.arm(t, at(1h));
  t.cancel();
  EXPECT_TRUE(wheel.next_wake().is_never());
  EXPECT_EQ(wheel.size(), 0U);
  wheel.advance(at(2h));
  EXPECT_EQ(t.fired, 0);
}

TEST(timer_wheel, holds_only_the_last_instant_of_a_timer_that_is_moved) {
  timer_wheel wheel{at(0ms)};
  counting_timer t;
  wheel.arm(t, at(10ms));
  wheel.arm(t, at(100ms));
  wheel.advance(at(99ms));
  EXPECT_EQ(t.fired, 0);
  wheel.advance(at(100ms));
  EXPECT_EQ(t.fired, 1);
}

TEST(timer_wheel, reaches_past_its_outermost_ring) {
  timer_wheel wheel{at(0ms)};
  counting_timer t;
  constexpr auto five_years = 24h * 365 * 5;
  wheel.arm(t, at(five_years));
  wheel.advance(at(five_years - 1ms));
  EXPECT_EQ(t.fired, 0);
  wheel.advance(at(five_years));
  EXPECT_EQ(t.fired, 1);
}

TEST(timer_wheel, lets_a_callback_arm_itself_without_firing_it_twice_in_one_advance) {
  struct again : timer {
    explicit again(timer_wheel& w)
        : timer{[](timer& self, instant now) {
            auto& mine = static_cast<again&>(self);
            ++mine.fired;
            mine.wheel.arm(mine, now);
          }},
          wheel{w} {}
    timer_wheel& wheel;
    int fired = 0;
  };
  timer_wheel wheel{at(0ms)};
  again t{wheel};
  wheel.arm(t, at(1ms));
  wheel.advance(at(1ms));
  EXPECT_EQ(t.fired, 1);
  wheel.advance(at(2ms));
  EXPECT_EQ(t.fired, 2);
}

TEST(timer_wheel, lets_a_callback_destroy_itself_and_the_next_one) {
  struct killer : timer {
    explicit killer(std::unique_ptr<killer>& a, std::unique_ptr<killer>& b, int& n)
        : timer{[](timer& self, instant) {
            auto& mine = static_cast<killer&>(self);
            ++mine.count;
            auto& first = mine.one;
            auto& second = mine.other;
            first.reset();
            second.reset();
          }},
          one{a},
          other{b},
          count{n} {}
    std::unique_ptr<killer>& one;
    std::unique_ptr<killer>& other;
    int& count;
  };
  timer_wheel wheel{at(0ms)};
  std::unique_ptr<killer> a;
  std::unique_ptr<killer> b;
  int count = 0;
  a = std::make_unique<killer>(a, b, count);
  b = std::make_unique<killer>(a, b, count);
  wheel.arm(*a, at(1ms));
  wheel.arm(*b, at(1ms));
  wheel.advance(at(1ms));
  EXPECT_EQ(count, 1);
  EXPECT_EQ(wheel.size(), 0U);
}

TEST(timer_wheel, disarms_its_timers_when_it_goes) {
  counting_timer t;
  {
    timer_wheel wheel{at(0ms)};
    wheel.arm(t, at(1s));
  }
  EXPECT_FALSE(t.armed());
}

// The wheel against its definition: a timer fires in the first advance at or after its tick.
TEST(timer_wheel, agrees_with_a_list_that_is_searched) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    random_stream chance{seed};
    instant now = at(std::chrono::milliseconds{below(chance(), 1U << 20)});
    timer_wheel wheel{now};
    std::vector<counting_timer> timers(40);
    std::vector<instant> due(timers.size(), instant::max());
    std::vector<int> expected(timers.size(), 0);
    for (int step = 0; step < 300; ++step) {
      auto const i = below(chance(), timers.size());
      auto const reach = std::uint64_t{1} << below(chance(), 45);
      if (below(chance(), 4) == 0) {
        timers[i].cancel();
        due[i] = instant::max();
      } else {
        due[i] = now + duration{static_cast<std::int64_t>(below(chance(), reach))};
        wheel.arm(timers[i], due[i]);
      }
      instant wake = wheel.next_wake();
      for (instant d : due) ASSERT_TRUE(d.is_never() || wake <= std::max(d, now) + 1ms) << "seed=" << seed;
      if (below(chance(), 2) == 0) continue;
      now += duration{static_cast<std::int64_t>(below(chance(), std::uint64_t{1} << below(chance(), 45)))};
      wheel.advance(now);
      for (std::size_t k = 0; k < timers.size(); ++k) {
        if (!due[k].is_never() && !timers[k].armed()) {
          ASSERT_GE(now, due[k]) << "fired early, seed=" << seed << " step=" << step;
          due[k] = instant::max();
          ++expected[k];
        }
        ASSERT_TRUE(due[k].is_never() || now < due[k] + 1ms)
            << "fired late, seed=" << seed << " step=" << step;
        ASSERT_EQ(timers[k].fired, expected[k]);
      }
    }
  }
}

}  // namespace
}  // namespace halfopen::net
