#include <algorithm>
#include <map>
#include <tuple>

#include <halfopen/check/graph.hpp>
#include <halfopen/tla/coverage.hpp>
#include <halfopen/tla/model.hpp>
#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {
namespace {

constexpr std::size_t text_longest = 60;

std::string_view line_of(source_file const& file, std::uint32_t number) {
  std::string_view text = file.text;
  for (std::uint32_t n = 1; n < number && !text.empty(); ++n) {
    auto const end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text.substr(0, text.find_first_of("\r\n"));
}

/// Where a column begins: columns count characters, and a tab reaches the next multiple of 8.
std::size_t byte_of(std::string_view line, std::uint32_t column) {
  std::uint32_t at = 1;
  std::size_t i = 0;
  for (; i < line.size() && at < column; ++i) {
    if ((line[i] & 0xC0) == 0x80) continue;
    at = line[i] == '\t' ? (at - 1) / 8 * 8 + 9 : at + 1;
  }
  while (i < line.size() && (line[i] & 0xC0) == 0x80) ++i;
  return i;
}

/// How many states each action was the first to reach.
std::vector<std::uint64_t> new_states(check::graph const& g, std::size_t actions) {
  std::vector<std::uint64_t> all(actions, 0);
  for (check::state_id s = 0; s < g.size(); ++s) {
    if (g.parent(s) == check::no_state) continue;
    for (auto const& step : g.steps(g.parent(s))) {
      if (step.to != s) continue;
      if (step.by < actions) ++all[step.by];
      break;
    }
  }
  return all;
}

bool earlier(source_range const& a, source_range const& b) {
  auto const key = [](source_range const& r) {
    return std::tuple{r.known() ? r.file->path : std::string{}, r.begin.line, r.begin.column, r.end.line,
                      r.end.column};
  };
  return key(a) < key(b);
}

void add_actions(coverage& to, model& m, observed const& seen, check::graph const* graph) {
  auto const& labels = m.compiled_by().labels();
  auto const fresh = graph != nullptr ? new_states(*graph, labels.size()) : std::vector<std::uint64_t>{};
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].has_steps) order.push_back(i);
  }
  std::ranges::sort(order, [&](auto a, auto b) {
    auto const &x = labels[a].at->range, &y = labels[b].at->range;
    return earlier(x, y) || (!earlier(y, x) && a < b);
  });
  for (auto i : order) {
    auto const place = to_string(labels[i].at->range);
    auto const same = [&](auto const& a) { return a.name == labels[i].name && a.place == place; };
    auto known = std::ranges::find_if(to.actions, same);  // an action that stands in Next twice is one
    if (known == to.actions.end()) {
      to.actions.push_back({labels[i].name, place});
      known = to.actions.end() - 1;
    }
    known->steps += seen.steps[i];
    if (graph != nullptr) known->new_states = known->new_states.value_or(0) + fresh[i];
  }
}

void add_parts(coverage& to, observed const& seen) {
  auto all = std::vector<part_count>(seen.parts.all().begin(), seen.parts.all().end());
  std::erase_if(all,
                [](auto const& p) { return !p.at->range.known() || p.at->range.file->path == "(built in)"; });
  std::ranges::sort(all, [](auto const& a, auto const& b) { return earlier(a.at->range, b.at->range); });
  for (auto const& p : all)
    to.parts.push_back(
        {p.at->range.file->path, p.at->range.begin, text_at(p.at->range), p.entered, p.passed});
}

std::string right(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

}  // namespace

std::string text_at(source_range const& range) {
  if (!range.known()) return "";
  auto const line = line_of(*range.file, range.begin.line);
  auto const begin = byte_of(line, range.begin.column);
  auto const end = range.end.line == range.begin.line ? byte_of(line, range.end.column + 1) : line.size();
  std::string text{line.substr(begin, std::max(end, begin) - begin)};
  if (text.size() <= text_longest) return range.end.line == range.begin.line ? text : text + " ...";
  auto cut = text_longest;
  while (cut > 0 && (text[cut] & 0xC0) == 0x80) --cut;
  return text.substr(0, cut) + " ...";
}

coverage coverage_of(model& m, check::graph const* graph) {
  coverage c;
  auto const seen = m.seen();
  add_actions(c, m, seen, graph);
  add_parts(c, seen);
  for (std::uint32_t i = 0; i < m.width(); ++i)
    c.variables.push_back({std::string{m.compiled_by().variable(i).name}, seen.changed[i] != 0});
  return c;
}

std::string to_text(coverage const& c) {
  std::size_t widest = 6;
  for (auto const& a : c.actions) widest = std::max(widest, a.name.size());
  auto name = [&](std::string text) { return text.resize(std::max(widest, text.size()), ' '), text; };
  auto out = "Coverage of actions:\n  " + name("action") + "       steps  new states\n";
  for (auto const& a : c.actions)
    out += "  " + name(a.name) + right(std::to_string(a.steps), 12) +
           right(a.new_states ? std::to_string(*a.new_states) : "?", 12) + "  " + a.place +
           (a.steps == 0 ? "  never possible" : "") + "\n";
  for (auto const& v : c.variables) {
    if (!v.changes) out += "  the variable " + v.name + " never changes\n";
  }
  out += "Coverage of their parts:\n     evaluated        true\n";
  std::string file;
  for (auto const& p : c.parts) {
    if (p.file != file) out += "  " + (file = p.file) + "\n";
    out += "  " + right(std::to_string(p.asked), 12) + right(std::to_string(p.held), 12) + "  " +
           std::to_string(p.at.line) + ":" + std::to_string(p.at.column) + ": " + p.text + "\n";
  }
  return out;
}

std::string to_json(coverage const& c) {
  std::string out = "{\"actions\": [";
  auto const begin = [&](bool first) { out += first ? "\n    {" : ",\n    {"; };
  for (std::size_t i = 0; i < c.actions.size(); ++i) {
    auto const& a = c.actions[i];
    begin(i == 0);
    out += "\"name\": " + json_quoted(a.name) + ", \"place\": " + json_quoted(a.place) +
           ", \"steps\": " + std::to_string(a.steps) +
           ", \"new_states\": " + (a.new_states ? std::to_string(*a.new_states) : "null") + "}";
  }
  out += "],\n  \"variables\": [";
  for (std::size_t i = 0; i < c.variables.size(); ++i) {
    begin(i == 0);
    out += "\"name\": " + json_quoted(c.variables[i].name) +
           ", \"changes\": " + (c.variables[i].changes ? "true" : "false") + "}";
  }
  out += "],\n  \"parts\": [";
  for (std::size_t i = 0; i < c.parts.size(); ++i) {
    auto const& p = c.parts[i];
    begin(i == 0);
    out += "\"file\": " + json_quoted(p.file) + ", \"line\": " + std::to_string(p.at.line) +
           ", \"column\": " + std::to_string(p.at.column) + ", \"text\": " + json_quoted(p.text) +
           ", \"evaluated\": " + std::to_string(p.asked) + ", \"true\": " + std::to_string(p.held) + "}";
  }
  return out + "]}";
}

}  // namespace halfopen::tla
