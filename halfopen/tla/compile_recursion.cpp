#include <algorithm>
#include <array>

#include <halfopen/tla/call_frame.hpp>
#include <halfopen/tla/compiler.hpp>

/// What is called rather than expanded: recursive operators, and constants with a frame of their own.
namespace halfopen::tla {

namespace {

constexpr std::size_t units_max = 10000;

/// Which states the names of a place are read in.
int states_read(scope const& s) { return int{s.primed} | int{s.init} << 1 | int{s.enabled} << 2; }

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

/// Where a call's frame begins: with a copy of the slots that the body sees of what stands around it.
std::uint32_t compiler::copied_slots(callee const& t, std::vector<environment const*> const& operators,
                                     scope const& use) {
  if (!closed_context(t.in.where)) return std::max(t.mark, use.slots->used);
  std::uint32_t copied = t.in.names == nullptr ? 0 : t.mark;
  for (auto const* o : operators)
    copied = std::max(copied, o->in.names == nullptr ? 0 : std::max(o->mark, t.mark));
  return copied;
}

unit& compiler::unit_for(callee const& t, std::vector<environment const*> const& operators,
                         scope const& use) {
  auto const key = std::tuple{t.def, t.in.where, t.in.names, operators, states_read(t.in)};
  auto& known = units_by_key_[key];
  if (known != nullptr) return *known;
  if (units_.size() > units_max)
    throw compile_error{"operators are expanded without end here", t.def->body, true};
  auto& u = units_.emplace_back();
  known = &u;
  u.slots.used = u.copied = copied_slots(t, operators, use);
  // What the body needs is known only when it has been compiled; until then, more than it can be.
  bool const constant =
      t.in.names == nullptr && t.in.where == nullptr && operators.empty() && t.def->level == level::constant;
  u.body.on.now = !constant;
  u.body.on.next = t.in.primed || t.def->level >= level::action;
  compile_unit(u, t, operators);
  return u;
}

void compiler::compile_unit(unit& u, callee const& t, std::vector<environment const*> const& operators) {
  auto const& d = *t.def;
  auto in = t.in;
  in.slots = &u.slots;
  if (d.is_function) {
    auto const& f = *d.body;
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
    in = with_parameters(u, d, operators, in);
    auto body = expression(*d.body, in);
    for (auto s : u.params) body.on.drop_slot(s);
    u.body = body;
  }
  u.compiled = true;
}

/// The parameters of a recursive operator: values are in slots, and looked at when they are wanted.
scope compiler::with_parameters(unit& u, definition const& d,
                                std::vector<environment const*> const& operators, scope in) {
  auto op = operators.begin();
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
  return in;
}

std::vector<call_argument> compiler::call_arguments(definition const& d, std::vector<expr const*> const& args,
                                                    scope const& use, needs& on, expr const& at) {
  std::vector<call_argument> given;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (d.params[i]->arity > 0) continue;
    auto const p = expression(*args[i], use);
    on.add(p.on);
    given.push_back({p.run, is_cheap(p)});
  }
  if (given.size() > parameters_max) {
    throw compile_error{"a recursive operator with more than " + std::to_string(parameters_max) +
                            " parameters is not supported: give some of them as one tuple or record",
                        &at};
  }
  return given;
}

piece compiler::call_unit(callee const& t, std::vector<expr const*> const& args, scope const& use,
                          expr const& at) {
  auto const& u = unit_for(t, operators_among(t.def->params, args, use), use);
  auto on = u.body.on;
  for (std::uint32_t s = 0; s < (u.compiled ? 0 : u.copied); ++s) on.add_slot(s);
  auto const given = call_arguments(*t.def, args, use, on, at);
  return {make([&u, given, &at](machine& m) {
            call_frame f{m, u, at};
            f.enter(u, given);
            return u.body.run->run(m);
          }),
          on};
}

/// A recursive operator that gives variables values. What follows the call runs within it, in the frame of
/// the caller; a step back from there finds the frame of the call as it was.
act const* compiler::recursive_action(callee const& t, std::vector<expr const*> const& args, scope const& use,
                                      expr const& at, act const* then) {
  auto const operators = operators_among(t.def->params, args, use);
  auto const key = std::tuple{t.def, t.in.where, t.in.names, operators, states_read(t.in)};
  auto& u = action_units_by_key_[key];
  if (u == nullptr) {
    u = &action_units_.emplace_back();
    u->frame.slots.used = u->frame.copied = copied_slots(t, operators, use);
    auto in = t.in;
    in.slots = &u->frame.slots;
    auto const spine = std::exchange(on_spine_, false);
    auto const* leave = make_act([u](machine& m) {
      auto const* const back = std::exchange(u->back, u->back->outer);
      auto* const mine = std::exchange(m.frame, back->frame);
      bool const stop = back->then->run(m);
      m.frame = mine;
      u->back = back;
      return stop;
    });
    u->body = action(*t.def->body, with_parameters(u->frame, *t.def, operators, in), leave);
    on_spine_ = spine;
  }
  needs on;
  auto const given = call_arguments(*t.def, args, use, on, at);
  if (on.next) {  // its value could change between two ways to make the action true
    throw compile_error{"a primed argument of the recursive action " + std::string{t.def->name} +
                            " is not supported: write the prime in the definition, " +
                            std::string{t.def->name} + "(x) == ... x' ...",
                        &at, true};
  }
  return make_act([u, given, &at, then](machine& m) {
    call_frame f{m, u->frame, at};
    action_unit::way_back const back{then, m.frame, u->back};
    f.enter(u->frame, given);
    u->back = &back;
    bool const stop = u->body->run(m);
    u->back = back.outer;
    return stop;
  });
}

}  // namespace halfopen::tla
