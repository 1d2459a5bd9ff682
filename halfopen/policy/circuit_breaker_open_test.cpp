// Open: for how long, and what results from before it do (S2, S3, S5).
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

TEST(circuit_breaker, admits_nobody_before_the_deadline_and_one_probe_at_it) {  // S3
  tripped s;
  s.after(10s - 1ns);
  EXPECT_EQ(s.refused(), errc::open);
  EXPECT_FALSE(s.breaker.would_admit(s.now()));
  EXPECT_EQ(s.ask().error().retry_after, 1ns);
  s.after(1ns);
  EXPECT_TRUE(s.breaker.would_admit(s.now()));
  auto probe = s.admitted();
  EXPECT_TRUE(probe.is_probe());
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
}

TEST(circuit_breaker, looking_changes_nothing_and_shows_an_expired_open_as_open) {
  tripped s;
  s.after(1h);
  EXPECT_EQ(s.breaker.status(s.now()), (breaker_status{breaker_state::open, 1, 0s}));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(s.breaker.would_admit(s.now()));
  EXPECT_EQ(s.look().state, breaker_state::open);
  EXPECT_EQ(s.events.size(), 1U);
}

TEST(circuit_breaker, backs_off_further_at_each_opening_in_a_row) {
  tripped s;
  for (duration const expected : {10s, 20s, 40s, 40s}) {
    EXPECT_EQ(s.look().retry_after, expected);
    s.probe().failure(s.now());
  }
  EXPECT_EQ(s.look().openings, 5U);
}

TEST(circuit_breaker, flapping_keeps_backing_off_until_it_has_stayed_closed) {
  tripped s;
  s.probe().success(s.now());
  s.after(60s - 1ns);  // one short of reset_after
  s.calls(2, outcome::failure);
  EXPECT_EQ(s.look().retry_after, 20s);
  s.probe().success(s.now());
  s.after(60s);
  s.calls(2, outcome::failure);
  EXPECT_EQ(s.look().retry_after, 10s);
  EXPECT_EQ(s.look().openings, 1U);
}

TEST(circuit_breaker, is_held_open_longer_by_the_retry_after_of_the_result_that_opens_it) {
  auto const c = with(plain_breaker(), [](auto& c) { c.retry_after_max = 30s; });
  breaker_subject s{c};
  auto late = s.admitted();
  s.call(outcome::failure);
  s.admitted().failure(s.now(), 25s);
  EXPECT_EQ(s.look().retry_after, 25s);
  std::move(late).failure(s.now(), 30s);  // late: never extends
  EXPECT_EQ(s.look().retry_after, 25s);
  s.wait_out();
  s.admitted().failure(s.now(), 1h);  // bounded
  EXPECT_EQ(s.look().retry_after, 30s);
  s.wait_out();
  s.admitted().failure(s.now(), 1s);  // never shortens
  EXPECT_EQ(s.look().retry_after, 40s);
}

TEST(circuit_breaker, does_not_heed_retry_after_unless_told_to) {
  breaker_subject s{plain_breaker()};
  s.call(outcome::failure);
  s.admitted().failure(s.now(), 1h);
  EXPECT_EQ(s.look().retry_after, 10s);
}

// --- late results

class late_result : public ::testing::TestWithParam<outcome> {};

TEST_P(late_result, changes_no_state_and_is_counted_apart) {
  breaker_subject s{plain_breaker()};
  std::vector<permit> early;
  for (int i = 0; i < 4; ++i) early.push_back(s.admitted());
  s.calls(2, outcome::failure);
  auto const same = [&](permit& p) {
    auto const before = s.look();
    auto const events = s.events.size();
    std::move(p).settle(GetParam(), s.now(), 1h);
    auto const after = s.look();
    EXPECT_EQ(after.state, before.state);
    EXPECT_EQ(after.epoch, before.epoch);
    EXPECT_EQ(after.until, before.until);
    EXPECT_EQ(after.window, before.window);
    EXPECT_EQ(after.next_lease, before.next_lease);
    EXPECT_EQ(s.events.size(), events);
  };
  same(early[0]);  // in open
  s.wait_out();
  auto probe = s.admitted();
  same(early[1]);  // in half_open: S5, a stale success does not close
  std::move(probe).success(s.now());
  same(early[2]);  // in closed
  s.breaker.force_open(s.now());
  same(early[3]);
  auto const t = s.totals();
  EXPECT_EQ(t.late_successes + t.late_failures, is_neutral(GetParam()) ? 0U : 4U);
  EXPECT_EQ(t.in_flight(), 0U);
}
INSTANTIATE_TEST_SUITE_P(all, late_result,
                         ::testing::Values(outcome::success, outcome::failure, outcome::ignored,
                                           outcome::abandoned));

}  // namespace
}  // namespace halfopen
