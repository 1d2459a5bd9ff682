#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <span>

#include <halfopen/tla/graph_dump.hpp>
#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {
namespace {

constexpr std::size_t named_max = 20000;  // steps whose actions' arguments are worth finding

class grower final : check::sink {
 public:
  grower(model& m, std::size_t states_max)
      : model_{m}, states_max_{states_max}, g_{m.width()}, key_(m.key_width()) {}

  state_graph run() {
    model_.at_level(0);
    model_.initial(*this);
    g_.initial = g_.states.size();
    for (check::state_id s = 0; s < g_.states.size(); ++s) visit(s);
    return std::move(g_);
  }

 private:
  void visit(check::state_id s) {
    auto const generated = generated_;
    from_ = s;
    first_step_ = g_.steps.size();
    try {
      auto const broken = model_.broken_invariant(g_.states[s]);
      if (broken != check::model::nothing_broken) g_.notes[s].broken = model_.invariant_name(broken);
      model_.next(g_.states[s], *this);
      g_.notes[s].deadlock = generated_ == generated;
    } catch (check::cannot_evaluate const& e) {
      g_.notes[s].no_answer = e.why;
    }
  }

  void operator()(check::row state, check::action_id by) override {
    ++generated_;
    bool const first = from_ == check::no_state;
    if (!model_.within(state) || (!first && !model_.within(g_.states[from_], state))) return;
    auto const to = number_of(state);
    if (to == check::no_state || first) return;
    auto const own = std::span{g_.steps}.subspan(first_step_);
    auto const same = [&](auto const& s) { return s.to == to && s.by == by; };
    if (std::ranges::none_of(own, same)) g_.steps.push_back({from_, to, by});
  }

  check::state_id number_of(check::row state) {
    if (model_.has_key()) {
      model_.key(state, key_);
    } else {
      std::ranges::copy(state, key_.begin());
    }
    auto const [known, fresh] = numbers_.try_emplace(key_, static_cast<check::state_id>(g_.states.size()));
    if (!fresh) return known->second;
    if (g_.states.size() >= states_max_) {
      numbers_.erase(known);
      g_.complete = false;
      return check::no_state;
    }
    g_.states.grow(g_.states.size() + 1);
    g_.states.put(g_.states.size() - 1, state);
    g_.notes.emplace_back();
    return known->second;
  }

  model& model_;
  std::size_t states_max_;
  state_graph g_;
  std::vector<check::word> key_;
  std::map<std::vector<check::word>, check::state_id> numbers_;
  check::state_id from_ = check::no_state;
  std::size_t first_step_ = 0;  // of the state that is being visited
  std::uint64_t generated_ = 0;
};

/// What makes an action's edges its own, in colour (Okabe and Ito's, for every eye) and without.
struct look {
  char const* colour;
  char const* line;
};
constexpr auto looks = std::to_array<look>({{"#000000", "solid"},
                                            {"#D55E00", "dashed"},
                                            {"#0072B2", "bold"},
                                            {"#009E73", "dotted"},
                                            {"#CC79A7", "solid"},
                                            {"#E69F00", "bold"},
                                            {"#56B4E9", "dashed"},
                                            {"#666666", "dotted"}});

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\l";  // a line that begins at the left
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string without_place(std::string name) { return name.substr(0, name.find(' ')); }

/// The actions' names, with arguments where that is not too much.
std::string name_of(state_graph const& g, state_graph::step const& s, model& m) {
  if (g.steps.size() > named_max || m.has_key()) return without_place(m.action_name(s.by));
  return m.step(g.states[s.from], g.states[s.to], s.by).name;
}

std::string dot_state(state_graph const& g, std::size_t s, model& m) {
  auto const& note = g.notes[s];
  auto text = std::to_string(s + 1) + (note.broken.empty() ? "" : ": breaks " + note.broken) +
              (note.deadlock ? ": deadlock" : "") + (note.no_answer.empty() ? "" : ": no answer") + "\n" +
              m.show(g.states[s]);
  std::string style = s < g.initial ? ", penwidth=3" : "";
  if (!note.broken.empty() || !note.no_answer.empty()) style += ", peripheries=2";
  if (note.deadlock) style += ", style=dashed";
  return "  " + std::to_string(s + 1) + " [label=" + dot_quoted(text) + style + "];\n";
}

void write_legend(std::ostream& out, std::map<std::string, look> const& actions) {
  out << "  subgraph cluster_legend {\n    label=\"actions\"; color=\"#999999\";\n";
  int n = 0;
  for (auto const& [name, how] : actions) {
    out << "    legend" << n << " [label=" << dot_quoted(name) << ", shape=plaintext];\n    end" << n
        << " [label=\"\", shape=point];\n    legend" << n << " -> end" << n << " [color=\"" << how.colour
        << "\", style=" << how.line << "];\n";
    ++n;
  }
  out << "  }\n";
}

}  // namespace

std::optional<graph_form> find_graph_form(std::string_view file) noexcept {
  if (file.ends_with(".dot") || file.ends_with(".gv")) return graph_form::dot;
  if (file.ends_with(".json")) return graph_form::json;
  return std::nullopt;
}

state_graph reachable_graph(model& m, std::size_t states_max) { return grower{m, states_max}.run(); }

void write_dot(std::ostream& out, state_graph const& g, model& m, std::string_view spec) {
  std::map<std::string, look> actions;
  for (auto const& s : g.steps)
    actions.try_emplace(without_place(m.action_name(s.by)), looks[actions.size() % looks.size()]);
  out << "digraph " << dot_quoted(spec) << " {\n  rankdir=TB;\n"
      << "  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
      << "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  if (!g.complete)
    out << "  label=" << dot_quoted("only the first " + std::to_string(g.states.size()) + " states") << ";\n";
  for (std::size_t s = 0; s < g.states.size(); ++s) out << dot_state(g, s, m);
  for (auto const& s : g.steps) {
    auto const& how = actions.at(without_place(m.action_name(s.by)));
    out << "  " << s.from + 1 << " -> " << s.to + 1 << " [label=" << dot_quoted(name_of(g, s, m))
        << ", color=\"" << how.colour << "\", fontcolor=\"" << how.colour << "\", style=" << how.line
        << "];\n";
  }
  write_legend(out, actions);
  out << "}\n";
}

void write_json(std::ostream& out, state_graph const& g, model& m, std::string_view spec) {
  out << "{\"spec\": " << json_quoted(spec) << ", \"complete\": " << (g.complete ? "true" : "false")
      << ",\n \"states\": [";
  for (std::size_t s = 0; s < g.states.size(); ++s) {
    auto const& note = g.notes[s];
    out << (s == 0 ? "\n  " : ",\n  ") << "{\"number\": " << s + 1
        << ", \"initial\": " << (s < g.initial ? "true" : "false")
        << ", \"deadlock\": " << (note.deadlock ? "true" : "false")
        << ", \"breaks\": " << json_quoted(note.broken) << ", \"no_answer\": " << json_quoted(note.no_answer)
        << ", \"variables\": {";
    auto const values = m.variables(g.states[s]);
    for (std::size_t v = 0; v < values.size(); ++v)
      out << (v == 0 ? "" : ", ") << json_quoted(values[v].name) << ": " << json_quoted(values[v].value);
    out << "}}";
  }
  out << "\n],\n \"steps\": [";
  for (std::size_t i = 0; i < g.steps.size(); ++i) {
    auto const& s = g.steps[i];
    out << (i == 0 ? "\n  " : ",\n  ") << "{\"from\": " << s.from + 1 << ", \"to\": " << s.to + 1
        << ", \"action\": " << json_quoted(name_of(g, s, m)) << "}";
  }
  out << "\n]}\n";
}

}  // namespace halfopen::tla
