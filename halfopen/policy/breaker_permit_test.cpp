// S4: a permit is settled once, and by its destructor if by nobody else.
#include <type_traits>

#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<permit> && std::is_nothrow_move_constructible_v<permit>);
static_assert(sizeof(permit) <= 40);

TEST(permit, is_abandoned_by_its_destructor) {
  breaker_subject s{plain_breaker()};
  {
    auto p = s.admitted();
  }
  EXPECT_EQ(s.totals().abandoned, 1U);
  EXPECT_EQ(s.totals().in_flight(), 0U);
}

TEST(permit, moves_its_right_with_it) {
  breaker_subject s{plain_breaker()};
  auto p = s.admitted();
  permit q = std::move(p);
  EXPECT_TRUE(p.is_spent());  // NOLINT: that is the claim
  std::move(q).success(s.now());
  EXPECT_TRUE(q.is_spent());
  EXPECT_EQ(s.totals().successes, 1U);
  EXPECT_EQ(s.totals().settled(), 1U);
}

TEST(permit, that_is_assigned_over_is_abandoned) {
  breaker_subject s{plain_breaker()};
  auto p = s.admitted();
  p = s.admitted();
  EXPECT_EQ(s.totals().abandoned, 1U);
  std::move(p).success(s.now());
  EXPECT_EQ(s.totals().in_flight(), 0U);
}

TEST(permit, counts_where_its_new_thread_counts) {
  auto cells = breaker_cells::each(2);
  circuit_breaker b{plain_breaker(), {.cells = &cells}};
  auto p = b.try_acquire(instant{}, cells[0]);
  p->count_in(cells[1]);
  std::move(*p).success(instant{});
  EXPECT_EQ(cells[0].read(tally::admitted), 1U);
  EXPECT_EQ(cells[1].read(tally::success), 1U);
  EXPECT_EQ(cells.sum().in_flight(), 0U);
}

TEST(permit, settled_twice_does_nothing_and_is_counted_or_stops_a_debug_build) {
  breaker_subject s{plain_breaker()};
  auto p = s.admitted();
  std::move(p).failure(s.now());
#ifdef HALFOPEN_COUNTS_SECOND_SETTLEMENTS
  std::move(p).failure(s.now());  // NOLINT: that is the claim
  EXPECT_EQ(s.state(), breaker_state::closed);
  EXPECT_EQ(s.look().settled_twice, 1U);
  EXPECT_EQ(s.totals().settled(), 1U);
#else
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(std::move(p).failure(s.now()), "S4");  // NOLINT: that is the claim
#endif
}

}  // namespace
}  // namespace halfopen
