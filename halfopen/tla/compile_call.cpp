#include <algorithm>

#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

piece compiler::call(callee const& t, std::vector<expr const*> const& args, scope const& use,
                     expr const& at) {
  if (t.replaced != nullptr && t.replaced->value) return literal(value_of(*t.replaced->value));
  if (t.constant != nullptr) return call_constant(t, args, use, at);
  if (t.lambda != nullptr) return expand(t.lambda->bounds[0].names, *t.lambda->args[0], t.in, args, use);
  auto const& d = *t.def;
  if (d.primitive != primitive::none) return primitive_op(at, d.primitive, args, use);
  if (d.body == nullptr)
    throw compile_error{"the operator " + std::string{d.name} + " has no definition", &at};
  if (d.recursive) return d.is_function ? whole_function(t, use, at) : call_unit(t, args, use, at);
  if (!d.params.empty() || t.in.names != nullptr) return expand(d.params, *d.body, t.in, args, use);
  auto const key = std::tuple{&d, t.in.where, int{t.in.primed} | int{t.in.init} << 1 | int{t.in.enabled} << 2,
                              static_cast<numbering const*>(t.in.slots)};
  if (auto const known = bodies_.find(key); known != bodies_.end()) return known->second;
  auto const body = once_per_state(expression(*d.body, t.in), *d.body);
  auto on = body.on;
  bool const random = std::exchange(on.random, false);
  return bodies_[key] = random && on.nothing() && d.level == level::constant ? drawn_once(d, t.in) : body;
}

/// A constant that is drawn by chance: one value wherever it is used, and the same in each thread.
piece compiler::drawn_once(definition const& d, scope const& in) {
  auto& known = drawn_[{&d, in.where}];
  if (known.run != nullptr) return known;
  auto const body = in_own_frame(*d.body, in, *d.body);
  auto const seed = mix(d.range.begin.line, d.range.begin.column);
  return known = {make([run = body.run, seed, drawn = value{}](machine& m) mutable {
                    if (drawn.is_set_yet()) return drawn;
                    auto const outer = std::exchange(m.chance, random_stream{seed});
                    drawn = run->run(m);
                    m.chance = outer;
                    return drawn;
                  }),
                  {}};
}

/// What depends on nothing but the state, and takes work, is computed once for each state.
piece compiler::once_per_state(piece p, expr const& e) {
  bool const of_state = p.on.now && !p.on.next && !p.on.random && !p.on.anything && p.on.slots.empty();
  bool const takes_work = e.kind != expr_kind::tuple && e.kind != expr_kind::declared &&
                          e.kind != expr_kind::index && e.kind != expr_kind::record;
  if (!of_state || !takes_work || is_cheap(p)) return p;
  return {make([run = p.run, known = value{}, state = std::uint64_t{0}](machine& m) mutable {
            if (state == m.state_number) return known;
            auto const number = m.state_number;
            known = run->run(m);
            state = number;
            return known;
          }),
          p.on};
}

/// A constant operator: its rows, or what stands in its place.
piece compiler::call_constant(callee const& t, std::vector<expr const*> const& args, scope const& use,
                              expr const& at) {
  auto const* r = t.replaced;
  if (r == nullptr) {
    auto const other = std::ranges::find(binding_.replacements, t.constant, &replacement::constant);
    if (other == binding_.replacements.end()) {
      throw compile_error{"the constant " + std::string{t.constant->name} + " has no value", &at};
    }
    r = &*other;
  }
  if (r->value) return literal(value_of(*r->value));
  if (r->table.empty()) return call(replacement_target(*r), args, use, at);
  std::vector<std::pair<std::vector<value>, value>> rows;
  for (auto const& [keys, result] : r->table) {
    std::vector<value> row;
    for (auto const& k : keys) row.push_back(values_.normal(value_of(k)));
    rows.emplace_back(std::move(row), value_of(result));
  }
  std::vector<code const*> parts;
  needs on;
  for (auto const* a : args) {
    auto const p = expression(*a, use);
    parts.push_back(p.run);
    on.add(p.on);
  }
  return {make([rows, parts, &at](machine& m) {
            std::vector<value> given;
            for (auto const* p : parts) given.push_back(m.v.normal(p->run(m)));
            for (auto const& [row, result] : rows) {
              if (row == given) return result;
            }
            fail(m, at,
                 "the configuration gives no value for these arguments: " + m.v.text(m.v.tuple(given)));
          }),
          on};
}

/// Puts arguments into scope. One that is not trivial is computed on first use.
scope compiler::with_arguments(std::vector<binder const*> const& params, std::vector<expr const*> const& args,
                               scope body, scope const& use, std::vector<std::uint32_t>& resets,
                               bool action) {
  for (std::size_t i = 0; i < params.size(); ++i) {
    auto const& a = *args.at(i);
    if (params[i]->arity > 0) {
      body.names = bind({.what = environment::sort::op, .name = params[i], .e = &a, .in = use}, body.names);
      continue;
    }
    environment entry{.what = environment::sort::ready, .name = params[i], .e = &a, .in = use};
    try {
      entry.run = expression(a, use);
      if (action && entry.run.on.next) {
        entry.what = environment::sort::alias;
      } else if (!is_cheap(entry.run)) {
        entry.what = environment::sort::lazy;
        entry.slot = use.slots->take();
        resets.push_back(entry.slot);
      }
    } catch (compile_error const&) {  // told if the parameter is used
      entry.what = environment::sort::alias;
    }
    body.names = bind(entry, body.names);
  }
  return body;
}

piece compiler::expand(std::vector<binder const*> const& params, expr const& body, scope in,
                       std::vector<expr const*> const& args, scope const& use) {
  std::vector<std::uint32_t> resets;
  in.slots = use.slots;
  in = with_arguments(params, args, in, use, resets, false);
  auto p = expression(body, in);
  for (auto s : resets) p.on.drop_slot(s);
  if (resets.empty()) return p;
  if (resets.size() == 1) {
    return {make([slot = resets[0], run = p.run](machine& m) {
              m.frame[slot] = value{};
              return run->run(m);
            }),
            p.on};
  }
  return {make([resets, run = p.run](machine& m) {
            for (auto s : resets) m.frame[s] = value{};
            return run->run(m);
          }),
          p.on};
}

}  // namespace halfopen::tla
