// The lease of a probe: when it ends, and how long the next one is (L2, L3).
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

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

}  // namespace
}  // namespace halfopen
