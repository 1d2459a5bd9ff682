#include <algorithm>
#include <array>
#include <cctype>

#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {
namespace {

struct named_form {
  std::string_view name;
  trace_form form;
};

constexpr auto forms = std::to_array<named_form>({{"text", trace_form::text},
                                                  {"diff", trace_form::difference},
                                                  {"table", trace_form::table},
                                                  {"json", trace_form::json},
                                                  {"itf", trace_form::itf},
                                                  {"tla", trace_form::tla},
                                                  {"html", trace_form::html}});

constexpr std::size_t cell_longest = 28;  // characters of a value in a table

std::size_t characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut(std::string const& text) {
  if (characters(text) <= cell_longest) return text;
  std::size_t bytes = 0;
  for (std::size_t n = 0; n + 3 < cell_longest; ++n) {
    do {
      ++bytes;
    } while (bytes < text.size() && (text[bytes] & 0xC0) == 0x80);
  }
  return text.substr(0, bytes) + "...";
}

std::string padded(std::string text, std::size_t to) {
  auto const n = characters(text);
  if (n < to) text.append(to - n, ' ');
  return text;
}

using column = std::vector<std::string>;  // the header, then a cell for each variable

column column_of(trace const& t, std::size_t s) {
  column c{std::to_string(s + 1) + " " + t.states[s].action};
  for (std::size_t v = 0; v < t.states[s].variables.size(); ++v) {
    c.push_back(changed(t, s, v) ? cut(t.states[s].variables[v].value) : ".");
  }
  c[0] = cut(c[0]);
  return c;
}

std::size_t width_of(column const& c) {
  std::size_t widest = 0;
  for (auto const& cell : c) widest = std::max(widest, characters(cell));
  return widest;
}

std::string lines_of(std::vector<column> const& columns) {
  std::string out;
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    std::string line;
    for (auto const& c : columns)
      line += (line.empty() ? "" : "  ") + padded(row < c.size() ? c[row] : "", width_of(c));
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string goes_on(trace const& t) {
  if (!t.back_to) return "";
  if (*t.back_to + 1 == t.states.size()) return "Stuttering: the last state for ever\n";
  return "Back to state " + std::to_string(*t.back_to + 1) +
         (t.back_by.empty() ? "" : ": <" + t.back_by + ">") + "\n";
}

}  // namespace

bool changed(trace const& t, std::size_t state, std::size_t variable) noexcept {
  if (state == 0) return true;
  auto const& before = t.states[state - 1].variables;
  return variable >= before.size() || before[variable].value != t.states[state].variables[variable].value;
}

std::optional<trace_form> find_trace_form(std::string_view name) noexcept {
  auto const* it = std::ranges::find(forms, name, &named_form::name);
  return it == forms.end() ? std::nullopt : std::optional{it->form};
}

std::string to_string(trace const& t, trace_form form) {
  switch (form) {
    case trace_form::text: return to_text(t, false);
    case trace_form::difference: return to_text(t, true);
    case trace_form::table: return to_table(t);
    case trace_form::json: return to_json(t);
    case trace_form::itf: return to_itf(t);
    case trace_form::tla: return to_tla(t);
    case trace_form::html: return to_html(t);
  }
  return {};
}

std::string to_text(trace const& t, bool only_changes) {
  std::string out;
  for (std::size_t s = 0; s < t.states.size(); ++s) {
    auto const& state = t.states[s];
    out += "State " + std::to_string(s + 1) + ": <" + state.action +
           (state.place.empty() ? "" : " " + state.place) + ">\n";
    bool const bullets = state.variables.size() > 1;
    for (std::size_t v = 0; v < state.variables.size(); ++v) {
      if (only_changes && !changed(t, s, v)) continue;
      out += (bullets ? "/\\ " : "") + state.variables[v].name + " = " + state.variables[v].value + "\n";
    }
    out += "\n";
  }
  return out + goes_on(t);
}

std::string to_table(trace const& t, std::size_t width) {
  if (t.states.empty()) return "";
  column names{""};
  for (auto const& v : t.states[0].variables) names.push_back(v.name);
  std::string out;
  for (std::size_t s = 0; s < t.states.size();) {
    std::vector<column> part{names};
    auto used = width_of(names);
    do {
      part.push_back(column_of(t, s));
      used += 2 + width_of(part.back());
    } while (++s < t.states.size() && used + 2 + width_of(column_of(t, s)) <= width);
    out += lines_of(part) + "\n";
  }
  return out + goes_on(t);
}

namespace {

bool is_identifier(std::string_view text) noexcept {
  auto const letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::ranges::all_of(text, letter) &&
         std::isdigit(static_cast<unsigned char>(text[0])) == 0;
}

/// A record's field can only be called by a name.
std::string field_name(trace_state const& s, std::size_t v) {
  return is_identifier(s.variables[v].name) ? s.variables[v].name : "expr" + std::to_string(v + 1);
}

}  // namespace

std::string to_tla(trace const& t) {
  std::string out = "---- MODULE " + t.spec + "_Trace ----\n\\* Breaks " + t.property +
                    ".\n\\* Model values stand as plain names: declare them as constants.\nEXTENDS Naturals, "
                    "Sequences, TLC\n\n";
  for (std::size_t v = 0; !t.states.empty() && v < t.states[0].variables.size(); ++v) {
    if (auto const& x = t.states[0].variables[v]; !x.expression.empty())
      out += "\\* " + field_name(t.states[0], v) + " is " + x.expression + "\n";
  }
  out += "Trace ==\n  <<";
  for (std::size_t s = 0; s < t.states.size(); ++s) {
    out += s == 0 ? " " : ",\n     ";
    out += "\\* " + t.states[s].action + "\n     [";
    for (std::size_t v = 0; v < t.states[s].variables.size(); ++v) {
      auto const& x = t.states[s].variables[v];
      out += (v == 0 ? "" : ",\n      ") + field_name(t.states[s], v) + " |-> " +
             (x.value.starts_with('(') && x.itf.empty() ? json_quoted(x.value) : x.value);
    }
    out += "]";
  }
  out += " >>\n";
  if (t.back_to)
    out += "\n\\* The last state goes on with this one.\nBackTo == " + std::to_string(*t.back_to + 1) + "\n";
  return out + "====\n";
}

}  // namespace halfopen::tla
