#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/policy/backoff_delay.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

constexpr jitter kinds[] = {jitter::none, jitter::full, jitter::equal, jitter::decorrelated};

TEST(backoff, grows_by_its_multiplier_up_to_the_maximum) {
  backoff const b{.initial = 100ms, .multiplier = 2, .maximum = 1s, .jitter = jitter::none};
  duration const expected[] = {100ms, 200ms, 400ms, 800ms, 1s, 1s};
  for (std::uint32_t n = 1; n <= 6; ++n) EXPECT_EQ(jittered_delay(b, n, 7, n), expected[n - 1]);
  EXPECT_EQ(nominal_delay({.initial = 100ms, .multiplier = 1.5, .maximum = 1s}, 3), 225ms);
  EXPECT_EQ(nominal_delay({.initial = 100ms, .multiplier = 1, .maximum = 1s}, 1U << 31), 100ms);
}

TEST(backoff,
     field_68_is_finite_and_within_its_bounds_for_every_attempt) {  // Polly#1866, #2163, cockatiel#86
  std::vector<std::uint32_t> attempts{0, 1, 2, 3, 63, 64, 65, 1023, 1024, 1025, 1026, 1U << 31, ~0U};
  for (std::uint64_t i = 0; i < 500; ++i) attempts.push_back(static_cast<std::uint32_t>(mix(3, i)));
  for (auto const kind : kinds) {
    for (double const multiplier : {1.0, 1.0000001, 1.5, 2.0, 1000.0}) {
      for (auto const maximum : {duration{1s}, duration{60s}, duration::max()}) {
        for (std::uint32_t const n : attempts) {
          auto const d = jittered_delay({1s, multiplier, maximum, kind}, n, 42, n * 7ULL);
          ASSERT_GE(d, 0ns) << n;
          ASSERT_LE(d, maximum) << n;
        }
      }
    }
  }
}

struct statistics {
  double least = 1e300;
  double most = -1;
  double mean = 0;
};

statistics of(backoff const& b, std::uint32_t n) {
  statistics s;
  constexpr int draws = 20'000;
  for (std::uint64_t i = 0; i < draws; ++i) {
    auto const d = static_cast<double>(jittered_delay(b, n, 9, i * 1000).count());
    s = {std::min(s.least, d), std::max(s.most, d), s.mean + d / draws};
  }
  return s;
}

TEST(backoff,
     field_70_jitter_has_the_bounds_and_the_mean_it_claims) {  // failsafe#216, #224, failsafe-rs 1.1.0
  backoff b{.initial = 1s, .multiplier = 2, .maximum = 1h};
  for (std::uint32_t n = 1; n <= 6; ++n) {
    auto const nominal = static_cast<double>(nominal_delay(b, n).count());
    b.jitter = jitter::full;
    auto const full = of(b, n);
    EXPECT_LT(full.least, 0.01 * nominal);
    EXPECT_GT(full.most, 0.99 * nominal);
    EXPECT_NEAR(full.mean, 0.5 * nominal, 0.02 * nominal);
    b.jitter = jitter::equal;
    auto const equal = of(b, n);
    EXPECT_GE(equal.least, 0.5 * nominal);
    EXPECT_LE(equal.most, nominal);
    EXPECT_NEAR(equal.mean, 0.75 * nominal, 0.02 * nominal);
    b.jitter = jitter::decorrelated;  // each uniform in 1 s .. 3 * the one before: means 2, 3.5, 5.75, ...
    auto const decorrelated = of(b, n);
    EXPECT_GE(decorrelated.least, 1e9);
    EXPECT_LE(decorrelated.most, 1e9 * std::pow(3, n));
    double const mean = 1e9 * (std::pow(1.5, n) + (std::pow(1.5, n) - 1));
    EXPECT_NEAR(decorrelated.mean, mean, 0.05 * mean);
  }
}

TEST(backoff, replays_from_its_seed_and_differs_between_seeds) {
  for (auto const kind : {jitter::full, jitter::equal, jitter::decorrelated}) {
    backoff const b{.initial = 1s, .maximum = 1h, .jitter = kind};
    EXPECT_EQ(jittered_delay(b, 5, 7, 11), jittered_delay(b, 5, 7, 11));
    EXPECT_NE(jittered_delay(b, 5, 7, 11), jittered_delay(b, 5, 8, 11));
  }
}

TEST(backoff, a_decorrelated_delay_is_drawn_from_the_one_before_it) {
  backoff const b{.initial = 1s, .maximum = 1h, .jitter = jitter::decorrelated};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto const before = jittered_delay(b, 4, seed, 20);
    auto const next = jittered_delay(b, 5, seed, 22);  // an opening and its probe later
    EXPECT_LE(next, 3 * before);
  }
}

}  // namespace
}  // namespace halfopen
