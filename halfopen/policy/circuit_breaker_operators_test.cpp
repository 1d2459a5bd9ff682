// What only an operator sets and leaves (S7).
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

TEST(circuit_breaker, forced_open_refuses_for_ever_with_the_configured_retry_after) {
  tripped s;
  s.breaker.force_open(s.now());
  s.after(10h);
  EXPECT_EQ(s.refused(), errc::forced_open);
  EXPECT_EQ(s.ask().error().retry_after, 30s);
  EXPECT_EQ(s.breaker.status(s.now()).retry_after, 30s);
  EXPECT_EQ(s.look().retry_after, 30s);
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
    s.breaker.automatic(s.now());
    EXPECT_EQ(s.state(), breaker_state::closed);
  }
}

TEST(circuit_breaker, automatic_and_reset_begin_anew_from_every_state) {
  for (auto const act : {&circuit_breaker::automatic, &circuit_breaker::reset}) {
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

TEST(circuit_breaker, metrics_only_says_so_again_after_a_new_beginning) {
  breaker_subject s{with(plain_breaker(), [](auto& c) { c.window = consecutive{1}; })};
  for (int i = 0; i < 2; ++i) {
    s.breaker.metrics_only(s.now());
    s.call(outcome::failure);
    EXPECT_EQ(s.events.back().kind, breaker_event_kind::would_trip);
    s.breaker.disable(s.now());
  }
}

TEST(circuit_breaker, an_operators_act_has_no_deadline_and_is_not_dated_back) {
  tripped s;
  auto probe = s.probe();  // at 10 s
  s.breaker.force_open(instant{2s});
  EXPECT_EQ(s.look().since, instant{10s});
  EXPECT_EQ(s.look().until, instant::max());
  EXPECT_EQ(s.events.back().at, instant{10s});
  s.breaker.automatic(instant{2s});
  EXPECT_EQ(s.look().since, instant{10s});
  EXPECT_EQ(s.look().cause, breaker_cause::automatic);
}

TEST(circuit_breaker, the_same_operators_act_twice_is_one) {
  breaker_subject s{plain_breaker()};
  s.breaker.force_open(s.now());
  s.breaker.force_open(s.now());
  EXPECT_EQ(s.events.size(), 1U);
}

}  // namespace
}  // namespace halfopen
