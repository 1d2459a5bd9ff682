#include <algorithm>
#include <array>

#include <halfopen/tla/call_frame.hpp>
#include <halfopen/tla/compiler.hpp>

/// What is called rather than expanded: recursive operators, and constants with a frame of their own.
namespace halfopen::tla {

namespace {

/// Whether no expression that INSTANCE puts in place of a name needs a frame.
bool closed_context(context const* c) {
  for (; c != nullptr; c = c->parent) {
    if (c->outside.names != nullptr) return false;
  }
  return true;
}

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

unit& compiler::unit_for(callee const& t, std::vector<environment const*> const& operators,
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

void compiler::compile_unit(unit& u, callee const& t, std::vector<environment const*> const& operators) {
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

piece compiler::call_unit(callee const& t, std::vector<expr const*> const& args, scope const& use,
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

}  // namespace halfopen::tla
