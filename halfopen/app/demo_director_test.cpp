#include <gtest/gtest.h>

#include <halfopen/app/demo_director.hpp>

namespace halfopen::app {
namespace {

using namespace std::chrono_literals;
using action = demo_director::action;

instant at(duration d) { return instant{d}; }

TEST(demo_director, breaks_after_a_calm_and_heals_after_a_failed_probe) {
  demo_director d{at(0s)};
  EXPECT_EQ(d.next(at(0s)), action::wait);
  EXPECT_EQ(d.wake_at(), at(demo_director::calm));
  EXPECT_EQ(d.next(at(1500ms)), action::break_upstream);
  EXPECT_EQ(d.next(at(1600ms)), action::wait);
  d.saw(breaker_state::open, at(2s));
  EXPECT_EQ(d.next(at(2900ms)), action::wait);
  d.saw(breaker_state::half_open, at(3s));
  EXPECT_EQ(d.next(at(3s)), action::wait);
  d.saw(breaker_state::open, at(3s));
  EXPECT_EQ(d.next(at(3s)), action::wait);
  EXPECT_EQ(d.wake_at(), at(3s + demo_director::lull));
  EXPECT_EQ(d.next(at(3700ms)), action::heal_upstream);
  d.saw(breaker_state::half_open, at(5s));
  EXPECT_EQ(d.next(at(5s)), action::wait);
  d.saw(breaker_state::closed, at(5s));
  EXPECT_EQ(d.next(at(5s)), action::wait);
  EXPECT_EQ(d.wake_at(), at(5s + demo_director::encore));
  EXPECT_EQ(d.next(at(6s)), action::finish);
}

TEST(demo_director, gives_up_where_nothing_trips) {
  demo_director d{at(0s)};
  EXPECT_EQ(d.next(at(2s)), action::break_upstream);
  EXPECT_EQ(d.wake_at(), at(demo_director::patience));
  EXPECT_EQ(d.next(at(demo_director::patience)), action::give_up);
}

TEST(demo_director, gives_up_where_nothing_recovers) {
  demo_director d{at(0s)};
  EXPECT_EQ(d.next(at(2s)), action::break_upstream);
  d.saw(breaker_state::open, at(2s));
  d.saw(breaker_state::open, at(3s));
  EXPECT_EQ(d.next(at(4s)), action::heal_upstream);
  d.saw(breaker_state::open, at(5s));
  EXPECT_EQ(d.next(at(demo_director::patience)), action::give_up);
}

TEST(demo_director, takes_a_visitor_who_heals_it_by_hand_for_the_story) {
  demo_director d{at(0s)};
  EXPECT_EQ(d.next(at(2s)), action::break_upstream);
  d.saw(breaker_state::open, at(2s));
  d.saw(breaker_state::closed, at(3s));  // healed before its probe
  EXPECT_EQ(d.next(at(4s)), action::finish);
}

}  // namespace
}  // namespace halfopen::app
