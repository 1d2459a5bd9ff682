#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halfopen {

/// A place in a text file. Lines and columns count from 1; 0 = not known.
struct source_position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(source_position, source_position) = default;
};

enum class severity : std::uint8_t { error, warning };

/// One thing that is wrong with a file, in the form that editors parse.
struct diagnostic {
  std::string file;
  source_position at;
  severity level = severity::error;
  std::string code;      // stable, for scripts: "config.unknown-key"
  std::string found;     // what stands there
  std::string expected;  // what should stand there
  std::string hint;      // the likely cause or the next step; may be empty
};

/// "file:line:column: error: found X, expected Y; hint [code]"
[[nodiscard]] std::string to_string(diagnostic const& d);

/// The known word nearest to `word`, or an empty string if none is near enough to be meant.
[[nodiscard]] std::string nearest(std::string const& word, std::vector<std::string> const& known);

}  // namespace halfopen
