#include <halfopen/tla/premises.hpp>

namespace halfopen::tla {
namespace {

bool is(expr const& e, primitive p) { return e.kind == expr_kind::apply && e.def->primitive == p; }

class finder {
 public:
  finder(formula_splitter& s, std::string name) : splitter_{s}, name_{std::move(name)} {}

  std::vector<premise> found;

  void in_invariant(expr const& e, scope const& in) {
    if (is(e, primitive::conjunction)) {
      for (auto const* a : e.args) in_invariant(*a, in);
    } else if (is(e, primitive::implication)) {
      add(*e.args[0], in);
    } else if (e.kind == expr_kind::forall) {
      around_.push_back(&e);
      in_invariant(*e.args[0], in);
      around_.pop_back();
    } else if (around_.empty() && e.kind == expr_kind::let) {
      in_invariant(*e.args[0], splitter_.with_lets(e, in));
    } else if (around_.empty()) {
      if (auto const [body, inside] = splitter_.seen(e, in); body != &e) in_invariant(*body, inside);
    }
  }

  void in_property(expr const& e, scope const& in) {
    if (is(e, primitive::conjunction)) {
      for (auto const* a : e.args) in_property(*a, in);
    } else if (is(e, primitive::leads_to)) {
      of_state(*e.args[0], in);
    } else if (is(e, primitive::always) && is(*e.args[0], primitive::implication)) {
      of_state(*e.args[0]->args[0], in);
    } else if (e.kind == expr_kind::let) {
      in_property(*e.args[0], splitter_.with_lets(e, in));
    } else if (auto const [body, inside] = splitter_.seen(e, in); body != &e) {
      in_property(*body, inside);
    }
  }

 private:
  void of_state(expr const& left, scope const& in) {
    if (!splitter_.is_temporal(left, in) && !splitter_.has_prime(left, in)) add(left, in);
  }

  /// \A x \in S : A => B has something to say where \E x \in S : A.
  void add(expr const& left, scope const& in) {
    premise p{name_, &left};
    auto const* e = &left;
    for (auto i = around_.size(); i-- > 0;) {
      auto some = std::make_shared<expr>(*around_[i]);
      some->kind = expr_kind::exists;
      some->args = {e};
      e = some.get();
      p.made.push_back(std::move(some));
    }
    p.asked = {e, in, name_};
    found.push_back(std::move(p));
  }

  formula_splitter& splitter_;
  std::string name_;
  std::vector<expr const*> around_;  // quantifiers
};

}  // namespace

std::vector<premise> premises_of(formula_splitter& s, located const& invariant) {
  finder f{s, invariant.name};
  f.in_invariant(*invariant.e, invariant.in);
  return std::move(f.found);
}

std::vector<premise> temporal_premises_of(formula_splitter& s, located const& property) {
  finder f{s, property.name};
  f.in_property(*property.e, property.in);
  return std::move(f.found);
}

}  // namespace halfopen::tla
