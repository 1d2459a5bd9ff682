#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/tla/given_expression.hpp>
#include <halfopen/tla/prepare.hpp>
#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {

/// One value that an expression has, and where.
struct evaluated_value {
  std::string value;                    // as TLA+ writes it
  std::string itf;                      // as JSON in the ITF encoding
  std::uint64_t states = 0;             // that give it; 0 for what looks at no state
  std::vector<trace_variable> example;  // the first of them
};

struct evaluated {
  std::string expression;
  std::vector<evaluated_value> values;  // each once; one, unless initial states differ in it
  std::uint64_t states = 0;             // that were looked at
  std::string output{};                 // what Print and PrintT said
};

/// Why there is no value.
struct not_evaluated {
  ending how = ending::cannot_evaluate;  // bad_spec for what cannot be parsed
  std::string message;                   // in lines, with places
};

/// Expressions against a model: what looks at no state has one value, what looks at one has one for each
/// initial state, or for the one that stands for `here`.
class evaluator {
 public:
  explicit evaluator(prepared& p) : p_{p} {}

  [[nodiscard]] expected<evaluated, not_evaluated> evaluate(std::string_view expression,
                                                            std::vector<check::word> const* here = nullptr);
  /// Throws check::cannot_evaluate.
  [[nodiscard]] std::vector<std::vector<check::word>> const& initial_states();

 private:
  void add(evaluated& to, given_expression const& e, check::row state);

  prepared& p_;
  std::optional<std::vector<std::vector<check::word>>> initial_{};
};

/// The values, one a line; where states differ, in how many each value is found, and one of them.
[[nodiscard]] std::string to_text(evaluated const& e);

/// An object of docs/schemas/check-eval.schema.json.
[[nodiscard]] std::string to_json(std::vector<evaluated> const& all);

/// "x = 1, y = {}"
[[nodiscard]] std::string on_one_line(std::vector<trace_variable> const& state);

}  // namespace halfopen::tla
