#include <array>

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
                        ", \"changed\": " + (changed(t, s, v) ? "true" : "false") + "}");
  }
  return "{\"number\": " + std::to_string(s + 1) + ", \"action\": " + json_quoted(state.action) +
         ", \"place\": " + json_quoted(state.place) + ",\n     \"variables\": [\n      " +
         joined(variables, ",\n      ") + "]}";
}

}  // namespace

std::string json_quoted(std::string_view text) {
  constexpr auto hex =
      std::to_array({'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'});
  std::string out = "\"";
  for (char const c : text) {
    auto const code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (code < 0x20) {
      out += "\\u00";
      out += hex[code >> 4];
      out += hex[code & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
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
