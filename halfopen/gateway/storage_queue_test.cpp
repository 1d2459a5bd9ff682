#include <thread>

#include <gtest/gtest.h>

#include <halfopen/gateway/storage_queue.hpp>

namespace halfopen::gateway {
namespace {

std::unique_ptr<storage_item> item(std::size_t n) {
  auto i = std::make_unique<storage_item>();
  i->bytes = n;
  return i;
}

TEST(storage_queue, keeps_the_order) {
  storage_queue q;
  std::vector<std::unique_ptr<storage_item>> out;
  for (std::size_t n = 0; n < 5; ++n) {
    auto i = item(n);
    ASSERT_TRUE(q.push(i));
    if (n == 2) q.take_all(out);
  }
  q.take_all(out);
  ASSERT_EQ(out.size(), 5U);
  for (std::size_t n = 0; n < 5; ++n) EXPECT_EQ(out[n]->bytes, n);
}

TEST(storage_queue, refuses_and_leaves_the_item_once_closed) {
  storage_queue q;
  std::vector<std::unique_ptr<storage_item>> out;
  auto first = item(1);
  ASSERT_TRUE(q.push(first));
  q.close(out);
  EXPECT_EQ(out.size(), 1U);
  auto late = item(2);
  EXPECT_FALSE(q.push(late));
  EXPECT_NE(late, nullptr);
  q.take_all(out);
  q.close(out);
  EXPECT_EQ(out.size(), 1U);
}

TEST(storage_queue, loses_and_doubles_nothing_between_threads_also_while_it_closes) {
  constexpr std::size_t each = 5000;
  storage_queue q;
  std::atomic<std::size_t> accepted{0};
  std::vector<std::thread> pushers;
  for (std::size_t t = 0; t < 3; ++t) {
    pushers.emplace_back([&, t] {
      for (std::size_t n = 0; n < each; ++n) {
        auto i = item(t * each + n);
        if (q.push(i)) ++accepted;
      }
    });
  }
  std::vector<std::unique_ptr<storage_item>> out;
  while (out.size() < each) q.take_all(out);
  q.close(out);
  for (auto& p : pushers) p.join();
  EXPECT_EQ(out.size(), accepted);
  std::vector<std::size_t> next{0, each, 2 * each};
  for (auto const& i : out) EXPECT_EQ(i->bytes, next[i->bytes / each]++);
}

}  // namespace
}  // namespace halfopen::gateway
