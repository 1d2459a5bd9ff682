#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <halfopen/base/expected.hpp>
#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

/// Part of a temporal formula, with what its names mean there.
struct located {
  expr const* e = nullptr;
  scope in{};
  std::string name{};  // of the property it belongs to
};

/// WF_v(A) or SF_v(A), as an assumption.
struct fair_action {
  located a;  // the weak_fair or strong_fair node
  bool strong = false;
};

/// A specification taken apart: what to start from, what steps there are, and what is assumed of infinite
/// behaviours.
struct behaviour {
  std::vector<located> init;
  std::vector<located> next;
  std::vector<fair_action> fair;
  std::vector<located> assumed;  // any other temporal conjunct
};

/// A PROPERTY taken apart.
struct demand {
  std::vector<located> initial;  // of initial states
  std::vector<located> steps;    // [][A]_v: the square
  std::vector<located> always;   // []P of a state predicate
  std::vector<located> temporal;
};

/// Says why a formula cannot be taken apart; `at` may be null.
struct bad_formula {
  std::string what;
  expr const* at = nullptr;
};

/// Takes temporal formulas apart, through definitions, instances and quantifiers over constant sets.
class formula_splitter {
 public:
  formula_splitter(compiler& c, machine& m) : compiler_{c}, machine_{m} {}

  void specification(expr const& e, scope const& in, behaviour& into);
  void property(expr const& e, scope const& in, std::string const& name, demand& into);

  /// Whether a temporal operator stands in it, or in what its names stand for.
  [[nodiscard]] bool is_temporal(expr const& e, scope const& in);
  [[nodiscard]] bool has_prime(expr const& e, scope const& in);

  /// What `e` stands for, if it is a name or an application of a definition; else `e`.
  [[nodiscard]] std::pair<expr const*, scope> seen(expr const& e, scope const& in) {
    return compiler_.seen_as(e, in);
  }
  /// The body of a quantifier for each choice of its names.
  [[nodiscard]] std::vector<located> instances(expr const& quantifier, scope const& in);
  [[nodiscard]] scope with_lets(expr const& let, scope const& in) {
    return compiler_.with_open_lets(let, in);
  }

 private:
  [[nodiscard]] std::vector<located> with_patterns(std::vector<located> const& all, bound const& b,
                                                   std::vector<value> const& elements);
  scope in_names(expr const& quantifier, scope in);
  template <class Wanted>
  bool any_part(expr const& e, scope const& in, Wanted wanted, int depth);

  compiler& compiler_;
  machine& machine_;
};

}  // namespace halfopen::tla
