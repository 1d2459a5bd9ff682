#include <atomic>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>

#include <halfopen/check/crew.hpp>

namespace halfopen::check {
namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 20;

TEST(crew, each_does_its_part_once_and_all_have_ended_when_run_returns) {
  crew c{stack_bytes};
  c.grow(4);
  ASSERT_EQ(c.size(), 4U);
  for (unsigned count : {4U, 1U, 3U, 4U, 2U}) {
    std::vector<int> done(4, 0);
    c.run(count, [&](unsigned w) { ++done[w]; });
    for (unsigned w = 0; w < 4; ++w) EXPECT_EQ(done[w], w < count ? 1 : 0);
  }
}

TEST(crew, what_one_throws_reaches_who_asked_and_the_crew_goes_on) {
  crew c{stack_bytes};
  c.grow(3);
  EXPECT_THROW(c.run(3,
                     [](unsigned w) {
                       if (w == 2) throw std::logic_error{"broken"};
                     }),
               std::logic_error);
  std::atomic<int> done = 0;
  c.run(3, [&](unsigned) { ++done; });
  EXPECT_EQ(done, 3);
}

TEST(crew, grows_only_as_far_as_there_is_memory) {
  crew c{std::size_t{1} << 50};
  c.grow(3);
  EXPECT_EQ(c.size(), 1U);
  int done = 0;
  c.run(1, [&](unsigned) { ++done; });
  EXPECT_EQ(done, 1);
}

TEST(crew, goes_home_without_having_done_anything) {
  crew c{stack_bytes};
  c.grow(2);
}

}  // namespace
}  // namespace halfopen::check
