#include <gmock/gmock.h>

#include <halfopen/base/random.hpp>
#include <halfopen/check/fair_cycle.hpp>
#include <halfopen/check/ltl.hpp>

namespace halfopen::check {
namespace {

/// One infinite behaviour: n states, the last goes on with `back`; the atoms of each state as bits.
struct behaviour {
  std::vector<std::uint32_t> atoms;
  std::uint32_t back;
};

bool holds(ltl const& l, ltl::formula f, behaviour const& b) {
  return l.holds(f, static_cast<std::uint32_t>(b.atoms.size()), b.back,
                 [&](std::uint32_t s, std::uint32_t a) { return (b.atoms[s] >> a & 1) != 0; });
}

/// Whether the automaton of f accepts it: a fair cycle of the two side by side.
bool accepted(ltl const& l, ltl::formula f, behaviour const& b) {
  auto const a = automaton_of(l, f);
  auto const n = static_cast<std::uint32_t>(b.atoms.size()),
             width = static_cast<std::uint32_t>(a.states.size());
  auto const fits = [&](std::uint32_t s, std::uint32_t q) {
    auto const is = [&](std::uint32_t atom) { return (b.atoms[s] >> atom & 1) != 0; };
    return std::ranges::all_of(a.states[q].wanted, is) && std::ranges::none_of(a.states[q].unwanted, is);
  };
  marked_graph g;
  for (std::uint32_t s = 0; s < n; ++s) {
    auto const t = s + 1 == n ? b.back : s + 1;
    for (std::uint32_t q = 0; q < width; ++q) {
      g.first.push_back(g.to.size());
      g.of_state.push_back(a.states[q].sets);
      if (!fits(s, q)) continue;
      for (auto r : a.states[q].next) {
        if (fits(t, r)) g.to.push_back(t * width + r), g.of_step.push_back(0);
      }
    }
  }
  g.first.push_back(g.to.size());
  std::vector<std::uint32_t> starts;
  for (auto q : a.initial) {
    if (fits(0, q)) starts.push_back(q);
  }
  return find_fair_cycle(g, starts, {.must = (marks{1} << a.sets) - 1}).has_value();
}

TEST(ltl, knows_what_always_and_eventually_mean_on_a_lasso) {
  ltl l;
  auto const p = l.atom(0);
  behaviour const once{{0, 1, 0}, 2}, again{{0, 1, 0}, 0};
  EXPECT_TRUE(holds(l, l.eventually(p), once));
  EXPECT_FALSE(holds(l, l.always(l.eventually(p)), once));
  EXPECT_TRUE(holds(l, l.always(l.eventually(p)), again));
  EXPECT_TRUE(holds(l, l.eventually(l.always(l.negated(p))), once));
  EXPECT_FALSE(holds(l, l.eventually(l.always(l.negated(p))), again));
}

TEST(ltl, a_negated_formula_is_true_exactly_where_the_formula_is_false) {
  ltl l;
  auto const f =
      l.always(l.either(l.negated(l.atom(0)), l.eventually(l.both(l.atom(1), l.always(l.atom(2))))));
  random_stream chance{3};
  for (int attempt = 0; attempt < 200; ++attempt) {
    behaviour const b{{static_cast<std::uint32_t>(chance() % 8), static_cast<std::uint32_t>(chance() % 8),
                       static_cast<std::uint32_t>(chance() % 8)},
                      static_cast<std::uint32_t>(chance() % 3)};
    EXPECT_NE(holds(l, f, b), holds(l, l.negated(f), b)) << "seed=3 attempt=" << attempt;
  }
}

ltl::formula some_formula(ltl& l, random_stream& chance, int depth) {
  auto const part = [&] { return some_formula(l, chance, depth - 1); };
  switch (depth == 0 ? chance() % 2 : chance() % 7) {
    case 0: return l.atom(static_cast<std::uint32_t>(chance() % 2));
    case 1: return l.negated(l.atom(static_cast<std::uint32_t>(chance() % 2)));
    case 2: return l.both(part(), part());
    case 3: return l.either(part(), part());
    case 4: return l.always(part());
    case 5: return l.eventually(part());
    default: return l.negated(part());
  }
}

TEST(ltl, the_automaton_accepts_exactly_the_behaviours_of_which_the_formula_is_true) {
  random_stream chance{11};
  for (int attempt = 0; attempt < 1500; ++attempt) {
    ltl l;
    auto const f = some_formula(l, chance, 3);
    behaviour b{{}, 0};
    auto const n = 1 + chance() % 4;
    for (std::uint64_t i = 0; i < n; ++i) b.atoms.push_back(static_cast<std::uint32_t>(chance() % 4));
    b.back = static_cast<std::uint32_t>(chance() % n);
    EXPECT_EQ(accepted(l, f, b), holds(l, f, b)) << "seed=11 attempt=" << attempt;
  }
}

}  // namespace
}  // namespace halfopen::check
