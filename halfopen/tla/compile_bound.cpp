#include <halfopen/tla/compiler.hpp>

/// What binds names: quantifiers, CHOOSE, and the loops of sets and functions.
namespace halfopen::tla {

namespace {
constexpr std::int64_t kept_max = 1 << 16;  // elements of a constant set that is built for a loop
}

std::vector<loop> compiler::loops(std::vector<bound> const& bounds, scope& in, needs& on, expr const& at) {
  std::vector<loop> all;
  for (auto const& b : bounds) {
    if (b.set == nullptr) {
      throw compile_error{
          "the quantifier has no bound, so nobody could look at all values: write \\E x \\in S or \\A x \\in "
          "S",
          &at};
    }
    auto set = expression(*b.set, in);
    on.add(set.on);
    if (set.on.nothing()) {
      set.run = make([run = set.run, known = value{}](machine& m) mutable {
        if (known.is_set_yet()) return known;
        known = run->run(m);
        if (is_set(known) && !is_kind(known, node_kind::interval) && m.v.is_finite(known) &&
            m.v.cardinality(known) <= kept_max) {
          known = m.v.explicit_set(known);
        }
        return known;
      });
    }
    auto const per_name = b.tuple ? 1 : b.names.size();
    for (std::size_t i = 0; i < per_name; ++i) all.push_back({set, {}, b.tuple, b.set});
  }
  auto l = all.begin();
  for (auto const& b : bounds) {
    for (auto const* n : b.names) {
      auto const slot = in.slots->take();
      in = with_slot(in, *n, slot);
      l->slots.push_back(slot);
      if (!b.tuple) ++l;
    }
    if (b.tuple) ++l;
  }
  return all;
}

void compiler::drop_slots(std::vector<loop> const& all, needs& on) {
  for (auto const& l : all) {
    for (auto s : l.slots) on.drop_slot(s);
  }
}

void compiler::put(machine& m, loop const& l, value v) {
  if (!l.tuple) {
    m.frame[l.slots.front()] = v;
    return;
  }
  if (!is_tuple(v) || items(v).size() != l.slots.size()) {
    fail(m, *l.at,
         m.v.described(v) + " does not match a pattern of " + std::to_string(l.slots.size()) + " names");
  }
  for (std::size_t i = 0; i < l.slots.size(); ++i) m.frame[l.slots[i]] = items(v)[i];
}

/// Runs `body` for each choice of the bound names until it returns true.
bool compiler::each(machine& m, std::vector<loop> const& all, function_ref<bool()> body) {
  auto const over = [&](loop const& l, value set, function_ref<bool()> inner) {
    m.at = l.at;
    if (!is_set(set)) fail(m, *l.at, "a bound wants a set, not " + m.v.described(set));
    return m.v.each(set, [&](value v) {
      put(m, l, v);
      return inner();
    });
  };
  if (all.size() == 1) return over(all[0], all[0].set.run->run(m), body);
  std::vector<value> sets;
  for (auto const& l : all) sets.push_back(l.set.run->run(m));
  auto const from = [&](auto const& self, std::size_t i) -> bool {
    if (i == all.size()) return body();
    return over(all[i], sets[i], [&] { return self(self, i + 1); });
  };
  return from(from, 0);
}

piece compiler::quantifier(expr const& e, scope const& in) {
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const body = expression(*e.args[0], inner);
  on.add(body.on);
  drop_slots(all, on);
  bool const wanted = e.kind == expr_kind::exists;
  if (simple_loop::fits(all)) {
    return {make([l = simple_loop{all[0]}, run = body.run, wanted, at = e.args[0]](machine& m) {
              bool const found = m.v.each(l.elements(m), [&](value v) {
                m.frame[l.slot] = v;
                return truth(m, *run, *at) == wanted;
              });
              return value::of(found == wanted);
            }),
            on};
  }
  return {make([all, run = body.run, wanted, at = e.args[0]](machine& m) {
            bool const found = each(m, all, [&] { return truth(m, *run, *at) == wanted; });
            return value::of(found == wanted);
          }),
          on};
}

piece compiler::choose(expr const& e, scope const& in) {
  auto inner = in;
  needs on;
  if (e.bounds[0].set == nullptr) {
    throw compile_error{
        "a CHOOSE without a bound cannot be evaluated: write CHOOSE x \\in S, or let the configuration give "
        "what it "
        "defines a value, CONSTANT Name = Name",
        &e};
  }
  auto all = loops(e.bounds, inner, on, e);
  auto const body = expression(*e.args[0], inner);
  on.add(body.on);
  drop_slots(all, on);
  return {make([l = all[0], run = body.run, &e](machine& m) {
            auto const set = l.set.run->run(m);
            m.at = l.at;
            if (!is_set(set)) fail(m, *l.at, "a bound wants a set, not " + m.v.described(set));
            value chosen;
            m.v.each(set, [&](value v) {
              put(m, l, v);
              if (!truth(m, *run, *e.args[0])) return false;
              chosen = v;
              return true;
            });
            if (!chosen.is_set_yet())
              fail(m, e, "CHOOSE: no element of " + m.v.text(set) + " satisfies the predicate");
            return chosen;
          }),
          on};
}

}  // namespace halfopen::tla
