#include <gtest/gtest.h>

#include <halfopen/policy/breaker_value.hpp>
#include <halfopen/policy/circuit_breaker.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

TEST(circuit_breaker, trips_probes_once_and_recovers) {
  circuit_breaker b{{.window = consecutive{2}, .open_for = {.initial = 1s, .jitter = jitter::none}},
                    {.now = instant{}}};
  instant now{1s};
  for (int i = 0; i < 2; ++i) std::move(*b.try_acquire(now)).failure(now);
  ASSERT_EQ(b.state(), breaker_state::open);
  EXPECT_EQ(b.try_acquire(now).error().retry_after, 1s);
  now += 1s;
  auto probe = b.try_acquire(now);
  ASSERT_TRUE(probe);
  EXPECT_TRUE(probe->is_probe());
  EXPECT_EQ(probe->deadline(), now + 5s);
  EXPECT_EQ(b.try_acquire(now).error().why, errc::probe_in_flight);
  std::move(*probe).success(now);
  EXPECT_EQ(b.state(), breaker_state::closed);
}

}  // namespace
}  // namespace halfopen
