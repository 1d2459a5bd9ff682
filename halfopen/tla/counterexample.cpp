#include <halfopen/tla/counterexample.hpp>

namespace halfopen::tla {
namespace {

check::action_id action_between(check::graph const& g, check::state_id from, check::state_id to) {
  for (auto const& step : g.steps(from)) {
    if (step.to == to) return step.by;
  }
  return check::no_action;
}

}  // namespace

trace counterexample(std::vector<check::trace_step> const& way, model& m) {
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
    s.variables = m.shown(state, i + 1 < way.size() ? way[i + 1].state : state);
    t.states.push_back(std::move(s));
  }
  return t;
}

trace counterexample(lasso const& l, check::graph const& g, model& m) {
  std::vector<check::trace_step> way;
  for (std::size_t i = 0; i < l.states.size(); ++i) {
    auto const r = g.state(l.states[i]);
    auto const by = i == 0 ? check::no_action : action_between(g, l.states[i - 1], l.states[i]);
    way.push_back({{r.begin(), r.end()}, by});
  }
  auto t = counterexample(way, m);
  t.property = l.property;
  t.back_to = l.back;
  if (!l.stutters()) {
    auto const by = action_between(g, l.states.back(), l.states[l.back]);
    t.back_by = m.step(g.state(l.states.back()), g.state(l.states[l.back]), by).name;
  }
  return t;
}

}  // namespace halfopen::tla
