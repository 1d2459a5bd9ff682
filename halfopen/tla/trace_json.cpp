#include <halfopen/base/json_text.hpp>
#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {
namespace {

std::string joined(std::vector<std::string> const& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : std::string{separator}) + parts[i];
  return out;
}

std::string itf_of(trace_variable const& v) { return v.itf.empty() ? json_quoted(v.value) : v.itf; }

std::string state_json(trace const& t, std::size_t s) {
  auto const& state = t.states[s];
  std::vector<std::string> variables;
  for (std::size_t v = 0; v < state.variables.size(); ++v) {
    auto const& x = state.variables[v];
    variables.push_back("{\"name\": " + json_quoted(x.name) + ", \"value\": " + json_quoted(x.value) +
                        ", \"itf\": " + itf_of(x) +
                        ", \"changed\": " + (changed(t, s, v) ? "true" : "false") +
                        (x.expression.empty() ? "" : ", \"expression\": " + json_quoted(x.expression)) + "}");
  }
  return "{\"number\": " + std::to_string(s + 1) + ", \"action\": " + json_quoted(state.action) +
         ", \"place\": " + json_quoted(state.place) + ",\n     \"variables\": [\n      " +
         joined(variables, ",\n      ") + "]}";
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string to_json(trace const& t) {
  std::vector<std::string> states;
  for (std::size_t s = 0; s < t.states.size(); ++s) states.push_back(state_json(t, s));
  return "{\"spec\": " + json_quoted(t.spec) + ",\n \"property\": " + json_quoted(t.property) +
         ",\n \"back_to\": " + (t.back_to ? std::to_string(*t.back_to + 1) : "null") +
         ", \"back_by\": " + json_quoted(t.back_by) + ",\n \"states\": [\n    " + joined(states, ",\n    ") +
         "]}\n";
}

std::string to_itf(trace const& t) {
  std::vector<std::string> names;
  if (!t.states.empty()) {
    for (auto const& v : t.states[0].variables) names.push_back(json_quoted(v.name));
  }
  std::vector<std::string> states;
  for (std::size_t s = 0; s < t.states.size(); ++s) {
    std::vector<std::string> cells{"\"#meta\": {\"index\": " + std::to_string(s) +
                                   ", \"action\": " + json_quoted(t.states[s].action) + "}"};
    for (auto const& v : t.states[s].variables) cells.push_back(json_quoted(v.name) + ": " + itf_of(v));
    states.push_back("{" + joined(cells, ", ") + "}");
  }
  auto const loop = t.back_to ? ",\n \"loop\": " + std::to_string(*t.back_to) : std::string{};
  return "{\"#meta\": {\"format\": \"ITF\", \"description\": " + json_quoted("breaks " + t.property) +
         "},\n \"vars\": [" + joined(names, ", ") + "]" + loop + ",\n \"states\": [\n  " +
         joined(states, ",\n  ") + "]}\n";
}

}  // namespace halfopen::tla
