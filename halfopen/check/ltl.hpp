#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace halfopen::check {

/// Formulas of linear temporal logic over numbered atoms, without "next": TLA+ has none.
///
/// Negation is pushed down to the atoms as a formula is built, so only atoms are ever negated.
class ltl {
 public:
  using formula = std::uint32_t;
  enum class kind : std::uint8_t { truth, falsity, atom, not_atom, both, either, until, release };
  struct node {
    kind what;
    std::uint32_t left, right;  // an atom's number in `left`
    friend auto operator<=>(node const&, node const&) = default;
  };

  [[nodiscard]] formula constant(bool b) { return made({b ? kind::truth : kind::falsity, 0, 0}); }
  [[nodiscard]] formula atom(std::uint32_t n) { return made({kind::atom, n, 0}); }
  [[nodiscard]] formula negated(formula f);
  [[nodiscard]] formula both(formula a, formula b);
  [[nodiscard]] formula either(formula a, formula b);
  [[nodiscard]] formula eventually(formula f) { return made({kind::until, constant(true), f}); }
  [[nodiscard]] formula always(formula f) { return made({kind::release, constant(false), f}); }

  [[nodiscard]] node const& operator[](formula f) const noexcept { return nodes_[f]; }
  /// The formulas whose disjunction is f.
  [[nodiscard]] std::vector<formula> disjuncts(formula f) const;

  /// Whether f holds at the start of states 0 .. n-1 that go on with state `back` after the last.
  [[nodiscard]] bool holds(formula f, std::uint32_t n, std::uint32_t back,
                           std::function<bool(std::uint32_t state, std::uint32_t atom)> const& atom) const;

 private:
  formula made(node n);

  std::vector<node> nodes_;
  std::map<node, formula> known_;
};

/// Accepts the behaviours of which a formula is true: at each state it is in one of its own states, which
/// says what must hold there; each of `sets` must be met infinitely often.
struct automaton {
  struct state {
    std::vector<std::uint32_t> wanted, unwanted;  // atoms
    std::vector<std::uint32_t> next;
    std::uint64_t sets = 0;  // a bit each
  };
  std::vector<state> states;
  std::vector<std::uint32_t> initial;
  std::uint32_t sets = 0;
};

/// Source: Gerth, Peled, Vardi, Wolper 1995.
[[nodiscard]] automaton automaton_of(ltl const& l, ltl::formula f);

}  // namespace halfopen::check
