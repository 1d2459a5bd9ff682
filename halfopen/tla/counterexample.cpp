#include <halfopen/tla/counterexample.hpp>
#include <halfopen/tla/value_itf.hpp>

namespace halfopen::tla {
namespace {

check::action_id action_between(check::graph const& g, check::state_id from, check::state_id to) {
  for (auto const& step : g.steps(from)) {
    if (step.to == to) return step.by;
  }
  return check::no_action;
}

/// An expression that looks at the next state has no value where there is none.
trace_variable value_in_trace(given_expression const& e, model& m, check::row state, check::row next) {
  trace_variable v{e.name(), "", "", e.text()};
  if (e.looks_at_the_next_state() && next.empty()) {
    v.value = "(no next state)";
    return v;
  }
  try {
    auto const x = e.value_at(m, state, next);
    v.value = m.on().v.text(x);
    v.itf = to_itf(m.on().v, x);
  } catch (check::cannot_evaluate const& failed) {
    v.value = "(no value here: " + failed.why + ")";
  }
  return v;
}

}  // namespace

trace counterexample(std::vector<check::trace_step> const& way, model& m,
                     std::vector<given_expression> const& also, check::row after) {
  trace t;
  for (std::size_t i = 0; i < way.size(); ++i) {
    auto const& [state, by] = way[i];
    trace_state s;
    if (i == 0) {
      s.action = "Initial predicate";
    } else {
      auto step = m.step(way[i - 1].state, state, by);
      s.action = std::move(step.name);
      s.place = std::move(step.place);
    }
    auto const next = i + 1 < way.size() ? check::row{way[i + 1].state} : after;
    s.variables = m.shown(state, next.empty() ? state : next);
    for (auto const& e : also) s.variables.push_back(value_in_trace(e, m, state, next));
    t.states.push_back(std::move(s));
  }
  return t;
}

trace counterexample(lasso const& l, check::graph const& g, model& m,
                     std::vector<given_expression> const& also) {
  std::vector<check::trace_step> way;
  for (std::size_t i = 0; i < l.states.size(); ++i) {
    auto const r = g.state(l.states[i]);
    auto const by = i == 0 ? check::no_action : action_between(g, l.states[i - 1], l.states[i]);
    way.push_back({{r.begin(), r.end()}, by});
  }
  auto t = counterexample(way, m, also, g.state(l.states[l.back]));
  t.property = l.property;
  t.back_to = l.back;
  if (!l.stutters()) {
    auto const by = action_between(g, l.states.back(), l.states[l.back]);
    t.back_by = m.step(g.state(l.states.back()), g.state(l.states[l.back]), by).name;
  }
  return t;
}

}  // namespace halfopen::tla
