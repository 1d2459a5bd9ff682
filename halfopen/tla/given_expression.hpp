#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/tla/model.hpp>
#include <halfopen/tla/spec.hpp>

namespace halfopen::tla {

/// "total == x + y" gives the expression x + y the name total; without a name its own text is one.
struct expression_text {
  std::string name;
  std::string text;
  bool named = false;
};
[[nodiscard]] expression_text with_name(std::string_view given);

/// An expression that stands in no file, compiled beside a model: of --eval, --trace-expr and the prompt.
class given_expression {
 public:
  /// Parses and compiles it in the scope of the root module. Places in messages are of "(expression)".
  [[nodiscard]] static expected<given_expression, std::vector<diagnostic>> make(spec& s, model& m,
                                                                                std::string_view given);

  [[nodiscard]] std::string const& name() const noexcept { return given_.name; }
  [[nodiscard]] std::string const& text() const noexcept { return given_.text; }
  [[nodiscard]] bool named() const noexcept { return given_.named; }
  [[nodiscard]] bool looks_at_a_state() const noexcept { return run_.on.now || run_.on.next; }
  [[nodiscard]] bool looks_at_the_next_state() const noexcept { return run_.on.next; }

  /// Its value in a state, or over a step. Throws check::cannot_evaluate.
  [[nodiscard]] value value_at(model& m, check::row state, check::row next) const;

 private:
  given_expression(expression_text given, piece run) : given_{std::move(given)}, run_{std::move(run)} {}

  expression_text given_;
  piece run_;
};

}  // namespace halfopen::tla
