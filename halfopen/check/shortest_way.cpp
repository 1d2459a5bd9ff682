#include <algorithm>

#include <halfopen/check/explore.hpp>

namespace halfopen::check {

namespace {

/// Finds by which action one state leads to another: the first that the model produces.
class action_finder final : public sink {
 public:
  explicit action_finder(row wanted) : wanted_{wanted} {}
  void operator()(row state, action_id by) override {
    if (found == no_action && std::ranges::equal(state, wanted_)) found = by;
  }
  action_id found = no_action;

 private:
  row wanted_;
};

}  // namespace

std::vector<trace_step> shortest_way(model& m, graph const& g, state_id last) {
  std::vector<trace_step> way;
  for (auto s = last; s != no_state; s = g.parent(s)) {
    auto const r = g.state(s);
    action_finder by{r};
    if (g.parent(s) == no_state) {
      m.initial(by);
    } else {
      m.next(g.state(g.parent(s)), by);
    }
    way.push_back({{r.begin(), r.end()}, by.found});
  }
  std::ranges::reverse(way);
  return way;
}

std::string to_text(std::vector<trace_step> const& trace, model& m) {
  std::string text;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    auto const& [state, by] = trace[i];
    auto const name = i == 0 ? "Initial predicate" : m.step_name(trace[i - 1].state, state, by);
    auto const& next = i + 1 < trace.size() ? trace[i + 1].state : state;
    text += "State " + std::to_string(i + 1) + ": <" + name + ">\n" + m.show_in_trace(state, next) + "\n";
  }
  return text;
}

}  // namespace halfopen::check
