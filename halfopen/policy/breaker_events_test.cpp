// What observers are told, and when (S6).
#include <stdexcept>
#include <thread>

#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

TEST(breaker_events, tell_each_transition_once_in_epoch_order_with_the_counts_that_justified_it) {
  breaker_subject s{plain_breaker()};
  s.call(outcome::success);
  s.calls(2, outcome::failure);
  s.wait_out();
  s.call(outcome::success);
  ASSERT_EQ(s.events.size(), 3U);
  EXPECT_EQ(s.events[0], (breaker_event{breaker_event_kind::transition,
                                        breaker_state::closed,
                                        breaker_state::open,
                                        breaker_cause::failures,
                                        1,
                                        1,
                                        {2, 2, 0},
                                        instant{},
                                        instant{10s}}));
  EXPECT_EQ(s.events[1].to, breaker_state::half_open);
  EXPECT_EQ(s.events[1].cause, breaker_cause::waited);
  EXPECT_EQ(s.events[2].to, breaker_state::closed);
  EXPECT_EQ(s.events[2].cause, breaker_cause::probe_succeeded);
  s.expect_one_event_an_epoch();
}

// The compiler asks name() for every value; the lists are held to it.
TEST(breaker_events, every_cause_and_state_is_listed_once_and_has_a_name) {
  std::uint8_t at = 0;
  for (auto const s : breaker_states) {
    EXPECT_EQ(static_cast<std::uint8_t>(s), at++);
    EXPECT_NE(name(s), "unknown");
  }
  EXPECT_EQ(name(static_cast<breaker_state>(at)), "unknown");
  at = 0;
  for (auto const c : breaker_causes) {
    EXPECT_EQ(static_cast<std::uint8_t>(c), at++);
    EXPECT_NE(name(c), "unknown");
  }
  EXPECT_EQ(name(static_cast<breaker_cause>(at)), "unknown");
}

TEST(breaker_events, a_step_of_two_transitions_tells_both) {
  breaker_subject s{plain_breaker()};
  s.calls(2, outcome::failure);
  s.wait_out();
  auto lost = s.admitted();
  s.after(1h);
  auto next = s.admitted();  // half_open -> open -> half_open
  ASSERT_EQ(s.events.size(), 4U);
  EXPECT_EQ(s.events[2].cause, breaker_cause::probe_expired);
  EXPECT_EQ(s.events[3].cause, breaker_cause::waited);
  s.expect_one_event_an_epoch();
}

TEST(breaker_events, a_reload_that_changes_the_windows_shape_says_that_it_is_empty_now) {
  breaker_subject s{{.window = call_window{.size = 100}, .minimum_calls = 50}};
  s.calls(7, outcome::failure);
  auto c = s.breaker.config();
  c.minimum_calls = 60;
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  EXPECT_EQ(s.look().window.failures, 7U);
  EXPECT_TRUE(s.events.empty());
  c.window = time_window{.length = 60s};
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  EXPECT_EQ(s.look().window, window_counts{});
  ASSERT_EQ(s.events.size(), 1U);
  EXPECT_EQ(s.events[0].kind, breaker_event_kind::window_emptied);
  EXPECT_EQ(s.events[0].counts, (window_counts{7, 7, 0}));
  EXPECT_EQ(s.look().epoch, 0U);
  s.calls(60, outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::open);
}

// An observer that calls every method of the breaker it observes.
class meddler : public breaker_subject {
 public:
  using breaker_subject::breaker_subject;

  void on_event(breaker_event const& e) override {
    EXPECT_FALSE(inside) << "an event is told after the one at hand";
    inside = true;
    breaker_subject::on_event(e);
    (void)look();
    (void)breaker.status(now());
    (void)breaker.would_admit(now());
    if (auto p = ask()) std::move(*p).ignored(now());
    if (e.to == breaker_state::open) breaker.force_open(now());
    if (e.to == breaker_state::forced_open) breaker.reset(now());
    if (e.cause == breaker_cause::reset) {
      EXPECT_TRUE(breaker.reconfigure(breaker.config(), now()));
    }
    inside = false;
  }
  bool inside = false;
};

TEST(breaker_events, every_method_may_be_called_from_an_observer) {
  meddler s{plain_breaker()};
  s.calls(2, outcome::failure);
  ASSERT_EQ(s.events.size(), 3U);
  EXPECT_EQ(s.state(), breaker_state::closed);
  s.expect_one_event_an_epoch();
}

class thrower : public breaker_subject {
 public:
  using breaker_subject::breaker_subject;
  void on_event(breaker_event const& e) override {
    breaker_subject::on_event(e);
    throw std::runtime_error{"not my day"};
  }
};

TEST(breaker_events, an_observer_that_throws_loses_no_permit_and_wedges_nothing) {
  thrower s{plain_breaker()};
  s.calls(2, outcome::failure);
  s.wait_out();
  s.call(outcome::success);
  EXPECT_EQ(s.state(), breaker_state::closed);
  EXPECT_EQ(s.events.size(), 3U);
  EXPECT_EQ(s.look().observer_threw, 3U);
  EXPECT_EQ(s.totals().in_flight(), 0U);
}

// An observer that holds the queue up: events pile up behind the one that it is told.
class holder : public breaker_subject {
 public:
  using breaker_subject::breaker_subject;
  void on_event(breaker_event const& e) override {
    breaker_subject::on_event(e);
    if (events.size() == 1) {
      for (int i = 0; i < 10; ++i) breaker.reset(now());
    }
  }
};

TEST(breaker_events, overflow_is_counted_and_the_state_goes_on) {
  auto c = plain_breaker();
  c.events_max = 4;
  holder s{c};
  s.breaker.reset(s.now());
  EXPECT_EQ(s.events.size(), 5U);
  EXPECT_EQ(s.look().events_lost, 6U);
  EXPECT_EQ(s.look().epoch, 11U);
  s.breaker.reset(s.now());  // there is room again
  EXPECT_EQ(s.events.back().epoch, 12U);
}

TEST(breaker_events, are_told_by_one_thread_at_a_time_and_none_is_left_behind) {
  class counter final : public breaker_observer {
   public:
    void on_event(breaker_event const& e) override {
      EXPECT_FALSE(inside.exchange(true, std::memory_order_acq_rel));
      EXPECT_EQ(e.epoch, ++epoch);
      inside.store(false, std::memory_order_release);
    }
    std::atomic<bool> inside{false};
    std::uint32_t epoch = 0;  // only by who tells
  } seen;
  auto c = plain_breaker();
  c.events_max = 1U << 16;
  circuit_breaker b{c, {.observer = &seen, .now = instant{}}};
  auto const work = [&b] {
    for (int i = 0; i < 2000; ++i) b.reset(instant{});
  };
  std::thread one{work};
  std::thread two{work};
  one.join();
  two.join();
  EXPECT_EQ(seen.epoch, 4000U);
}

}  // namespace
}  // namespace halfopen
