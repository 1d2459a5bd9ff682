#include <halfopen/tla/compiler.hpp>

/// Where an action gives a variable its next value.
namespace halfopen::tla {

/// The variable that `e` is nothing but another name of, or -1.
std::int64_t compiler::variable_of(expr const& e, scope const& in) {
  switch (e.kind) {
    case expr_kind::declared: {
      if (!e.args.empty()) return -1;
      bool const variable = e.decl->what == declaration::sort::variable;
      if (auto const s = substitution(*e.decl, in); s.by != nullptr) {
        auto const x = variable_of(*s.by, s.in);
        return x < 0 && in.enabled && variable ? own_variable(*e.decl, s.from) : x;
      }
      return variable ? std::int64_t{e.decl->index} : -1;
    }
    case expr_kind::bound_name: {
      auto const* n = lookup(*e.bind, in, e);
      return n->e != nullptr && n->what != environment::sort::op ? variable_of(*n->e, n->in) : -1;
    }
    case expr_kind::apply: {
      if (!e.args.empty() || e.def->primitive != primitive::none || e.def->body == nullptr ||
          !e.def->params.empty())
        return -1;
      auto const t = resolve(*e.def, e.through, in);
      if (t.def == nullptr || t.replaced != nullptr || t.def->body == nullptr || t.def->recursive) return -1;
      return variable_of(*t.def->body, t.in);
    }
    default: return -1;
  }
}

std::int64_t compiler::assigned_variable(expr const& e, scope const& in) {
  if (in.init) return variable_of(e, in);
  if (e.kind == expr_kind::apply && e.def->primitive == primitive::prime) return variable_of(*e.args[0], in);
  if (in.primed) return variable_of(e, in);
  if (e.kind == expr_kind::bound_name) {  // a parameter that stands for x'
    auto const* n = lookup(*e.bind, in, e);
    if (n->what == environment::sort::alias) return assigned_variable(*n->e, n->in);
  }
  return -1;
}

act const* compiler::assign(expr const& e, std::uint32_t x, expr const& to, scope const& in,
                            act const* then) {
  auto const p = expression(to, in);
  return make_act([run = p.run, x, &e, then](machine& m) {
    auto const v = run->run(m);
    auto& cell = m.next[x];
    m.at = &e;
    if (cell.is_set_yet()) return m.v.equal(cell, v) && then->run(m);
    cell = m.v.normal(v);
    bool const stop = then->run(m);
    m.next[x] = value{};
    return stop;
  });
}

act const* compiler::assign_from(expr const& e, std::uint32_t x, expr const& set, scope const& in,
                                 act const* then) {
  auto const p = expression(set, in);
  return make_act([run = p.run, x, &e, then](machine& m) {
    auto const from = run->run(m);
    m.at = &e;
    if (m.next[x].is_set_yet()) return m.v.member(m.next[x], from) && then->run(m);
    if (!is_set(from)) fail(m, e, "\\in wants a set, not " + m.v.described(from));
    bool const stop = m.v.each(from, [&](value v) {
      m.next[x] = m.v.normal(v);
      return then->run(m);
    });
    m.next[x] = value{};
    return stop;
  });
}

act const* compiler::unchanged(expr const& at, expr const& what, scope const& in, act const* then) {
  if (auto const x = variable_of(what, in); x >= variables_) {
    return assign(at, static_cast<std::uint32_t>(x), what, in, then);
  } else if (x >= 0) {
    return make_act([x, &at, then](machine& m) {
      auto& cell = m.next[x];
      if (cell.is_set_yet()) {
        m.at = &at;
        return m.v.equal(cell, m.now[x]) && then->run(m);
      }
      cell = m.now[x];
      bool const stop = then->run(m);
      m.next[x] = value{};
      return stop;
    });
  }
  if (what.kind == expr_kind::tuple) {
    for (auto i = what.args.size(); i-- > 0;) then = unchanged(at, *what.args[i], in, then);
    return then;
  }
  if (what.kind == expr_kind::apply && what.def->primitive == primitive::none && what.args.empty() &&
      known_let(what, in) == nullptr) {
    auto const t = resolve(*what.def, what.through, in);
    if (t.def != nullptr && t.replaced == nullptr && t.def->body != nullptr && t.def->params.empty() &&
        !t.def->recursive) {
      return unchanged(at, *t.def->body, t.in, then);
    }
  }
  if (what.kind == expr_kind::declared || what.kind == expr_kind::bound_name) {
    if (auto const [e, inside] = seen_through(what, in); e != &what) return unchanged(at, *e, inside, then);
  }
  auto next = in;
  next.primed = true;
  auto const before = expression(what, in), after = expression(what, next);
  return make_act([b = before.run, a = after.run, &at, then](machine& m) {
    auto const old = b->run(m), fresh = a->run(m);
    m.at = &at;
    return m.v.equal(old, fresh) && then->run(m);
  });
}

}  // namespace halfopen::tla
