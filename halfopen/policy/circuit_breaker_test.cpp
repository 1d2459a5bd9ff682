// A circuit breaker as one holds it: made, moved, and told the time. The other rules of docs/breaker.md are
// in circuit_breaker_{closed,open,half_open,lease,ramp,operators,reload}_test.cpp and
// breaker_permit_test.cpp.
#include <stdexcept>

#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

TEST(circuit_breaker, starts_closed_and_admits) {
  breaker_subject s{breaker_config{}};
  EXPECT_EQ(s.state(), breaker_state::closed);
  auto p = s.admitted();
  EXPECT_FALSE(p.is_probe());
  EXPECT_EQ(p.deadline(), instant::max());
  EXPECT_EQ(p.epoch(), 0U);
}

TEST(circuit_breaker, cannot_be_made_from_bad_settings_and_says_all_that_is_wrong) {
  breaker_config const bad{.window = call_window{.size = 0}, .failure_rate = percent{0}, .probes = 0};
  auto const made = circuit_breaker::make(bad);
  ASSERT_FALSE(made);
  EXPECT_GE(made.error().size(), 3U);
  try {
    circuit_breaker b{bad};
    FAIL();
  } catch (std::invalid_argument const& e) {
    EXPECT_EQ(e.what(), to_string(made.error()));
  }
}

TEST(circuit_breaker, can_be_moved_while_permits_are_out) {
  auto made = circuit_breaker::make(plain_breaker());
  ASSERT_TRUE(made);
  auto p = made->try_acquire(instant{});
  circuit_breaker moved = *std::move(made);
  std::move(*p).failure(instant{});
  EXPECT_EQ(moved.snapshot(instant{}).window.failures, 1U);
}

// --- time

TEST(circuit_breaker, time_does_not_go_back) {
  tripped s;
  s.after(10s);
  auto probe = s.admitted();
  EXPECT_EQ(s.breaker.try_acquire(instant{1s}).error().retry_after, 5s);
  std::move(probe).failure(instant{2s});
  EXPECT_EQ(s.look().until, instant{30s});
}

TEST(circuit_breaker, survives_a_jump_far_ahead_and_time_that_stands_still) {
  tripped s;
  s.after(std::chrono::hours{24 * 365 * 100});
  auto probe = s.admitted();
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
  std::move(probe).success(s.now());
  EXPECT_EQ(s.state(), breaker_state::closed);
  for (int i = 0; i < 100; ++i) s.call(outcome::success);
}

TEST(circuit_breaker, deadlines_saturate_at_the_end_of_time) {
  breaker_subject s{plain_breaker()};
  s.clock.set(instant::max() - 1ns);
  s.clock.set(instant{duration::max() - 1ns});
  s.calls(2, outcome::failure);
  EXPECT_EQ(s.refused(), errc::open);
  EXPECT_GE(s.ask().error().retry_after, 0s);
}

TEST(circuit_breaker, reads_its_own_clock_where_nobody_says_the_time) {
  breaker_subject s{plain_breaker()};
  s.after(3s);
  for (int i = 0; i < 2; ++i) std::move(*s.breaker.try_acquire()).failure();
  EXPECT_EQ(s.look().since, instant{3s});
  s.after(10s);
  auto probe = s.breaker.try_acquire();
  EXPECT_EQ(probe->deadline(), instant{18s});
  std::move(*probe).success();
  EXPECT_EQ(s.state(), breaker_state::closed);
}

}  // namespace
}  // namespace halfopen
