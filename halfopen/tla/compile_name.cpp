#include <halfopen/tla/compiler.hpp>

/// What a name stands for: a bound name, a parameter, a LET definition, a constant, a variable.
namespace halfopen::tla {

environment const* compiler::find(binder const& b, scope const& in) {
  for (auto const* n = in.names; n != nullptr; n = n->rest) {
    if (n->name == &b) return n;
  }
  return nullptr;
}

environment const* compiler::lookup(binder const& b, scope const& in, expr const& at) const {
  if (auto const* n = find(b, in)) return n;
  throw compile_error{"the name " + std::string{b.name} + " has no value here", &at};
}

environment const* compiler::bind(environment entry, environment const* rest) {
  entry.rest = rest;
  return &environments_.emplace_back(std::move(entry));
}

scope compiler::with_slot(scope in, binder const& name, std::uint32_t slot) {
  in.names = bind({.what = environment::sort::slot, .name = &name, .slot = slot}, in.names);
  return in;
}

piece compiler::name(expr const& e, scope const& in) {
  auto const* n = lookup(*e.bind, in, e);
  if (n->what == environment::sort::op) return call(resolve_operator(e, in), e.args, in, e);
  return read(*n, e, in);
}

/// What a bound name, a parameter or a LET definition without parameters stands for.
piece compiler::read(environment const& n, expr const& e, scope const& in) {
  auto const slot = n.slot;
  needs on;
  on.add_slot(slot);
  switch (n.what) {
    case environment::sort::slot: return cheap({make([slot](machine& m) { return m.frame[slot]; }), on});
    case environment::sort::thunk:
      return {make([slot](machine& m) {
                auto const v = m.frame[slot];
                if (v.what() != value::tag::thunk) return v;
                auto const& t = *v.as_thunk();
                auto* const mine = std::exchange(m.frame, t.frame);
                auto const found = t.run->run(m);
                m.frame = mine;
                return m.frame[slot] = found;
              }),
              on};
    case environment::sort::lazy:
    case environment::sort::ready:
      if ((in.primed == n.in.primed && in.world == n.in.world) || !(n.run.on.now || n.run.on.next)) {
        if (n.what == environment::sort::ready) return n.run;
        on.add(n.run.on);
        return {make([slot, run = n.run.run](machine& m) {
                  if (auto const v = m.frame[slot]; v.is_set_yet()) return v;
                  auto const v = run->run(m);
                  return m.frame[slot] = v;
                }),
                on};
      }
      [[fallthrough]];
    case environment::sort::alias: {
      return expression(*n.e, n.in.argument_at(in));
    }
    case environment::sort::op:
    case environment::sort::let: break;
  }
  throw compile_error{"an operator stands where a value is wanted", &e};
}

piece compiler::declared(expr const& e, scope const& in) {
  bool const variable = e.decl->what == declaration::sort::variable;
  if (auto const s = substitution(*e.decl, in); s.by != nullptr) {
    if (e.decl->arity > 0) return call(resolve_operator(*s.by, s.in), e.args, in, e);
    if (in.primed && variable && variable_of(*s.by, s.in) < 0) {
      substituted_prime_ = true;
      if (in.enabled) return next_read(e, own_variable(*e.decl, s.from), in);
    }
    return expression(*s.by, s.in);
  }
  if (variable) return variable_read(e, in);
  if (e.decl->arity > 0) {
    callee t{.constant = e.decl};
    for (auto const& r : binding_.replacements) {
      if (r.constant == e.decl) t.replaced = &r;
    }
    return call(t, e.args, in, e);
  }
  if (auto const known = constant_values_.find(e.decl); known != constant_values_.end()) return known->second;
  for (auto const& r : binding_.replacements) {
    if (r.constant != e.decl) continue;
    if (r.value) return constant_values_[e.decl] = literal(value_of(*r.value));
    auto const t = replacement_target(r);
    if (t.def == nullptr || t.def->body == nullptr) return call(t, {}, in, e);
    return constant_values_[e.decl] = once(in_own_frame(*t.def->body, t.in, e), e);
  }
  throw compile_error{"the constant " + std::string{e.decl->name} + " has no value", &e};
}

piece compiler::variable_read(expr const& e, scope const& in) {
  auto const i = e.decl->index;
  if (!in.primed) return cheap({make([i](machine& m) { return m.now[i]; }), {.now = true}});
  return next_read(e, i, in);
}

piece compiler::next_read(expr const& e, std::uint32_t i, scope const& in) {
  return cheap({make([i, &e, init = in.init](machine& m) {
                  auto const v = m.next[i];
                  if (!v.is_set_yet()) [[unlikely]]
                    fail(m, e,
                         "the variable " + std::string{e.decl->name} + (init ? "" : "'") +
                             " is used before it has a value");
                  return v;
                }),
                {.next = true}});
}

bool compiler::is_cheap(piece const& p) const { return p.on.nothing() || cheap_.contains(p.run); }

piece compiler::cheap(piece p) {
  cheap_.insert(p.run);
  return p;
}

/// The expression that a parameter or a substituted name stands for, or `e` itself.
std::pair<expr const*, scope> compiler::seen_through(expr const& e, scope const& in) {
  if (e.kind == expr_kind::bound_name) {
    auto const* n = lookup(*e.bind, in, e);
    if (n->e == nullptr || n->what == environment::sort::op) return {&e, in};
    return {n->e, n->in.argument_at(in)};
  }
  if (auto const s = substitution(*e.decl, in); s.by != nullptr) return {s.by, s.in};
  return {&e, in};
}

}  // namespace halfopen::tla
