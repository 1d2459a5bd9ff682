#include <algorithm>

#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

namespace {

constexpr int depth_max = 3000;  // of expressions and operators expanded inside each other
constexpr std::int64_t kept_max = std::int64_t{1}
                                  << 16;  // elements of a constant set that is built for a loop

}  // namespace

void needs::add_slot(std::uint32_t slot) {
  auto const at = std::ranges::lower_bound(slots, slot);
  if (at == slots.end() || *at != slot) slots.insert(at, slot);
}

void needs::drop_slot(std::uint32_t slot) {
  auto const at = std::ranges::lower_bound(slots, slot);
  if (at != slots.end() && *at == slot) slots.erase(at);
}

void needs::add(needs const& other) {
  now |= other.now;
  next |= other.next;
  anything |= other.anything;
  for (auto s : other.slots) add_slot(s);
}

piece compiler::literal(value v) {
  return {make([v](machine&) { return v; }), {}};
}

piece compiler::once(piece p, expr const& e) {
  bool const plain =
      e.kind == expr_kind::number || e.kind == expr_kind::string || e.kind == expr_kind::bound_name;
  if (!p.on.nothing() || plain) return p;
  return {make([run = p.run, known = value{}](machine& m) mutable {
            if (!known.is_set_yet()) known = run->run(m);
            return known;
          }),
          {}};
}

piece compiler::expression(expr const& e, scope const& in) {
  if (++depth_ > depth_max) throw compile_error{"operators are expanded too deeply here", &e, true};
  auto const depth = depth_;
  try {
    auto p = once(raw(e, in), e);
    --depth_;
    return p;
  } catch (compile_error const& problem) {
    if (problem.fatal) throw;
    depth_ = depth - 1;
    auto const* at = problem.at != nullptr ? problem.at : &e;
    return {make([what = problem.what, at](machine& m) -> value { fail(m, *at, what); }), {.anything = true}};
  }
}

piece compiler::raw(expr const& e, scope const& in) {
  switch (e.kind) {
    case expr_kind::number:
      if (e.number > INT32_MAX)
        throw compile_error{"the number " + std::to_string(e.number) + " does not fit into 32 bits", &e};
      return literal(value::of(static_cast<std::int32_t>(e.number)));
    case expr_kind::string: return literal(values_.string(e.text));
    case expr_kind::bound_name: return name(e, in);
    case expr_kind::declared: return declared(e, in);
    case expr_kind::apply:
      if (auto const* n = known_let(e, in); n != nullptr) return read(*n, e, in);
      return call(resolve(*e.def, e.through, in), e.args, in, e);
    case expr_kind::forall:
    case expr_kind::exists: return quantifier(e, in);
    case expr_kind::choose: return choose(e, in);
    case expr_kind::if_then_else: return if_then_else(e, in);
    case expr_kind::case_of: return case_of(e, in);
    case expr_kind::let: return let(e, in);
    case expr_kind::tuple:
      return strict(e, e.args, in, [](machine& m, expr const&, std::span<value> a) { return m.v.tuple(a); });
    case expr_kind::set_of: return set_of(e, in);
    case expr_kind::set_filter: return set_filter(e, in);
    case expr_kind::set_map: return set_map(e, in);
    case expr_kind::function: return function(e, in);
    case expr_kind::function_set:
      return strict(e, e.args, in, [](machine& m, expr const& at, std::span<value> a) {
        for (auto s : a) {
          if (!is_set(s)) fail(m, at, "a set of functions wants sets, not " + m.v.described(s));
        }
        return m.v.lazy(node_kind::function_set, a);
      });
    case expr_kind::product:
      return strict(e, e.args, in, [](machine& m, expr const& at, std::span<value> a) {
        for (auto s : a) {
          if (!is_set(s)) fail(m, at, "\\X wants sets, not " + m.v.described(s));
        }
        return m.v.lazy(node_kind::product, a);
      });
    case expr_kind::record:
    case expr_kind::record_set: return record(e, in);
    case expr_kind::index: return index(e, in);
    case expr_kind::except: return except(e, in);
    case expr_kind::square:
    case expr_kind::angle: return square_or_angle(e, in);
    case expr_kind::decimal: throw compile_error{"numbers with a fraction have no value here", &e};
    case expr_kind::operator_name:
    case expr_kind::lambda: throw compile_error{"an operator stands where a value is wanted", &e};
    case expr_kind::weak_fair:
    case expr_kind::strong_fair: throw compile_error{"fairness has no value in a state", &e};
    case expr_kind::temporal_forall:
    case expr_kind::temporal_exists: throw compile_error{"\\AA and \\EE are not supported", &e};
    case expr_kind::invalid: break;
  }
  throw compile_error{"this is not an expression", &e};
}

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
      auto inner = n.in;
      inner.slots = in.slots;
      inner.primed |= in.primed;
      inner.enabled |= in.enabled;
      inner.world = in.world;
      return expression(*n.e, inner);
    }
    case environment::sort::op:
    case environment::sort::let: break;
  }
  throw compile_error{"an operator stands where a value is wanted", &e};
}

piece compiler::declared(expr const& e, scope const& in) {
  for (auto const* c = in.where; c != nullptr; c = c->parent) {
    for (auto const& s : c->of->with) {
      if (s.what != e.decl) continue;
      auto outside = c->outside;
      outside.slots = in.slots;
      outside.primed = in.primed;
      outside.init = in.init;
      outside.enabled = in.enabled;
      outside.world = in.world;
      if (e.decl->arity > 0) return call(resolve_operator(*s.by, outside), e.args, in, e);
      if (in.primed && e.decl->what == declaration::sort::variable && variable_of(*s.by, outside) < 0) {
        substituted_prime_ = true;
        if (in.enabled) return next_read(e, own_variable(*e.decl, c), in);
      }
      return expression(*s.by, outside);
    }
  }
  if (e.decl->what == declaration::sort::variable) return variable_read(e, in);
  if (e.decl->arity > 0) {
    target t{.constant = e.decl};
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

scope compiler::with_slot(scope in, binder const& name, std::uint32_t slot) {
  in.names = bind({.what = environment::sort::slot, .name = &name, .slot = slot}, in.names);
  return in;
}

environment const* compiler::bind(environment entry, environment const* rest) {
  entry.rest = rest;
  return &environments_.emplace_back(std::move(entry));
}

std::vector<loop> compiler::loops(std::vector<bound> const& bounds, scope& in, needs& on, expr const& at) {
  std::vector<loop> all;
  for (auto const& b : bounds) {
    if (b.set == nullptr) throw compile_error{"the quantifier has no bound: it cannot be evaluated", &at};
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
  return {make([all, run = body.run, wanted, at = e.args[0]](machine& m) {
            bool const found = each(m, all, [&] { return truth(m, *run, *at) == wanted; });
            return value::of(found == wanted);
          }),
          on};
}

piece compiler::choose(expr const& e, scope const& in) {
  auto inner = in;
  needs on;
  if (e.bounds[0].set == nullptr) throw compile_error{"a CHOOSE without a bound cannot be evaluated", &e};
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

piece compiler::if_then_else(expr const& e, scope const& in) {
  auto const test = expression(*e.args[0], in), yes = expression(*e.args[1], in),
             no = expression(*e.args[2], in);
  auto on = test.on;
  on.add(yes.on);
  on.add(no.on);
  return {make([t = test.run, y = yes.run, n = no.run, at = e.args[0]](machine& m) {
            return truth(m, *t, *at) ? y->run(m) : n->run(m);
          }),
          on};
}

piece compiler::case_of(expr const& e, scope const& in) {
  std::vector<code const*> parts;
  needs on;
  for (auto const* a : e.args) {
    auto const p = expression(*a, in);
    parts.push_back(p.run);
    on.add(p.on);
  }
  return {make([parts, &e](machine& m) {
            for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
              if (truth(m, *parts[i], *e.args[i])) return parts[i + 1]->run(m);
            }
            if (parts.size() % 2 == 0) fail(m, e, "no arm of the CASE is true");
            return parts.back()->run(m);
          }),
          on};
}

piece compiler::set_of(expr const& e, scope const& in) {
  return strict(e, e.args, in, [](machine& m, expr const&, std::span<value> a) {
    if (a.size() == 1) {
      a[0] = m.v.normal(a[0]);
      return m.v.sorted_set(a);
    }
    return m.v.set(a);
  });
}

piece compiler::set_filter(expr const& e, scope const& in) {
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const body = expression(*e.args[0], inner);
  on.add(body.on);
  drop_slots(all, on);
  return {make([l = all[0], run = body.run, at = e.args[0]](machine& m) {
            auto const set = l.set.run->run(m);
            m.at = l.at;
            if (!is_set(set)) fail(m, *l.at, "a set is wanted here, not " + m.v.described(set));
            value_list kept{m};
            m.v.each(set, [&](value v) {
              put(m, l, v);
              if (truth(m, *run, *at)) kept.push_back(v);
              return false;
            });
            return m.v.sorted_set(kept.get());
          }),
          on};
}

piece compiler::set_map(expr const& e, scope const& in) {
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const body = expression(*e.args[0], inner);
  on.add(body.on);
  drop_slots(all, on);
  return {make([all, run = body.run, &e](machine& m) {
            value_list made{m};
            each(m, all, [&] {
              made.push_back(run->run(m));
              return false;
            });
            m.at = &e;
            return m.v.set(made.get());
          }),
          on};
}

piece compiler::function(expr const& e, scope const& in) {
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const body = expression(*e.args[0], inner);
  on.add(body.on);
  drop_slots(all, on);
  bool const product = all.size() > 1;
  return {make([all, run = body.run, product, &e](machine& m) {
            value domain;
            if (product) {
              std::vector<value> sets;
              for (auto const& l : all) sets.push_back(l.set.run->run(m));
              m.at = &e;
              domain = m.v.explicit_set(m.v.lazy(node_kind::product, sets));
            } else {
              auto const set = all[0].set.run->run(m);
              m.at = all[0].at;
              domain = m.v.explicit_set(set);
            }
            value_list results{m};
            for (auto key : items(domain)) {
              if (product) {
                for (std::size_t i = 0; i < all.size(); ++i) put(m, all[i], items(key)[i]);
              } else {
                put(m, all[0], key);
              }
              results.push_back(run->run(m));
            }
            m.at = &e;
            return m.v.function(domain, results.get());
          }),
          on};
}

piece compiler::record(expr const& e, scope const& in) {
  std::vector<value> names;
  for (auto n : e.names) names.push_back(values_.string(n));
  std::vector<code const*> parts;
  needs on;
  for (auto const* a : e.args) {
    auto const p = expression(*a, in);
    parts.push_back(p.run);
    on.add(p.on);
  }
  bool const set = e.kind == expr_kind::record_set;
  return {make([names, parts, set, &e](machine& m) {
            std::vector<std::pair<value, value>> fields;
            for (std::size_t i = 0; i < parts.size(); ++i) {
              fields.emplace_back(names[i], parts[i]->run(m));
              if (set && !is_set(fields.back().second)) {
                fail(m, *e.args[i], "a set is wanted here, not " + m.v.described(fields.back().second));
              }
            }
            m.at = &e;
            return set ? m.v.record_set(fields) : m.v.record(fields);
          }),
          on};
}

piece compiler::index(expr const& e, scope const& in) {
  if (auto const& f = *e.args[0]; f.kind == expr_kind::apply && f.def->is_function && f.args.empty()) {
    auto const t = resolve(*f.def, f.through, in);
    if (t.def != nullptr && t.def->is_function && t.replaced == nullptr)
      return function_as_call(t, f, *e.args[1], in, e);
  }
  auto const f = expression(*e.args[0], in), x = expression(*e.args[1], in);
  auto on = f.on;
  on.add(x.on);
  return {make([f = f.run, x = x.run, &e](machine& m) {
            auto const function = f->run(m);
            auto const argument = x->run(m);
            if (is_tuple(function) && argument.is_integer() && argument.integer() >= 1 &&
                static_cast<std::uint32_t>(argument.integer()) <= function.as_node()->size) {
              return items(function)[static_cast<std::size_t>(argument.integer() - 1)];
            }
            m.at = &e;
            return m.v.apply(function, argument);
          }),
          on};
}

namespace {

struct compiled_update {
  std::vector<code const*> path;
  code const* by = nullptr;
  std::int64_t at_slot = -1;
  expr const* where = nullptr;
};

/// `f` with the value at the rest of the path replaced. What is not in the domain stays as it is.
value updated(machine& m, value f, std::span<value const> path, compiled_update const& u) {
  if (path.empty()) {
    if (u.at_slot >= 0) m.frame[u.at_slot] = f;
    return u.by->run(m);
  }
  m.at = u.where;
  if (!is_function(f))
    throw value_error{"EXCEPT is applied to " + m.v.described(f) + ", which is not a function"};
  auto const i = m.v.position(f, path[0]);
  if (i < 0) return f;
  auto const inner = updated(m, m.v.results(f)[static_cast<std::size_t>(i)], path.subspan(1), u);
  m.at = u.where;
  return m.v.with_result(f, static_cast<std::size_t>(i), inner);
}

}  // namespace

piece compiler::except(expr const& e, scope const& in) {
  auto const f = expression(*e.args[0], in);
  auto on = f.on;
  std::vector<compiled_update> updates;
  for (auto const& u : e.updates) {
    compiled_update c;
    c.where = &e;
    for (auto const* p : u.path) {
      auto const step = expression(*p, in);
      on.add(step.on);
      c.path.push_back(step.run);
    }
    auto inner = in;
    if (u.at != nullptr) {
      auto const slot = in.slots->take();
      c.at_slot = slot;
      inner = with_slot(in, *u.at, slot);
    }
    auto by = expression(*u.value, inner);
    if (u.at != nullptr) by.on.drop_slot(static_cast<std::uint32_t>(c.at_slot));
    on.add(by.on);
    c.by = by.run;
    updates.push_back(std::move(c));
  }
  return {make([f = f.run, updates](machine& m) {
            auto now = f->run(m);
            for (auto const& u : updates) {
              std::array<value, 8> path{};
              if (u.path.size() > path.size()) fail(m, *u.where, "EXCEPT with a path of more than 8 steps");
              for (std::size_t i = 0; i < u.path.size(); ++i) path[i] = u.path[i]->run(m);
              now = updated(m, now, std::span{path}.first(u.path.size()), u);
            }
            return now;
          }),
          on};
}

piece compiler::square_or_angle(expr const& e, scope const& in) {
  auto next = in;
  next.primed = true;
  auto const a = expression(*e.args[0], in), before = expression(*e.args[1], in),
             after = expression(*e.args[1], next);
  auto on = a.on;
  on.add(before.on);
  on.add(after.on);
  bool const square = e.kind == expr_kind::square;
  return {make([a = a.run, before = before.run, after = after.run, square, &e](machine& m) {
            if (truth(m, *a, *e.args[0]) == square) return value::of(square);
            auto const old = before->run(m), fresh = after->run(m);
            m.at = &e;
            bool const same = m.v.equal(old, fresh);
            return value::of(square ? same : !same);
          }),
          on};
}

scope compiler::with_lets(expr const& let, scope in, std::vector<std::uint32_t>& resets, bool action) {
  std::vector<environment*> open;  // what is recursive sees all definitions of its LET
  auto const push = [&](environment entry) {
    in.names = bind(std::move(entry), in.names);
    for (auto* o : open) o->in.names = in.names, o->mark = in.slots->used;
  };
  auto const push_unexpanded = [&](definition const& d) {
    push({.what = environment::sort::let, .def = &d, .in = in, .mark = in.slots->used});
    auto* const entry = &environments_.back();
    entry->in.names = entry;
    return entry;
  };
  for (auto const* d : let.lets) {
    if (d->recursive) open.push_back(push_unexpanded(*d));
  }
  for (auto* o : open) o->in.names = in.names;
  for (auto const* d : let.lets) {
    if (d->recursive) continue;
    if (!d->params.empty() || d->is_function) {
      push_unexpanded(*d);
      continue;
    }
    auto inside = in;
    inside.owner = d->owner;
    piece p;
    try {
      p = expression(*d->body, inside);
    } catch (compile_error const&) {  // told when it is used
      push_unexpanded(*d);
      continue;
    }
    if (action && p.on.next) {
      push_unexpanded(*d);
      continue;
    }
    environment entry{.what = environment::sort::ready, .def = d, .e = d->body, .in = inside, .run = p};
    if (!is_cheap(p)) {
      entry.what = environment::sort::lazy;
      entry.slot = in.slots->take();
      resets.push_back(entry.slot);
    }
    push(entry);
  }
  return in;
}

piece compiler::let(expr const& e, scope const& in) {
  std::vector<std::uint32_t> resets;
  auto const inner = with_lets(e, in, resets, false);
  auto body = expression(*e.args[0], inner);
  for (auto s : resets) body.on.drop_slot(s);
  if (resets.empty()) return body;
  return {make([resets, run = body.run](machine& m) {
            for (auto s : resets) m.frame[s] = value{};
            return run->run(m);
          }),
          body.on};
}

}  // namespace halfopen::tla
