#include <algorithm>

#include <halfopen/tla/compiler.hpp>

/// Actions and initial predicates. Each is compiled together with what follows it: running one makes it true
/// in every way it can be made true, and goes on after each.
namespace halfopen::tla {

act const* compiler::action(expr const& e, scope const& in, act const* then) {
  if (++depth_ > 3000) throw compile_error{"operators are expanded too deeply here", &e, true};
  auto const* a = action_raw(e, in, then);
  --depth_;
  return a;
}

act const* compiler::action_raw(expr const& e, scope const& in, act const* then) {
  switch (e.kind) {
    case expr_kind::apply:
      if (known_let(e, in) != nullptr) return test(e, in, then);
      return action_call(resolve(*e.def, e.through, in), e.args, in, e, then);
    case expr_kind::bound_name: {
      auto const* n = lookup(*e.bind, in, e);
      if (n->what == environment::sort::op) return action_call(resolve_operator(e, in), e.args, in, e, then);
      if (n->what != environment::sort::alias) return test(e, in, then);
      auto inner = n->in;
      inner.slots = in.slots;
      inner.primed |= in.primed;
      inner.init |= in.init;
      inner.enabled |= in.enabled;
      inner.world = in.world;
      return action(*n->e, inner, then);
    }
    case expr_kind::declared:
      if (e.decl->arity == 0) {
        if (auto const [body, inside] = seen_through(e, in); body != &e) return action(*body, inside, then);
        return test(e, in, then);
      }
      return action_call(resolve_constant(*e.decl, in, e), e.args, in, e, then);
    case expr_kind::exists: return exists_action(e, in, then);
    case expr_kind::forall: return forall_action(e, in, then);
    case expr_kind::case_of: return case_action(e, in, then);
    case expr_kind::if_then_else: {
      auto const spine = std::exchange(on_spine_, false);
      auto const cond = expression(*e.args[0], in);
      auto const *yes = action(*e.args[1], in, then), *no = action(*e.args[2], in, then);
      on_spine_ = spine;
      return make_act([t = cond.run, yes, no, at = e.args[0]](machine& m) {
        return truth(m, *t, *at) ? yes->run(m) : no->run(m);
      });
    }
    case expr_kind::let: {
      std::vector<std::uint32_t> resets;
      auto const inner = with_lets(e, in, resets, true);
      return resetting(resets, action(*e.args[0], inner, then));
    }
    case expr_kind::square: {
      auto const spine = on_spine_;
      auto const* a = action(*e.args[0], in, then);
      on_spine_ = spine;
      auto const* same = unchanged(e, *e.args[1], in, then);
      return make_act([a, same](machine& m) { return a->run(m) || same->run(m); });
    }
    case expr_kind::angle: {
      auto next = in;
      next.primed = true;
      auto const before = expression(*e.args[1], in), after = expression(*e.args[1], next);
      auto const* changed = make_act([b = before.run, a = after.run, &e, then](machine& m) {
        auto const old = b->run(m), fresh = a->run(m);
        m.at = &e;
        return !m.v.equal(old, fresh) && then->run(m);
      });
      return action(*e.args[0], in, changed);
    }
    default: return test(e, in, then);
  }
}

act const* compiler::test(expr const& e, scope const& in, act const* then) {
  auto const p = expression(e, in);
  return make_act([run = p.run, &e, then](machine& m) { return truth(m, *run, e) && then->run(m); });
}

act const* compiler::resetting(std::vector<std::uint32_t> slots, act const* body) {
  if (slots.empty()) return body;
  return make_act([slots = std::move(slots), body](machine& m) {
    for (auto s : slots) m.frame[s] = value{};
    return body->run(m);
  });
}

act const* compiler::labelled_action(expr const& e, scope const& in, std::string name, act const* then) {
  auto const id = static_cast<std::uint32_t>(labels_.size());
  labels_.push_back({.name = std::move(name), .at = &e});
  on_spine_ = true;
  auto const* a = action(e, in, then);
  on_spine_ = false;
  return make_act([id, a](machine& m) {
    m.action = id;
    return a->run(m);
  });
}

act const* compiler::labelled(definition const& d, scope const& body, act const* then) {
  action_label label{.name = std::string{d.name}, .at = d.body};
  for (auto const* p : d.params) {
    if (p->arity > 0) continue;
    expr& read = reads_.emplace_back();
    read.kind = expr_kind::bound_name;
    read.bind = p;
    read.range = d.range;
    try {
      label.args.push_back(expression(read, body).run);
    } catch (compile_error const&) {
      label.args.clear();
      break;
    }
  }
  auto const id = static_cast<std::uint32_t>(labels_.size());
  labels_.push_back(std::move(label));
  return make_act([id, then](machine& m) {
    auto const outer = std::exchange(m.action, id);
    bool const stop = then->run(m);
    m.action = outer;
    return stop;
  });
}

act const* compiler::action_call(target const& t, std::vector<expr const*> const& args, scope const& use,
                                 expr const& at, act const* then) {
  if (t.replaced != nullptr) return test(at, use, then);
  if (t.constant != nullptr) {
    auto const r = std::ranges::find(binding_.replacements, t.constant, &replacement::constant);
    if (r == binding_.replacements.end() || r->by.def == nullptr) return test(at, use, then);
    auto by = replacement_target(*r);
    by.in.slots = use.slots;
    by.in.primed = use.primed;
    by.in.init = use.init;
    by.in.enabled = use.enabled;
    by.in.world = use.world;
    return action_call(by, args, use, at, then);
  }
  std::vector<std::uint32_t> resets;
  if (t.lambda != nullptr) {
    auto in = t.in;
    in.slots = use.slots;
    in = with_arguments(t.lambda->bounds[0].names, args, in, use, resets, true);
    return resetting(resets, action(*t.lambda->args[0], in, then));
  }
  auto const& d = *t.def;
  if (d.primitive != primitive::none) return action_primitive(at, d.primitive, args, use, then);
  if (d.body == nullptr || d.recursive || d.is_function) return test(at, use, then);
  auto in = t.in;
  in.slots = use.slots;
  in = with_arguments(d.params, args, in, use, resets, true);
  if (!on_spine_) return resetting(resets, action(*d.body, in, then));
  auto const* body = action(*d.body, in, then);
  on_spine_ = true;
  return resetting(resets, labelled(d, in, body));
}

act const* compiler::action_primitive(expr const& e, primitive p, std::vector<expr const*> const& args,
                                      scope const& in, act const* then) {
  auto const spine = on_spine_;
  switch (p) {
    case primitive::conjunction:
      on_spine_ = spine && args.size() == 1;
      for (auto i = args.size(); i-- > 0;) then = action(*args[i], in, then);
      on_spine_ = spine;
      return then;
    case primitive::disjunction: {
      std::vector<act const*> ways;
      for (auto const* a : args) {
        ways.push_back(action(*a, in, then));
        on_spine_ = spine;
      }
      return make_act([ways](machine& m) {
        for (auto const* w : ways) {
          if (w->run(m)) return true;
        }
        return false;
      });
    }
    case primitive::implication: {
      on_spine_ = false;
      auto const cond = expression(*args[0], in);
      auto const* then_too = action(*args[1], in, then);
      on_spine_ = spine;
      return make_act([t = cond.run, then_too, then, at = args[0]](machine& m) {
        return truth(m, *t, *at) ? then_too->run(m) : then->run(m);
      });
    }
    case primitive::equal:
      if (auto const x = assigned_variable(*args[0], in); x >= 0) {
        return assign(e, static_cast<std::uint32_t>(x), *args[1], in, then);
      }
      return test(e, in, then);
    case primitive::in:
      if (auto const x = assigned_variable(*args[0], in); x >= 0) {
        return assign_from(e, static_cast<std::uint32_t>(x), *args[1], in, then);
      }
      return test(e, in, then);
    case primitive::unchanged: return in.init ? test(e, in, then) : unchanged(e, *args[0], in, then);
    case primitive::compose: return composed(e, args, in, then);
    case primitive::prime: {
      // (A \/ B)' and the like: nothing in it is assigned.
      return test(e, in, then);
    }
    default: return test(e, in, then);
  }
}

/// A \cdot B: a step of A to a state between, and a step of B from there.
act const* compiler::composed(expr const& e, std::vector<expr const*> const& args, scope const& in,
                              act const* then) {
  if (args.size() != 2) throw compile_error{"\\cdot of more than two actions: use parentheses", &e, true};
  if (in.primed)
    throw compile_error{"\\cdot under a prime or in an initial predicate is not supported", &e, true};
  struct between {
    value const* now = nullptr;  // outside of it
    value* next = nullptr;
    std::uint64_t number = 0;
  };
  auto const state = std::make_shared<between>();
  auto const spine = std::exchange(on_spine_, false);
  auto const* leave = make_act([state, then](machine& m) {
    auto const* const mid = std::exchange(m.now, state->now);
    auto const number = std::exchange(m.state_number, state->number);
    auto const kept = *state;
    bool const stop = then->run(m);
    *state = kept;
    m.now = mid;
    m.state_number = number;
    return stop;
  });
  auto second = in;
  second.world = ++worlds_;
  auto const* b = action(*args[1], second, leave);
  auto const* cross = make_act([state, b, &e](machine& m) {
    std::vector<value> const mid(m.next, m.next + m.variables);
    if (!std::ranges::all_of(mid, &value::is_set_yet))
      fail(m, e, "the first action of \\cdot gives no value to some variable");
    auto const* const outer_now = std::exchange(m.now, mid.data());
    auto* const own = std::exchange(m.next, state->next);
    auto const number = m.state_number;
    m.state_number = ++m.states_between;
    bool const stop = b->run(m);
    m.now = outer_now;
    m.next = own;
    m.state_number = number;
    return stop;
  });
  auto const* a = action(*args[0], in, cross);
  on_spine_ = spine;
  return make_act([state, a](machine& m) {
    std::vector<value> row(m.variables);
    auto const outer = std::exchange(*state, between{m.now, m.next, m.state_number});
    m.next = row.data();
    bool const stop = a->run(m);
    m.next = state->next;
    *state = outer;
    return stop;
  });
}

act const* compiler::exists_action(expr const& e, scope const& in, act const* then) {
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const* body = action(*e.args[0], inner, then);
  if (all.size() == 1 && !all[0].tuple) {
    return make_act([set = all[0].set.run, slot = all[0].slots[0], at = all[0].at, body](machine& m) {
      auto const from = set->run(m);
      m.at = at;
      if (!is_set(from)) fail(m, *at, "a bound wants a set, not " + m.v.described(from));
      return m.v.each(from, [&](value v) {
        m.frame[slot] = v;
        return body->run(m);
      });
    });
  }
  return make_act([all, body](machine& m) { return each(m, all, [&] { return body->run(m); }); });
}

/// A conjunction whose length is known only when it runs.
act const* compiler::forall_action(expr const& e, scope const& in, act const* then) {
  struct progress {  // of the innermost run
    std::vector<std::vector<value>> const* rows = nullptr;
    std::size_t at = 0;
  };
  auto const spine = std::exchange(on_spine_, false);
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const state = std::make_shared<progress>();
  struct holder {
    act const* body = nullptr;
  };
  auto const self = std::make_shared<holder>();
  std::vector<std::uint32_t> slots;
  for (auto const& l : all) slots.insert(slots.end(), l.slots.begin(), l.slots.end());
  auto const* step = make_act([state, self, slots, then](machine& m) {
    auto const mine = *state;
    auto const back = [&] {
      *state = mine;
      if (mine.at > 0) {
        for (std::size_t i = 0; i < slots.size(); ++i) m.frame[slots[i]] = (*mine.rows)[mine.at - 1][i];
      }
    };
    if (mine.at == mine.rows->size()) {
      bool const stop = then->run(m);
      back();
      return stop;
    }
    for (std::size_t i = 0; i < slots.size(); ++i) m.frame[slots[i]] = (*mine.rows)[mine.at][i];
    state->at = mine.at + 1;
    bool const stop = self->body->run(m);
    back();
    return stop;
  });
  self->body = action(*e.args[0], inner, step);
  on_spine_ = spine;
  return make_act([all, slots, state, step](machine& m) {
    std::vector<std::vector<value>> rows;
    each(m, all, [&] {
      std::vector<value> row;
      for (auto s : slots) row.push_back(m.frame[s]);
      rows.push_back(std::move(row));
      return false;
    });
    auto const outer = std::exchange(*state, progress{&rows, 0});
    bool const stop = step->run(m);
    *state = outer;
    return stop;
  });
}

act const* compiler::case_action(expr const& e, scope const& in, act const* then) {
  auto const spine = std::exchange(on_spine_, false);
  std::vector<code const*> tests;
  std::vector<act const*> arms;
  for (std::size_t i = 0; i + 1 < e.args.size(); i += 2) {
    tests.push_back(expression(*e.args[i], in).run);
    arms.push_back(action(*e.args[i + 1], in, then));
  }
  auto const* other = e.args.size() % 2 == 1 ? action(*e.args.back(), in, then) : nullptr;
  on_spine_ = spine;
  return make_act([tests, arms, other, &e](machine& m) {
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (truth(m, *tests[i], *e.args[2 * i])) return arms[i]->run(m);
    }
    if (other == nullptr) fail(m, e, "no arm of the CASE is true");
    return other->run(m);
  });
}

/// The variable that `e` is nothing but another name of, or -1.
std::int64_t compiler::variable_of(expr const& e, scope const& in) {
  switch (e.kind) {
    case expr_kind::declared: {
      if (!e.args.empty()) return -1;
      for (auto const* c = in.where; c != nullptr; c = c->parent) {
        for (auto const& s : c->of->with) {
          if (s.what != e.decl) continue;
          auto outside = c->outside;
          outside.slots = in.slots;
          outside.enabled = in.enabled;
          outside.world = in.world;
          auto const x = variable_of(*s.by, outside);
          return x < 0 && in.enabled && e.decl->what == declaration::sort::variable ? own_variable(*e.decl, c)
                                                                                    : x;
        }
      }
      return e.decl->what == declaration::sort::variable ? std::int64_t{e.decl->index} : -1;
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

/// The expression that a parameter or a substituted name stands for, or `e` itself.
std::pair<expr const*, scope> compiler::seen_through(expr const& e, scope const& in) {
  if (e.kind == expr_kind::bound_name) {
    auto const* n = lookup(*e.bind, in, e);
    if (n->e == nullptr || n->what == environment::sort::op) return {&e, in};
    auto inner = n->in;
    inner.slots = in.slots;
    return {n->e, inner};
  }
  for (auto const* c = in.where; c != nullptr; c = c->parent) {
    for (auto const& s : c->of->with) {
      if (s.what != e.decl) continue;
      auto outside = c->outside;
      outside.slots = in.slots;
      outside.primed = in.primed;
      outside.init = in.init;
      outside.enabled = in.enabled;
      outside.world = in.world;
      return {s.by, outside};
    }
  }
  return {&e, in};
}

}  // namespace halfopen::tla
