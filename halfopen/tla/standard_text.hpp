#pragma once

#include <span>
#include <string_view>

namespace halfopen::tla {

/// A module that comes with the language and is written in it.
struct standard_text {
  std::string_view name;
  std::string_view text;
  bool replaceable = true;  // a file of this name on the search path comes first
};

[[nodiscard]] std::span<standard_text const> standard_texts() noexcept;

}  // namespace halfopen::tla
