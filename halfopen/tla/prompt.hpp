#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <halfopen/tla/evaluate.hpp>

namespace halfopen::tla {

/// A conversation about a model: expressions, definitions, and steps from state to state.
///
///     > Cardinality(Acceptors)
///     > twice(n) == 2 * n
///     > :next 1
class prompt {
 public:
  explicit prompt(prepared& p);

  /// What it says before the first line.
  [[nodiscard]] std::string greeting() const;

  /// What it says to a line; ends with a newline unless empty.
  [[nodiscard]] std::string answer(std::string_view line);
  [[nodiscard]] bool ended() const noexcept { return ended_; }

  static std::string_view help() noexcept;

 private:
  struct choice {
    check::trace_step step;
    std::string text;  // the action and what changes
  };

  std::string command(std::string_view word, std::string_view rest);
  std::string define(std::string_view line);
  std::string value_of(std::string_view expression);
  std::string initial(std::string_view number);
  std::string next(std::string_view number);
  std::string back();
  std::string way();
  std::string stand_in(check::trace_step step);
  std::string shown_here();
  std::vector<choice> choices();
  [[nodiscard]] std::string with_definitions(std::string_view expression) const;

  prepared& p_;
  evaluator evaluator_;
  std::vector<std::string> definitions_;
  std::vector<check::trace_step> way_;  // its last state is here
  bool ended_ = false;
};

}  // namespace halfopen::tla
