#include <gmock/gmock.h>

#include <halfopen/base/random.hpp>
#include <halfopen/check/fair_cycle.hpp>

namespace halfopen::check {
namespace {

struct arrow {
  std::uint32_t from, to;
  marks what = 0;
};

marked_graph made(std::vector<marks> states, std::vector<arrow> arrows, bool stutters = false) {
  marked_graph g{.of_state = std::move(states), .stutters = stutters};
  for (std::uint32_t s = 0; s < g.size(); ++s) {
    g.first.push_back(g.to.size());
    for (auto const& a : arrows) {
      if (a.from == s) g.to.push_back(a.to), g.of_step.push_back(a.what);
    }
  }
  g.first.push_back(g.to.size());
  return g;
}

std::optional<cycle> found(marked_graph const& g, fairness const& f) {
  std::uint32_t const starts[] = {0};
  return find_fair_cycle(g, starts, f);
}

TEST(fair_cycle, a_line_has_none_unless_it_may_stutter) {
  EXPECT_FALSE(found(made({0, 0}, {{0, 1}}), {}));
  EXPECT_EQ(found(made({0, 0}, {{0, 1}}, true), {})->size(), 1U);
}

TEST(fair_cycle, meets_every_mark_of_states_and_steps) {
  auto const g = made({1, 0, 2}, {{0, 1}, {1, 0}, {1, 2}, {2, 1, 4}});
  auto const c = found(g, {.must = 7});
  ASSERT_TRUE(c);
  EXPECT_THAT(*c, testing::IsSupersetOf({0U, 1U, 2U}));
  EXPECT_FALSE(found(g, {.must = 8}));
}

TEST(fair_cycle, one_that_cannot_be_reached_does_not_count) {
  EXPECT_FALSE(found(made({0, 0}, {{1, 1}}), {}));
}

TEST(fair_cycle, a_pair_binds_only_where_its_first_is_met) {
  // 0 <-> 1 shows the first of the pair, and 1 <-> 2 does not; the second is nowhere.
  auto const g = made({1, 0, 0}, {{0, 1}, {1, 0}, {1, 2}, {2, 1}});
  auto const c = found(g, {.pairs = {{1, 2}}});
  ASSERT_TRUE(c);
  EXPECT_THAT(*c, testing::UnorderedElementsAre(1U, 2U));
  EXPECT_FALSE(found(made({1, 0}, {{0, 1}, {1, 0}}), {.pairs = {{1, 2}}}));
  EXPECT_TRUE(found(made({1, 2}, {{0, 1}, {1, 0}}), {.pairs = {{1, 2}}}));
}

TEST(fair_cycle, pruning_for_one_pair_may_break_another) {
  // Without state 0 (pair 1) the rest shows the first of pair 2 and has lost its second.
  auto const g = made({1 | 8, 4, 0}, {{0, 1}, {1, 0}, {1, 2}, {2, 1}});
  EXPECT_FALSE(found(g, {.pairs = {{1, 2}, {4, 8}}}));
}

/// All cycles through up to `length` states, tried one by one.
bool slowly_found(marked_graph const& g, fairness const& f, std::uint32_t length) {
  struct walker {
    marked_graph const& g;
    fairness const& f;
    std::uint32_t home;
    bool from(std::uint32_t s, marks seen, std::uint32_t left) {
      seen |= g.of_state[s];
      for (auto i = g.first[s]; i < g.first[s + 1]; ++i) {
        auto const all = seen | g.of_step[i];
        bool const good = (all & f.must) == f.must && std::ranges::all_of(f.pairs, [&](auto const& p) {
                            return (all & p.first) == 0 || (all & p.second) != 0;
                          });
        if (g.to[i] == home && good) return true;
        if (left > 0 && from(g.to[i], all, left - 1)) return true;
      }
      return false;
    }
  };
  for (std::uint32_t s = 0; s < g.size(); ++s) {
    if (walker{g, f, s}.from(s, 0, length)) return true;
  }
  return false;
}

TEST(fair_cycle, agrees_with_trying_every_cycle) {
  random_stream chance{7};
  for (int attempt = 0; attempt < 400; ++attempt) {
    std::vector<marks> states(4);
    for (auto& s : states) s = chance() & chance() & 15;
    std::vector<arrow> arrows{{0, 1}, {1, 2}, {2, 3}};  // everything can be reached
    for (int i = 0; i < 4; ++i) {
      arrows.push_back({static_cast<std::uint32_t>(chance() % 4), static_cast<std::uint32_t>(chance() % 4),
                        chance() & chance() & 15});
    }
    auto const g = made(states, arrows);
    fairness const f{.must = chance() & chance() & 3, .pairs = {{1, 4}, {2, 8}}};
    auto const c = found(g, f);
    EXPECT_EQ(c.has_value(), slowly_found(g, f, 8)) << "seed=7 attempt=" << attempt;
  }
}

TEST(fair_cycle, a_thousand_conditions_are_as_good_as_a_few) {
  // A ring of so many states, each of which alone meets one condition: only the whole ring meets all.
  constexpr std::uint32_t size = 1000;
  basic_marked_graph<wide_marks> g;
  basic_fairness<wide_marks> wanted;
  for (std::uint32_t s = 0; s < size; ++s) {
    g.first.push_back(s);
    g.to.push_back((s + 1) % size);
    g.of_state.push_back(wide_marks{1} << s);
    g.of_step.push_back(0);
    wanted.must |= wide_marks{1} << s;
  }
  g.first.push_back(size);
  std::uint32_t const start = 0;
  auto const found = find_fair_cycle(g, {&start, 1}, wanted);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size(), size);
  wanted.must |= wide_marks{1} << 1023;  // nobody ever meets this one
  EXPECT_FALSE(find_fair_cycle(g, {&start, 1}, wanted));
}

}  // namespace
}  // namespace halfopen::check
