#include <limits>

#include <gtest/gtest.h>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/base/error.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/base/percent.hpp>
#include <halfopen/base/random.hpp>
#include <halfopen/base/saturating.hpp>
#include <halfopen/base/time.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

TEST(instant, never_stays_never_whatever_is_added) {
  EXPECT_EQ(instant::max() - 1h, instant::max());
  EXPECT_EQ(instant::max() + 1h, instant::max());
}

TEST(instant, saturates_at_both_ends) {
  EXPECT_EQ(instant{duration::max() - 1ns} + 1h, instant::max());
  EXPECT_EQ(instant::min() - 1h, instant::min());
  EXPECT_EQ(instant::max() - instant::min(), duration::max());
}

TEST(saturating, keeps_the_sign_of_the_true_result) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(saturating_multiply(most, std::int64_t{-2}), least);
  EXPECT_EQ(saturating_multiply(least, std::int64_t{-2}), most);
  EXPECT_EQ(saturating_subtract(least, std::int64_t{1}), least);
  EXPECT_EQ(saturating_subtract(0U, 1U), 0U);
}

TEST(percent, is_reached_exactly_at_the_threshold) {
  EXPECT_TRUE((50_percent).reached_by(5, 10));
  EXPECT_FALSE((50_percent).reached_by(4, 9));
  EXPECT_TRUE((33_percent).reached_by(1, 3));
  EXPECT_FALSE((34_percent).reached_by(1, 3));
  EXPECT_FALSE((1_percent).reached_by(0, 0));
}

TEST(random, below_stays_below) {
  random_stream bits{7};
  for (int i = 0; i < 1000; ++i) EXPECT_LT(below(bits(), 10), 10U);
  EXPECT_EQ(below(~0ULL, 0), 0U);
}

TEST(diagnostic, is_written_in_the_form_that_editors_parse) {
  diagnostic d{"a.yaml", {3, 7}, severity::error, "config.unit", "5", "a duration such as 5s", ""};
  EXPECT_EQ(to_string(d), "a.yaml:3:7: error: found 5, expected a duration such as 5s [config.unit]");
}

TEST(nearest, suggests_a_slip_of_the_finger_and_nothing_far_off) {
  EXPECT_EQ(nearest("timout", {"retry", "timeout", "policy"}), "timeout");
  EXPECT_EQ(nearest("dmeo", {"demo", "help"}), "demo");
  EXPECT_EQ(nearest("u", {"t"}), "");
  EXPECT_EQ(nearest("zebra", {"retry", "timeout", "policy"}), "");
}

TEST(errc, every_refusal_says_that_it_is_one) {
  EXPECT_TRUE(is_refusal(errc::probe_in_flight));
  EXPECT_FALSE(is_refusal(errc::timed_out));
  EXPECT_EQ(name(errc::probe_in_flight), "probe_in_flight");
}

}  // namespace
}  // namespace halfopen
