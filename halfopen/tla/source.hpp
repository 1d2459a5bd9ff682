#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <halfopen/base/diagnostic.hpp>

namespace halfopen::tla {

/// A text as it was read. Outlives everything that points into it.
struct source_file {
  std::string path;  // as the user named it; "(built in)" for standard modules
  std::string text;
};

/// Where a construct stands. Columns count characters, and a tab reaches the next multiple of 8.
struct source_range {
  source_file const* file = nullptr;
  source_position begin;  // its first character
  source_position end;    // its last character

  [[nodiscard]] bool known() const noexcept { return file != nullptr; }
};

/// "Paxos.tla:12:5"
[[nodiscard]] std::string to_string(source_range const& at);

}  // namespace halfopen::tla
