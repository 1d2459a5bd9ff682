#include <algorithm>

#include <halfopen/tla/evaluate.hpp>
#include <halfopen/tla/value_itf.hpp>

namespace halfopen::tla {

namespace {

struct row_collector final : check::sink {
  void operator()(check::row state, check::action_id) override {
    rows.emplace_back(state.begin(), state.end());
  }
  std::vector<std::vector<check::word>> rows;
};

std::string listed(std::vector<diagnostic> const& problems) {
  std::string text;
  for (auto const& d : problems) text += (text.empty() ? "" : "\n") + to_string(d);
  return text;
}

unexpected<not_evaluated> without_step() {
  return unexpected<not_evaluated>{
      {ending::bad_spec,
       "(expression): error: found a prime, expected an expression of one state; there is no step here: "
       "--trace-expr evaluates primes along a counterexample [check.expression]"}};
}

unexpected<not_evaluated> without_states() {
  return unexpected<not_evaluated>{
      {ending::bad_config,
       "(expression): error: found variables, expected an expression without; there is no initial state to "
       "look at: name SPECIFICATION, or INIT and NEXT, in the configuration [check.expression]"}};
}

}  // namespace

std::vector<std::vector<check::word>> const& evaluator::initial_states() {
  if (initial_) return *initial_;
  row_collector all;
  if (p_.model->has_behaviours()) {
    p_.model->at_level(0);
    p_.model->initial(all);
  }
  std::ranges::sort(all.rows);
  all.rows.erase(std::unique(all.rows.begin(), all.rows.end()), all.rows.end());
  return initial_.emplace(std::move(all.rows));
}

expected<evaluated, not_evaluated> evaluator::evaluate(std::string_view expression,
                                                       std::vector<check::word> const* here) {
  auto const e = given_expression::make(p_.spec, *p_.model, expression);
  if (!e) return unexpected<not_evaluated>{{ending::bad_spec, listed(e.error())}};
  if (e->looks_at_the_next_state()) return without_step();
  evaluated all{e->text(), {}};
  try {
    if (!e->looks_at_a_state()) {
      add(all, *e, {});
    } else if (here != nullptr) {
      add(all, *e, *here);
    } else {
      for (auto const& state : initial_states()) add(all, *e, state);
      if (initial_states().empty()) return without_states();
    }
  } catch (check::cannot_evaluate const& failed) {
    return unexpected<not_evaluated>{{ending::cannot_evaluate, failed.why}};
  }
  all.output = p_.model->take_output();
  return all;
}

void evaluator::add(evaluated& to, given_expression const& e, check::row state) {
  auto& m = *p_.model;
  auto const v = e.value_at(m, state, {});
  auto text = m.on().v.text(v);
  to.states += state.empty() ? 0 : 1;
  auto known = std::ranges::find(to.values, text, &evaluated_value::value);
  if (known == to.values.end()) {
    auto example = state.empty() ? std::vector<trace_variable>{} : m.shown(state, state);
    to.values.push_back({std::move(text), to_itf(m.on().v, v), 0, std::move(example)});
    known = to.values.end() - 1;
  }
  known->states += state.empty() ? 0 : 1;
}

std::string on_one_line(std::vector<trace_variable> const& state) {
  std::string text;
  for (auto const& v : state) text += (text.empty() ? "" : ", ") + v.name + " = " + v.value;
  return text;
}

std::string to_text(evaluated const& e) {
  auto text = e.output;
  for (auto const& v : e.values) {
    text += v.value;
    if (e.values.size() > 1)
      text += "    in " + std::to_string(v.states) + " of " + std::to_string(e.states) +
              " initial states, for example " + on_one_line(v.example);
    text += "\n";
  }
  return text;
}

std::string to_json(std::vector<evaluated> const& all) {
  std::string out = "{\"expressions\": [";
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& e = all[i];
    out += (i == 0 ? "\n  {" : ",\n  {") + std::string{"\"expression\": "} + json_quoted(e.expression) +
           ", \"states\": " + std::to_string(e.states) + ", \"output\": " + json_quoted(e.output) +
           ", \"values\": [";
    for (std::size_t k = 0; k < e.values.size(); ++k) {
      auto const& v = e.values[k];
      out += (k == 0 ? "\n    {" : ",\n    {") + std::string{"\"value\": "} + json_quoted(v.value) +
             ", \"itf\": " + v.itf + ", \"states\": " + std::to_string(v.states) + ", \"example\": {";
      for (std::size_t n = 0; n < v.example.size(); ++n)
        out += (n == 0 ? "" : ", ") + json_quoted(v.example[n].name) + ": " + json_quoted(v.example[n].value);
      out += "}}";
    }
    out += "]}";
  }
  return out + "]}\n";
}

}  // namespace halfopen::tla
