#include <algorithm>

#include <halfopen/tla/problem.hpp>

namespace halfopen::tla {

namespace {

bool is(expr const& e, primitive p) { return e.kind == expr_kind::apply && e.def->primitive == p; }

bool is_box_of_square(expr const& e) {
  return is(e, primitive::always) && e.args[0]->kind == expr_kind::square;
}

}  // namespace

std::vector<located> formula_splitter::instances(expr const& q, scope const& in) {
  std::vector<located> all{{q.args[0], in}};
  for (auto const& b : q.bounds) {
    if (b.set == nullptr) {
      throw bad_formula{
          "a temporal formula under a quantifier without a bound is not supported: write \\A x \\in S", &q};
    }
    auto const set = compiler_.expression(*b.set, in);
    if (!set.on.nothing()) {
      throw bad_formula{
          "the bound of a quantifier over a temporal formula must be constant: it is chosen once for a whole "
          "behaviour, so write \\A x \\in AllThatCouldBe : [](x \\in S => ...)",
          b.set};
    }
    std::vector<value> elements;
    machine_.top = machine_.frame + compiler_.frame_size();
    machine_.v.each(set.run->run(machine_), [&](value v) { return elements.push_back(v), false; });
    if (b.tuple) {
      all = with_patterns(all, b, elements);
      continue;
    }
    for (auto const* n : b.names) {
      std::vector<located> more;
      for (auto const& l : all) {
        for (auto v : elements) more.push_back({l.e, compiler_.with_value(l.in, *n, v)});
      }
      all = std::move(more);
    }
  }
  return all;
}

/// <<x, y>> \in S
std::vector<located> formula_splitter::with_patterns(std::vector<located> const& all, bound const& b,
                                                     std::vector<value> const& elements) {
  std::vector<located> more;
  for (auto const& l : all) {
    for (auto v : elements) {
      if (!is_tuple(v) || items(v).size() != b.names.size())
        throw bad_formula{"an element of this set does not match the pattern of names", b.set};
      auto in = l.in;
      for (std::size_t i = 0; i < b.names.size(); ++i)
        in = compiler_.with_value(in, *b.names[i], items(v)[i]);
      more.push_back({l.e, in});
    }
  }
  return more;
}

template <class Wanted>
bool formula_splitter::any_part(expr const& e, scope const& in, Wanted wanted, int depth) {
  if (depth > 200) return false;
  if (wanted(e)) return true;
  auto const [body, inside] = seen(e, in);
  if (body != &e) return any_part(*body, inside, wanted, depth + 1);
  auto const let = e.kind == expr_kind::let ? with_lets(e, in) : in;
  return std::ranges::any_of(e.args, [&](expr const* a) {
    return (a->kind != expr_kind::operator_name && a->kind != expr_kind::lambda) &&
           any_part(*a, let, wanted, depth + 1);
  });
}

bool formula_splitter::is_temporal(expr const& e, scope const& in) {
  return any_part(
      e, in,
      [](expr const& x) {
        return is(x, primitive::always) || is(x, primitive::eventually) || is(x, primitive::leads_to) ||
               is(x, primitive::guarantee) || x.kind == expr_kind::weak_fair ||
               x.kind == expr_kind::strong_fair || x.kind == expr_kind::temporal_forall ||
               x.kind == expr_kind::temporal_exists;
      },
      0);
}

bool formula_splitter::has_prime(expr const& e, scope const& in) {
  return any_part(
      e, in,
      [](expr const& x) {
        return is(x, primitive::prime) || is(x, primitive::unchanged) || x.kind == expr_kind::square ||
               x.kind == expr_kind::angle;
      },
      0);
}

void formula_splitter::specification(expr const& e, scope const& in, behaviour& into) {
  if (is(e, primitive::conjunction)) {
    for (auto const* a : e.args) specification(*a, in, into);
    return;
  }
  if (e.kind == expr_kind::let) return specification(*e.args[0], with_lets(e, in), into);
  if (is_box_of_square(e)) {
    into.next.push_back({e.args[0], in});
    return;
  }
  if (e.kind == expr_kind::weak_fair || e.kind == expr_kind::strong_fair) {
    into.fair.push_back({{&e, in}, e.kind == expr_kind::strong_fair});
    return;
  }
  if (e.kind == expr_kind::forall && is_temporal(*e.args[0], in_names(e, in))) {
    for (auto const& l : instances(e, in)) specification(*l.e, l.in, into);
    return;
  }
  if (!is_temporal(e, in)) {
    into.init.push_back({&e, in});
    return;
  }
  if (auto const [body, inside] = seen(e, in); body != &e) return specification(*body, inside, into);
  if (is(e, primitive::disjunction)) {
    throw bad_formula{"a specification is a conjunction, and this is a disjunction", &e};
  }
  into.assumed.push_back({&e, in});
}

/// The scope in which a quantifier's body can be looked at without choosing: its names stand for themselves.
scope formula_splitter::in_names(expr const& quantifier, scope in) {
  for (auto const& b : quantifier.bounds) {
    for (auto const* n : b.names) in = compiler_.with_value(in, *n, value{});
  }
  return in;
}

void formula_splitter::property(expr const& e, scope const& in, std::string const& name, demand& into) {
  if (is(e, primitive::conjunction)) {
    for (auto const* a : e.args) property(*a, in, name, into);
    return;
  }
  if (e.kind == expr_kind::let) return property(*e.args[0], with_lets(e, in), name, into);
  if (is_box_of_square(e)) {
    into.steps.push_back({e.args[0], in, name});
    return;
  }
  if (!is_temporal(e, in)) {
    if (has_prime(e, in))
      throw bad_formula{"the property " + name + " is an action that is not of the form [][A]_v", &e};
    into.initial.push_back({&e, in, name});
    return;
  }
  if (is(e, primitive::always) && !is_temporal(*e.args[0], in) && !has_prime(*e.args[0], in)) {
    into.always.push_back({e.args[0], in, name});
    return;
  }
  if (e.kind == expr_kind::forall) {
    for (auto const& l : instances(e, in)) property(*l.e, l.in, name, into);
    return;
  }
  if (auto const [body, inside] = seen(e, in); body != &e) return property(*body, inside, name, into);
  into.temporal.push_back({&e, in, name});
}

}  // namespace halfopen::tla
