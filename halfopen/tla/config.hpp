#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/tla/spec.hpp>

/// TLC's .cfg files: `parse_config` reads one, `bind` gives its names a meaning in a spec.
namespace halfopen::tla {

/// A value as a .cfg can write it.
struct config_value {
  enum class sort : std::uint8_t { number, string, boolean, model_value, set };
  sort what = sort::number;
  std::int64_t number = 0;  // boolean: 0 or 1
  std::string text;         // string, or a model value's name
  std::vector<config_value> elements;
};

struct config_name {
  std::string text;
  source_position at;
};

/// `N = 3`, `Op(1, 2) = 3`, `N <- Def`, and `N <- [Module] Def` or `N = [Module] 3` for one module only.
struct config_constant {
  config_name name;
  std::vector<config_value> args;
  std::optional<config_value> value;  // else a replacement
  config_name replacement;
  config_name in_module;  // empty: everywhere
};

struct config {
  std::string path;
  std::optional<config_name> specification, init, next, view, alias;
  std::vector<config_name> invariants, properties, constraints, action_constraints, symmetry, postconditions;
  std::vector<config_constant> constants;
  std::optional<bool> check_deadlock;
};

[[nodiscard]] expected<config, std::vector<diagnostic>> parse_config(std::string_view text, std::string path);
[[nodiscard]] expected<config, std::vector<diagnostic>> read_config(std::string const& path);

/// A definition named by a .cfg, reached through `through`.
struct goal {
  std::string name;
  source_position at;  // in the .cfg
  symbol what;         // a definition without parameters, or (Init, Next, invariants) a constant or variable
};

/// What stands in place of a constant or of a definition, wherever the spec uses it (or only in one module).
struct replacement {
  declaration const* constant = nullptr;  // one of the two
  definition const* defined = nullptr;
  module const* only_in = nullptr;
  std::optional<config_value> value;  // one of the three
  symbol by;
  std::vector<std::pair<std::vector<config_value>, config_value>> table;  // an operator constant, row by row
};

/// A configuration with its names resolved: what to check.
struct binding {
  std::vector<replacement> replacements;  // every constant of the root module is among them
  std::optional<goal> specification, init, next, view, alias;
  std::vector<goal> invariants, properties, constraints, action_constraints, symmetry, postconditions;
  std::optional<bool> check_deadlock;
  std::vector<diagnostic> warnings;
};

/// Every problem found: unknown names, constants without a value, arities, levels, SPECIFICATION with INIT.
[[nodiscard]] expected<binding, std::vector<diagnostic>> bind(config const& c, spec const& s);

}  // namespace halfopen::tla
