#include <algorithm>

#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

namespace {

environment const* find_let(definition const& d, environment const* names) {
  for (; names != nullptr; names = names->rest) {
    if (names->def == &d && names->what != environment::sort::op) return names;
  }
  return nullptr;
}

}  // namespace

environment const* compiler::known_let(expr const& e, scope const& in) const {
  if (e.def->outer == nullptr || !e.args.empty() || !e.through.empty()) return nullptr;
  auto const* n = find_let(*e.def, in.names);
  return n != nullptr && n->what != environment::sort::let ? n : nullptr;
}

bool compiler::is_cheap(piece const& p) const { return p.on.nothing() || cheap_.contains(p.run); }

piece compiler::cheap(piece p) {
  cheap_.insert(p.run);
  return p;
}

replacement const* compiler::replaced(definition const& d, module const* user) const {
  for (auto const& r : binding_.replacements) {
    if (r.defined == &d && (r.only_in == nullptr || r.only_in == user || r.only_in == d.owner)) return &r;
  }
  return nullptr;
}

compiler::target compiler::replacement_target(replacement const& r) {
  target t;
  t.in = root();
  if (r.value || !r.table.empty()) {
    t.replaced = &r;
    t.def = r.defined;
    t.constant = r.constant;
    return t;
  }
  if (r.by.def != nullptr) {
    t.def = r.by.def;
    t.in.where = enter(r.by.through, root(), nullptr);
    t.in.owner = r.by.def->owner;
    return t;
  }
  t.constant = r.by.decl;
  return t;
}

context const* compiler::enter(std::vector<instance_use> const& through, scope const& use,
                               context const* from) {
  for (auto const& step : through) {
    scope outside = use;
    outside.where = from;
    outside.owner = step.of->owner;
    if (step.of->outer == nullptr) outside.names = nullptr;
    for (std::size_t i = 0; i < step.args.size(); ++i) {
      auto const& p = *step.of->params[i];
      if (p.arity > 0) {
        outside.names =
            bind({.what = environment::sort::op, .name = &p, .e = step.args[i], .in = use}, outside.names);
      } else {
        outside.names =
            bind({.what = environment::sort::alias, .name = &p, .e = step.args[i], .in = use}, outside.names);
      }
    }
    auto& known = known_contexts_[{from, step.of, outside.names}];
    if (known == nullptr) known = &contexts_.emplace_back(context{from, step.of, outside});
    from = known;
  }
  return from;
}

compiler::target compiler::resolve(definition const& d, std::vector<instance_use> const& through,
                                   scope const& use) {
  // A named instance's operators are others than those that the configuration names, unless it names the
  // module.
  bool const own =
      std::ranges::all_of(through, [](instance_use const& step) { return step.of->name.empty(); });
  if (auto const* r = replaced(d, use.owner); r != nullptr && (own || r->only_in != nullptr)) {
    if (r->by.def == nullptr || r->by.def != &d) {
      auto t = replacement_target(*r);
      t.in.slots = use.slots;
      t.in.primed = use.primed;
      t.in.init = use.init;
      t.in.enabled = use.enabled;
      t.in.world = use.world;
      return t;
    }
  }
  target t{.def = &d, .in = use};
  t.in.owner = d.owner;
  if (d.outer != nullptr && through.empty()) {
    if (auto const* n = find_let(d, use.names); n != nullptr) {
      t.in.names = n->in.names;
      t.in.where = n->in.where;
      t.mark = n->mark;
    }
    return t;
  }
  t.in.where = enter(through, use, use.where);
  t.in.names = nullptr;
  return t;
}

compiler::target compiler::resolve_operator(expr const& e, scope const& in) {
  if (e.kind == expr_kind::lambda) return {.lambda = &e, .in = in};
  if (e.bind != nullptr) {
    auto const* n = lookup(*e.bind, in, e);
    auto inner = n->in;
    inner.slots = in.slots;
    inner.primed |= in.primed;
    inner.init |= in.init;
    inner.enabled |= in.enabled;
    inner.world = in.world;
    return resolve_operator(*n->e, inner);
  }
  if (e.def != nullptr) return resolve(*e.def, e.through, in);
  return resolve_constant(*e.decl, in, e);
}

/// A constant operator: what an INSTANCE or the configuration puts in its place.
compiler::target compiler::resolve_constant(declaration const& d, scope const& in, expr const& at) {
  for (auto const* c = in.where; c != nullptr; c = c->parent) {
    for (auto const& s : c->of->with) {
      if (s.what != &d) continue;
      auto outside = c->outside;
      outside.slots = in.slots;
      outside.primed = in.primed;
      outside.init = in.init;
      outside.enabled = in.enabled;
      outside.world = in.world;
      return resolve_operator(*s.by, outside);
    }
  }
  for (auto const& r : binding_.replacements) {
    if (r.constant != &d) continue;
    auto t = replacement_target(r);
    t.in.slots = in.slots;
    t.in.primed = in.primed;
    t.in.init = in.init;
    t.in.enabled = in.enabled;
    t.in.world = in.world;
    return t;
  }
  throw compile_error{"the constant " + std::string{d.name} + " has no value", &at};
}

piece compiler::call(target const& t, std::vector<expr const*> const& args, scope const& use,
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
  return bodies_[key] = once_per_state(expression(*d.body, t.in), *d.body);
}

/// What depends on nothing but the state, and takes work, is computed once for each state.
piece compiler::once_per_state(piece p, expr const& e) {
  bool const of_state = p.on.now && !p.on.next && !p.on.anything && p.on.slots.empty();
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
piece compiler::call_constant(target const& t, std::vector<expr const*> const& args, scope const& use,
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

namespace {

/// A frame for one call, on top of the caller's.
class call_frame {
 public:
  call_frame(machine& m, unit const& u, expr const& at) : m_{m}, frame_{m.frame}, top_{m.top} {
    if (m.stack_is_low() || !m.has_room(u.slots.used))
      fail(m, at, "the recursion is too deep, or has no end");
    callee = m.top;
    std::copy_n(m.frame, u.copied, callee);
  }
  void enter(unit const& u) {
    m_.frame = callee;
    m_.top = callee + u.slots.used;
  }
  ~call_frame() {
    m_.frame = frame_;
    m_.top = top_;
  }
  call_frame(call_frame const&) = delete;
  call_frame& operator=(call_frame const&) = delete;

  value* callee;

 private:
  machine& m_;
  value* frame_;
  value* top_;
};

}  // namespace

/// A constant's value, computed once, in a frame of its own: it is wanted in frames of many shapes.
piece compiler::in_own_frame(expr const& e, scope in, expr const& at) {
  auto& u = units_.emplace_back();
  in.slots = &u.slots;
  u.body = expression(e, in);
  return {make([&u, &at](machine& m) {
            call_frame f{m, u, at};
            f.enter(u);
            return u.body.run->run(m);
          }),
          u.body.on};
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

/// The operators among the arguments, each as one entry however often it is passed on.
std::vector<environment const*> compiler::operators_among(std::vector<binder const*> const& params,
                                                          std::vector<expr const*> const& args,
                                                          scope const& use) {
  std::vector<environment const*> found;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i]->arity == 0) continue;
    auto const* e = args.at(i);
    auto in = use;
    while (e->kind == expr_kind::operator_name && e->bind != nullptr) {
      auto const* n = lookup(*e->bind, in, *e);
      e = n->e;
      in = n->in;
    }
    bool const closed = e->kind == expr_kind::operator_name && e->def != nullptr &&
                        e->def->outer == nullptr && e->through.empty();
    auto& known = known_operators_[{closed ? nullptr : e, e->def, in.where, closed ? nullptr : in.names}];
    if (known == nullptr) {
      auto kept = in;
      if (closed) kept.names = nullptr;
      known = bind({.what = environment::sort::op, .e = e, .in = kept, .mark = closed ? 0 : use.slots->used},
                   nullptr);
    }
    found.push_back(known);
  }
  return found;
}

unit& compiler::unit_for(target const& t, std::vector<environment const*> const& operators,
                         scope const& use) {
  bool const closed = t.in.names == nullptr &&
                      std::ranges::all_of(operators, [](auto const* o) { return o->in.names == nullptr; }) &&
                      closed_context(t.in.where);
  auto const key = std::tuple{t.def, t.in.where, t.in.names, operators,
                              int{t.in.primed} | int{t.in.init} << 1 | int{t.in.enabled} << 2};
  auto& known = units_by_key_[key];
  if (known != nullptr) return *known;
  if (units_.size() > 10000)
    throw compile_error{"operators are expanded without end here", t.def->body, true};
  auto& u = units_.emplace_back();
  known = &u;
  u.copied = closed ? 0 : t.mark;
  for (auto const* o : operators) u.copied = std::max(u.copied, o->mark);
  if (!closed_context(t.in.where)) u.copied = std::max(u.copied, use.slots->used);
  u.slots.used = u.copied;
  // What the body needs is known only when it has been compiled; until then, more than it can be.
  bool const constant =
      closed && t.in.where == nullptr && operators.empty() && t.def->level == level::constant;
  u.body.on.now = !constant;
  u.body.on.next = t.in.primed || t.def->level >= level::action;
  compile_unit(u, t, operators);
  return u;
}

bool compiler::closed_context(context const* c) {
  for (; c != nullptr; c = c->parent) {
    if (c->outside.names != nullptr) return false;
  }
  return true;
}

void compiler::compile_unit(unit& u, target const& t, std::vector<environment const*> const& operators) {
  auto const& d = *t.def;
  auto in = t.in;
  in.slots = &u.slots;
  auto op = operators.begin();
  if (d.is_function) {
    auto const& f = *d.body;
    std::vector<piece> sets;
    needs on;
    u.loops = loops(f.bounds, in, on, f);
    for (auto const& l : u.loops) {
      for (auto s : l.slots) u.params.push_back(s);
    }
    auto const body = expression(*f.args[0], in);
    on.add(body.on);
    for (auto s : u.params) on.drop_slot(s);
    u.body = {body.run, on};
    u.remembers = u.copied == 0 && on.nothing();
  } else {
    for (auto const* p : d.params) {
      if (p->arity > 0) {
        auto entry = **op++;
        entry.name = p;
        in.names = bind(entry, in.names);
        continue;
      }
      auto const slot = u.slots.take();
      u.params.push_back(slot);
      in.names = bind({.what = environment::sort::thunk, .name = p, .slot = slot}, in.names);
    }
    auto body = expression(*d.body, in);
    for (auto s : u.params) body.on.drop_slot(s);
    u.body = body;
  }
  u.compiled = true;
}

piece compiler::call_unit(target const& t, std::vector<expr const*> const& args, scope const& use,
                          expr const& at) {
  auto const operators = operators_among(t.def->params, args, use);
  auto const& u = unit_for(t, operators, use);
  auto on = u.body.on;
  for (std::uint32_t s = 0; s < (u.compiled ? 0 : u.copied); ++s) on.add_slot(s);
  struct argument {
    code const* run;
    bool cheap;
  };
  std::vector<argument> given;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (t.def->params[i]->arity > 0) continue;
    auto const p = expression(*args[i], use);
    on.add(p.on);
    given.push_back({p.run, is_cheap(p)});
  }
  if (given.size() > 12) throw compile_error{"a recursive operator with more than 12 parameters", &at};
  return {make([&u, given, &at](machine& m) {
            call_frame f{m, u, at};
            std::array<thunk, 12> later;
            for (std::size_t i = 0; i < given.size(); ++i) {
              later[i] = {given[i].run, m.frame};
              f.callee[u.params[i]] = given[i].cheap ? given[i].run->run(m) : value::of(&later[i]);
            }
            f.enter(u);
            return u.body.run->run(m);
          }),
          on};
}

/// f[x] of a function that is defined by `f[y \in S] == e`: as a call, without building f.
piece compiler::function_as_call(target const& t, expr const& whole, expr const& arg, scope const& use,
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
piece compiler::whole_function(target const& t, scope const& use, expr const& at) {
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
