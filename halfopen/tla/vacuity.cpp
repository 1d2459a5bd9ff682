#include <algorithm>
#include <fstream>

#include <halfopen/tla/check_all.hpp>
#include <halfopen/tla/coverage.hpp>
#include <halfopen/tla/liveness.hpp>
#include <halfopen/tla/vacuity.hpp>

namespace halfopen::tla {
namespace {

class teller {
 public:
  teller(prepared const& p, verification const& what)
      : p_{p}, config_{what.config.empty() ? config_beside(what.spec) : what.config} {}

  std::vector<diagnostic> all;

  void at(source_range const& range, std::string code, std::string found, std::string wanted,
          std::string hint) {
    all.push_back({range.known() ? range.file->path : std::string{p_.spec.root().name}, range.begin,
                   severity::warning, std::move(code), std::move(found), std::move(wanted), std::move(hint)});
  }
  void in_config(source_position at, std::string code, std::string found, std::string wanted,
                 std::string hint) {
    all.push_back({config_, at, severity::warning, std::move(code), std::move(found), std::move(wanted),
                   std::move(hint)});
  }
  [[nodiscard]] std::string const& config() const noexcept { return config_; }

 private:
  prepared const& p_;
  std::string config_;
};

bool is_temporal(prepared const& p, goal const& g) {
  return std::ranges::any_of(p.model->temporal_properties(),
                             [&](located const& l) { return l.name == g.name; });
}

void tell_premise(teller& t, premise const& p, char const* arrow) {
  t.at(p.at->range, "check.premise", text_at(p.at->range) + ", which is true in no state",
       "a state in which it is",
       "to the left of " + std::string{arrow} + " in " + p.of + ", whose right side was never needed");
}

void actions(teller& t, prepared& p, coverage const& c) {
  auto const& labels = p.model->compiled_by().labels();
  for (auto const& a : c.actions) {
    if (a.steps != 0) continue;
    auto const label = std::ranges::find_if(
        labels, [&](auto const& l) { return l.name == a.name && to_string(l.at->range) == a.place; });
    t.at(label->at->range, "check.never-possible", "the action " + a.name + ", of which there is no step",
         "a state in which it is possible", "--coverage shows which of its parts is never true");
  }
}

void variables(teller& t, prepared& p, coverage const& c, check::row first) {
  for (std::uint32_t i = 0; i < c.variables.size(); ++i) {
    if (c.variables[i].changes || first.empty()) continue;
    auto const& d = p.model->compiled_by().variable(i);
    t.at(d.range, "check.never-changes",
         "the variable " + c.variables[i].name + ", which is " +
             p.model->on().v.text(value::from_word(first[i])) + " in every state",
         "a step that changes it", "if that is meant, a definition or a CONSTANT says it better");
  }
}

/// The values of the initial states, as long as they agree.
std::vector<check::word> common_start(model& m) {
  struct agreement final : check::sink {
    void operator()(check::row state, check::action_id) override {
      if (common.empty()) common.assign(state.begin(), state.end());
      for (std::size_t i = 0; i < state.size(); ++i) {
        if (common[i] != state[i]) differs[i] = true;
      }
    }
    std::vector<check::word> common;
    std::vector<bool> differs;
  } all;
  all.differs.assign(m.width(), false);
  m.at_level(0);
  m.initial(all);
  for (std::size_t i = 0; i < all.common.size(); ++i) {
    if (all.differs[i]) all.common[i] = value{}.word();
  }
  return all.common;
}

bool ever_true(prepared& p, premise const& q, check::graph const& g) {
  auto& m = *p.model;
  auto const code = m.compiled_by().expression(*q.asked.e, q.asked.in);
  for (check::state_id s = 0; s < g.size(); ++s) {
    if (m.asked("", g.state(s), {}, [&] { return truth(m.on(), *code.run, *q.at); })) return true;
  }
  return false;
}

void temporal(teller& t, prepared& p, check::graph const& g) {
  for (auto const& property : p.binding.properties) {
    for (auto const& l : p.model->temporal_properties()) {
      if (l.name != property.name) continue;
      if (is_tautology(*p.model, l))
        t.in_config(property.at, "check.tautology",
                    property.name + ", which every behaviour of any specification satisfies",
                    "a property that something could break", "it says nothing of this one");
      for (auto const& q : temporal_premises_of(p.model->splitter(), l)) {
        if (!ever_true(p, q, g)) tell_premise(t, q, "~>");
      }
    }
  }
}

}  // namespace

std::vector<diagnostic> vacuous_parts(prepared& p, verification const& what, check::graph const* graph) {
  teller t{p, what};
  auto& m = *p.model;
  auto const c = coverage_of(m, nullptr);
  actions(t, p, c);
  auto const still = std::ranges::any_of(c.variables, [](auto const& v) { return !v.changes; });
  if (still) {
    auto const start = common_start(m);
    coverage agreed = c;
    for (std::size_t i = 0; i < start.size(); ++i) agreed.variables[i].changes |= start[i] == value{}.word();
    variables(t, p, agreed, start);
  }
  auto const seen = m.seen();
  for (std::size_t i = 0; i < m.premises().size(); ++i) {
    if (seen.premise_true[i] == 0) tell_premise(t, m.premises()[i], "=>");
  }
  try {
    if (graph != nullptr) temporal(t, p, *graph);
  } catch (check::cannot_evaluate const&) {  // then nothing more is said
  }
  return std::move(t.all);
}

std::vector<diagnostic> doubtful_settings(prepared const& p, verification const& what) {
  teller t{p, what};
  for (auto const& g : p.binding.properties) {
    if (!is_temporal(p, g)) continue;
    if (p.model->assumed().fair.empty() && p.model->assumed().assumed.empty())
      t.in_config(g.at, "check.no-fairness",
                  g.name + ", a liveness property of a specification without fairness",
                  "WF_vars(A) or SF_vars(A) in the specification",
                  "without it, every behaviour may stop at any state");
    if (!p.binding.constraints.empty() || !p.binding.action_constraints.empty())
      t.in_config(g.at, "check.constraint", g.name + ", a liveness property under a constraint",
                  "no constraint",
                  "behaviours that leave it are not looked at, so a broken property may look whole");
  }
  std::string line;
  std::ifstream in{t.config()};
  std::getline(in, line);
  auto const want = parse_expectation(line);
  if (!want || want->property.empty() || (want->verdict != "safety" && want->verdict != "liveness"))
    return std::move(t.all);
  std::vector<std::string> names;
  for (auto const* goals : {&p.binding.invariants, &p.binding.properties}) {
    for (auto const& g : *goals) names.push_back(g.name);
  }
  if (std::ranges::find(names, want->property) == names.end()) {
    auto const near = nearest(want->property, names);
    t.in_config({1, static_cast<std::uint32_t>(line.find(want->property) + 1)}, "check.expect",
                want->property + ", which is no INVARIANT or PROPERTY here", "one that is checked",
                near.empty() ? "" : "did you mean " + near + "?");
  }
  return std::move(t.all);
}

}  // namespace halfopen::tla
