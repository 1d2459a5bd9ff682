#include <gtest/gtest.h>

#include <halfopen/gateway/storage_time.hpp>

namespace halfopen::gateway {
namespace {

using namespace std::chrono_literals;

TEST(wall_time, reads_what_it_writes) {
  wall_time const t{1782295200123ms};
  EXPECT_EQ(to_text(t), "2026-06-24T10:00:00.123Z");
  EXPECT_EQ(parse_wall_time(to_text(t)), t);
}

TEST(wall_time, sorts_as_text_in_the_order_of_time) {
  EXPECT_LT(to_text(wall_time{9ms}), to_text(wall_time{10ms}));
  EXPECT_LT(to_text(wall_time{999'999ms}), to_text(wall_time{1'000'000ms}));
}

class bad_wall_time : public ::testing::TestWithParam<char const*> {};

TEST_P(bad_wall_time, is_told_apart_from_a_date) { EXPECT_FALSE(parse_wall_time(GetParam())); }

INSTANTIATE_TEST_SUITE_P(texts, bad_wall_time,
                         ::testing::Values("", "yesterday", "2026-06-24", "2026-06-24 10:00:00.123Z",
                                           "2026-13-24T10:00:00.123Z", "2026-02-30T10:00:00.123Z",
                                           "2026-06-24T24:00:00.123Z", "2026-06-24T10:60:00.123Z",
                                           "2026-06-24T10:00:60.123Z", "2026-06-24T10:00:00.123+",
                                           "2026-06-24T10:00:00.1234Z", "2026-06-24T1\xFF:00:00.123Z"));

TEST(wall_clock, dates_an_instant_by_the_moment_the_clocks_were_tied) {
  wall_clock const clock{wall_time{1'000'000ms}, instant{5s}};
  EXPECT_EQ(clock.at(instant{7s}), wall_time{1'002'000ms});
  EXPECT_EQ(clock.at(instant{4s}), wall_time{999'000ms});
}

}  // namespace
}  // namespace halfopen::gateway
