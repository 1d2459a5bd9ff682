#include <algorithm>

#include <halfopen/tla/call_frame.hpp>
#include <halfopen/tla/compiler.hpp>

/// Functions that are defined as f[x \in S] == e: applied without being built.
namespace halfopen::tla {

/// f[x] of a function that is defined by `f[y \in S] == e`: as a call, without building f.
piece compiler::function_as_call(callee const& t, expr const& whole, expr const& arg, scope const& use,
                                 expr const& at) {
  auto const& f = *t.def->body;
  auto const x = expression(arg, use);
  if (t.def->recursive) {
    auto const& u = unit_for(t, {}, use);
    auto on = u.body.on;
    for (std::uint32_t s = 0; s < (u.compiled ? 0 : u.copied); ++s) on.add_slot(s);
    on.add(x.on);
    return {make([&u, x = x.run, name = t.def->name, &at](machine& m) {
              return apply_unit(m, u, x->run(m), name, at);
            }),
            on};
  }
  auto in = t.in;
  in.slots = use.slots;
  needs on;
  auto all = loops(f.bounds, in, on, f);
  auto const body = expression(*f.args[0], in);
  on.add(body.on);
  drop_slots(all, on);
  bool const constant = on.nothing();
  on.add(x.on);
  auto const* direct = make([all, x = x.run, run = body.run, name = t.def->name, &at](machine& m) {
    enter_function(m, all, x->run(m), name, at);
    return run->run(m);
  });
  if (!constant) return {direct, on};
  // A constant function is built once, if it can be.
  auto const built = expression(whole, use);
  return {make([all, direct, x = x.run, built = built.run, small = -1, &at](machine& m) mutable {
            if (small < 0) {
              small = std::ranges::all_of(all, [&](loop const& l) {
                auto const set = l.set.run->run(m);
                return is_set(set) && m.v.is_finite(set) && m.v.cardinality(set) <= 4096;
              });
            }
            if (small == 0) return direct->run(m);
            auto const function = built->run(m);
            auto const argument = x->run(m);
            m.at = &at;
            return m.v.apply(function, argument);
          }),
          on};
}

/// Binds a function's names to its argument, which must be in its domain.
void compiler::enter_function(machine& m, std::vector<loop> const& all, value x, std::string_view name,
                              expr const& at) {
  x = m.v.normal(x);
  if (all.size() > 1 && (!is_tuple(x) || items(x).size() != all.size())) {
    fail(m, at,
         "the function " + std::string{name} + " wants " + std::to_string(all.size()) + " arguments, not " +
             m.v.text(x));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const part = all.size() > 1 ? items(x)[i] : x;
    auto const set = all[i].set.run->run(m);
    m.at = &at;
    if (!m.v.member(part, set)) {
      fail(m, at,
           "the argument " + m.v.text(x) + " is outside the domain " + m.v.text(set) + " of " +
               std::string{name});
    }
    put(m, all[i], part);
  }
}

value compiler::apply_unit(machine& m, unit const& u, value x, std::string_view name, expr const& at) {
  if (u.remembers) {
    x = m.v.normal(x);
    if (auto const known = u.memo.find(x.word()); known != u.memo.end()) return known->second;
  }
  value found;
  {
    call_frame f{m, u, at};
    f.enter(u);
    enter_function(m, u.loops, x, name, at);
    found = u.body.run->run(m);
  }
  if (u.remembers) u.memo.emplace(x.word(), found);
  return found;
}

/// A recursive function where it is not applied: built from its domain.
piece compiler::whole_function(callee const& t, scope const& use, expr const& at) {
  auto const& u = unit_for(t, {}, use);
  auto on = u.body.on;
  for (std::uint32_t s = 0; s < (u.compiled ? 0 : u.copied); ++s) on.add_slot(s);
  return {make([&u, name = t.def->name, &at](machine& m) {
            std::vector<value> sets;
            {
              call_frame f{m, u, at};
              f.enter(u);
              for (auto const& l : u.loops) sets.push_back(l.set.run->run(m));
            }
            m.at = &at;
            auto const domain =
                m.v.explicit_set(sets.size() == 1 ? sets[0] : m.v.lazy(node_kind::product, sets));
            std::vector<value> results;
            for (auto key : items(domain)) results.push_back(apply_unit(m, u, key, name, at));
            m.at = &at;
            return m.v.function(domain, results);
          }),
          on};
}

}  // namespace halfopen::tla
