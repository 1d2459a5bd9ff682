#pragma once

#include <vector>

#include <halfopen/tla/syntax.hpp>

namespace halfopen::tla {

struct parse_result {
  syntax_node* tree = nullptr;  // a module or an expression; null if there is nothing to show
  std::vector<diagnostic> errors;
};

/// Parses the first module of a file. After an error it goes on with the next definition, so one run finds
/// several.
[[nodiscard]] parse_result parse_module(source_file const& file, syntax_arena& arena);

/// Parses a text that is one expression.
[[nodiscard]] parse_result parse_expression(source_file const& file, syntax_arena& arena);

}  // namespace halfopen::tla
