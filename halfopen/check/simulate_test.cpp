#include <gmock/gmock.h>

#include <halfopen/check/simulate.hpp>
#include <halfopen/check/typed_model.hpp>

namespace halfopen::check {
namespace {

/// A walk on a line from 0: one step up, or `many` different ones back to 0.
struct ladder {
  struct state {
    std::int32_t x;
    std::int32_t last;  // which step led here
  };
  std::int32_t top = 1000;  // a step beyond it breaks High
  std::int32_t many = 3;
  std::int32_t cut = 1000;  // states beyond it are outside of the constraint
  std::int32_t stuck = -1;  // no step leads on from here
  std::int32_t steepest = 9;

  enum : action_id { start, up, fall };

  void initial(auto emit) const { emit(state{0, 0}, start); }
  void next(state s, auto emit) const {
    if (s.x == stuck) return;
    emit(state{s.x + 1, 0}, up);
    for (std::int32_t i = 0; i < many; ++i) emit(state{0, i}, fall);
  }
  [[nodiscard]] bool within(state s) const { return s.x <= cut; }
  static std::string action_name(action_id a) { return std::array{"Start", "Up", "Fall"}[a]; }
  static std::string show(state s) { return "x = " + std::to_string(s.x) + "\n"; }
  static constexpr auto invariants() {
    return std::array{state_property<ladder>{"High", [](auto& m, auto& s) { return s.x <= m.top; }}};
  }
  static constexpr auto step_properties() {
    return std::array{
        step_property<ladder>{"Gentle", [](auto& m, auto& a, auto& b) { return a.x - b.x <= m.steepest; }}};
  }
};

walk_result walked(ladder l, walks const& how) {
  typed_model<ladder> m{l};
  return simulate(m, how);
}

std::vector<std::vector<word>> states(walk_result const& r) {
  std::vector<std::vector<word>> all;
  for (auto const& s : r.trace) all.push_back(s.state);
  return all;
}

TEST(simulate, takes_as_many_walks_of_such_a_length_as_asked_and_never_says_that_a_model_holds) {
  auto const r = walked({}, {.count = 5, .depth = 10, .seed = 1});
  EXPECT_EQ(r.found, verdict::not_finished);
  EXPECT_FALSE(r.stopped);
  // One initial state; nine states on each walk have four successors.
  EXPECT_EQ(r.counts, (walk_counts{.walks = 5, .steps = 45, .generated = 1 + 5 * 9 * 4, .longest = 10}));
}

TEST(simulate, a_walk_that_found_something_can_be_repeated_alone) {
  walks how{.count = 10000, .depth = 50, .seed = 7};
  auto const r = walked({.top = 9}, how);
  ASSERT_EQ(r.found, verdict::invariant_broken);
  EXPECT_GT(r.walk, 1U);
  how.first = r.walk;
  how.count = 1;
  auto const again = walked({.top = 9}, how);
  EXPECT_EQ(again.found, verdict::invariant_broken);
  EXPECT_EQ(states(again), states(r));
}

TEST(simulate, other_seeds_walk_elsewhere) {
  auto const way = [](std::uint64_t seed) {
    return states(walked({.top = 4}, {.count = 10000, .depth = 50, .seed = seed}));
  };
  EXPECT_EQ(way(3), way(3));
  EXPECT_NE(way(3), way(4));
}

TEST(simulate, chooses_an_action_before_one_of_its_steps) {
  // Two actions, one with a thousand steps: still every other step goes up.
  auto const r = walked({.top = 5, .many = 1000}, {.count = 100, .depth = 100, .seed = 1});
  EXPECT_EQ(r.found, verdict::invariant_broken);
}

TEST(simulate, looks_at_successors_that_are_not_taken) {
  auto const r = walked({.top = 0}, {.count = 1, .depth = 2, .seed = 1});
  EXPECT_EQ(r.found, verdict::invariant_broken);
  EXPECT_EQ(r.trace.size(), 2U);
}

TEST(simulate, stays_within_the_constraint) {
  auto const r = walked({.many = 0, .cut = 3}, {.count = 2, .depth = 100, .seed = 1});
  EXPECT_EQ(r.found, verdict::not_finished);
  EXPECT_EQ(r.counts.longest, 4U);
}

TEST(simulate, asks_step_properties_of_every_step) {
  auto const r = walked({.steepest = 2}, {.count = 1000, .depth = 100, .seed = 1});
  EXPECT_EQ(r.found, verdict::step_broken);
  EXPECT_EQ(r.trace.back().by, ladder::fall);
}

TEST(simulate, finds_deadlock_only_if_asked) {
  walks how{.count = 1000, .depth = 100, .seed = 1};
  EXPECT_EQ(walked({.stuck = 2}, how).found, verdict::deadlock);
  how.check_deadlock = false;
  EXPECT_EQ(walked({.stuck = 2}, how).found, verdict::not_finished);
}

TEST(simulate, ends_when_it_is_stopped) {
  int asked = 0;
  auto const r = walked({}, {.seed = 1, .stop = [&] { return ++asked > 3; }});
  EXPECT_TRUE(r.stopped);
  EXPECT_EQ(r.counts.walks, 3U);
}

}  // namespace
}  // namespace halfopen::check
