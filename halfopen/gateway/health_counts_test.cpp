#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/gateway/health_counts.hpp>

namespace halfopen::gateway {
namespace {

using namespace std::chrono_literals;

health_key const payments{"payments", "http://127.0.0.1:9001"};

TEST(health_counts, ten_failures_in_a_row_show_a_failure_rate_of_one) {
  health_board board;
  auto& cell = board.add_cell(payments);
  for (int i = 0; i < 10; ++i) cell.failure(instant{});
  auto const counts = board.read(payments);
  EXPECT_EQ(counts.failure, 10U);
  EXPECT_EQ(counts.total_invocations(), 10U);
  EXPECT_EQ(counts.failure_rate(), 1.0);
  EXPECT_EQ(counts.success_rate(), 0.0);
}

TEST(health_counts, rates_are_the_counts_whatever_the_order) {
  health_board board;
  auto& cell = board.add_cell(payments);
  for (int i = 0; i < 30; ++i) i % 10 < 3 ? cell.failure(instant{}) : cell.success(instant{});
  auto const counts = board.read(payments);
  EXPECT_EQ(counts.failure_rate(), 0.3);
  EXPECT_EQ(counts.success_rate(), 0.7);
}

TEST(health_counts, have_no_rate_before_the_first_call) {
  health_counts const none;
  EXPECT_FALSE(none.success_rate());
  EXPECT_FALSE(none.failure_rate());
}

TEST(health_counts, neutral_outcomes_are_no_invocations) {
  health_board board;
  auto& cell = board.add_cell(payments);
  cell.success(instant{});
  cell.ignored();
  cell.abandoned();
  cell.late();
  cell.rejected();
  EXPECT_EQ(board.read(payments).total_invocations(), 1U);
  EXPECT_EQ(board.read(payments).success_rate(), 1.0);
}

TEST(health_board, adds_earlier_runs_and_every_loop) {
  health_board board{wall_clock{wall_time{1'000'000ms}, instant{}}};
  board.set_base(payments, {.success = 100, .failure = 7, .slow = 3, .last_failure_at = wall_time{5ms}});
  board.add_cell(payments).success(instant{2s});
  auto& second = board.add_cell(payments);
  second.success(instant{3s});
  second.slow();
  auto const counts = board.read(payments);
  EXPECT_EQ(counts.success, 102U);
  EXPECT_EQ(counts.failure, 7U);
  EXPECT_EQ(counts.slow, 4U);
  EXPECT_EQ(counts.last_success_at, wall_time{1'003'000ms});
  EXPECT_EQ(counts.last_failure_at, wall_time{5ms});
}

TEST(health_board, counts_saturate_and_never_wrap) {
  health_board board;
  board.set_base(payments, {.success = ~std::uint64_t{0}, .failure = 1});
  board.add_cell(payments).success(instant{});
  EXPECT_EQ(board.read(payments).success, ~std::uint64_t{0});
  EXPECT_EQ(board.read(payments).total_invocations(), ~std::uint64_t{0});
}

TEST(health_board, keeps_cells_in_place_while_others_are_added) {
  health_board board;
  auto& first = board.add_cell(payments);
  for (int i = 0; i < 1000; ++i) board.add_cell(payments).success(instant{});
  first.failure(instant{});
  EXPECT_EQ(board.read(payments).success, 1000U);
  EXPECT_EQ(board.read(payments).failure, 1U);
}

TEST(health_board, loses_no_count_while_it_is_read) {
  health_board board;
  std::vector<std::thread> loops;
  for (int loop = 0; loop < 2; ++loop) {
    loops.emplace_back([&cell = board.add_cell(payments)] {
      for (int i = 0; i < 20'000; ++i) cell.success(instant{});
    });
  }
  std::uint64_t before = 0;
  while (before < 40'000) {
    auto const now = board.read(payments).success;
    ASSERT_GE(now, before);
    before = now;
  }
  for (auto& loop : loops) loop.join();
  EXPECT_EQ(board.read(payments).success, 40'000U);
}

}  // namespace
}  // namespace halfopen::gateway
