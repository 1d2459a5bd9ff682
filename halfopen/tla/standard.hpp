#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <halfopen/tla/primitive.hpp>

/// The modules that come with the language, and those of the community library that models often extend.
namespace halfopen::tla {

struct standard_operator {
  std::string_view name;
  tla::primitive primitive = primitive::none;
  std::string_view
      arities;  // one digit a parameter: "" a constant, "00" two values, "01" a value and an operator
};

struct standard_module {
  std::string_view name;
  std::vector<std::string_view> extends;
  std::span<standard_operator const> operators;  // primitives
  std::string_view text;     // definitions in TLA+, if any; a whole module whose EXTENDS repeat `extends`
  bool shell = false;        // theorems and proof tactics: extending it brings in nothing that has a value
  bool replaceable = false;  // a file of this name on the search path comes first
};

/// Null if the module does not come with the language.
[[nodiscard]] standard_module const* find_standard_module(std::string_view name);

/// The operators of the language itself.
[[nodiscard]] std::span<standard_operator const> language_operators() noexcept;

/// The standard module that defines a name, for "+ is undefined; EXTENDS Naturals". Empty if none does.
[[nodiscard]] std::string_view standard_module_with(std::string_view name);

}  // namespace halfopen::tla
