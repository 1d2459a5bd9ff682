#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A counterexample as data, and the forms in which it can be shown.
namespace halfopen::tla {

struct trace_variable {
  std::string name;
  std::string value;         // as TLA+ writes it: "{1, 2}"
  std::string itf;           // as JSON in the ITF encoding: {"#set": [1, 2]}; empty where it is not known
  std::string expression{};  // of --trace-expr: what was asked; empty for a variable
};

struct trace_state {
  std::string action;  // what led here: "Initial predicate", "Send(p1)"
  std::string place;   // where the action is defined: "Paxos.tla:12:5"; may be empty
  std::vector<trace_variable> variables;
};

struct trace {
  std::string spec;      // the module's name
  std::string property;  // what is broken
  std::vector<trace_state> states;
  std::optional<std::size_t>
      back_to;          // a lasso: the last state goes on with this one; its own index = it stutters
  std::string back_by;  // the action of that step, unless it stutters
};

enum class trace_form : std::uint8_t { text, difference, table, json, itf, tla, html };

/// The form that `--trace` calls by this name.
[[nodiscard]] std::optional<trace_form> find_trace_form(std::string_view name) noexcept;

[[nodiscard]] std::string to_string(trace const& t, trace_form form);

/// "State 1: <Initial predicate>" and the variables, one a line; of later states only what changed, if so
/// wanted.
[[nodiscard]] std::string to_text(trace const& t, bool only_changes);

/// A column a state, a row a variable; a dot where nothing changed. Cut into parts that are `width`
/// characters wide.
[[nodiscard]] std::string to_table(trace const& t, std::size_t width = 110);

/// An object of docs/schemas/trace.schema.json.
[[nodiscard]] std::string to_json(trace const& t);

/// Apalache's Informal Trace Format.
[[nodiscard]] std::string to_itf(trace const& t);

/// A module that defines the trace as a sequence of records.
[[nodiscard]] std::string to_tla(trace const& t);

/// A page that stands alone: bands of values along the states, a lane for each process, keys to step.
[[nodiscard]] std::string to_html(trace const& t);

/// Whether a variable has another value than one state before.
[[nodiscard]] bool changed(trace const& t, std::size_t state, std::size_t variable) noexcept;

/// A JSON string with its quotes.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace halfopen::tla
