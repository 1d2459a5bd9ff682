#include <algorithm>
#include <vector>

#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

namespace {

bool some_step(machine& m, act const& a) {
  std::vector<value> row(m.variables);
  auto* const outer = std::exchange(m.next, row.data());
  bool const found = a.run(m);
  m.next = outer;
  return found;
}

bool enabled_in_next(machine& m, act const& a, std::size_t variables, expr const& at) {
  std::vector<value> const state(m.next, m.next + variables);
  if (!std::ranges::all_of(state, &value::is_set_yet))
    fail(m, at, "ENABLED is asked of a next state in which some variable has no value yet");
  auto const* const now = std::exchange(m.now, state.data());
  auto const number = std::exchange(m.state_number, ++m.states_between);
  bool const found = some_step(m, a);
  m.now = now;
  m.state_number = number;
  return found;
}

}  // namespace

expr const& compiler::angle_of(expr const& fairness) {
  expr& step = made_.emplace_back();
  step.kind = expr_kind::angle;
  step.range = fairness.range;
  step.level = level::action;
  step.args = fairness.args;
  return step;
}

piece compiler::enabled_step(expr const& fairness, scope const& in) {
  return enabled_action(angle_of(fairness), in);
}

piece compiler::taken_step(expr const& fairness, scope const& in) {
  return expression(angle_of(fairness), in);
}

act const* compiler::step_of(expr const& fairness, scope const& in, act const* then) {
  substituted_prime_ = false;
  auto const* a = action(angle_of(fairness), in, then);
  return substituted_prime_ ? nullptr : a;
}

piece compiler::enabled_action(expr const& a, scope const& in) {
  auto const spine = std::exchange(on_spine_, false);
  auto const* found = make_act([](machine&) { return true; });
  bool const in_next = in.primed || in.init;  // whether A could happen in the next state
  auto inside = in;
  inside.enabled = true;
  inside.primed = inside.init = false;
  if (in_next) inside.world = ++worlds_;
  auto const* run = action(a, inside, found);
  on_spine_ = spine;
  needs on;
  on.now = !in_next;
  on.next = in_next;
  for (auto const* n = in.names; n != nullptr; n = n->rest) {
    bool const in_frame = n->what == environment::sort::slot || n->what == environment::sort::thunk ||
                          n->what == environment::sort::lazy;
    if (in_frame) on.add_slot(n->slot);
  }
  if (in_next)
    return {make([run, n = variables_, &a](machine& m) { return value::of(enabled_in_next(m, *run, n, a)); }),
            on};
  return {make([run](machine& m) { return value::of(some_step(m, *run)); }), on};
}

/// Inside ENABLED, the next value of an instance's variable that is an expression outside.
std::uint32_t compiler::own_variable(declaration const& d, context const* c) {
  return own_.try_emplace({&d, c}, row_size()).first->second;
}

}  // namespace halfopen::tla
