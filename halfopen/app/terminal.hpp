#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace halfopen::app {

/// Where a command writes: results to `out`, progress and complaints to `err`.
struct terminal {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colours = false;        // on `out`; never where NO_COLOR is set or `out` is no terminal
  bool err_colours = false;    // the same on `err`
  std::istream* in = nullptr;  // null: nothing to read
  bool in_is_terminal = false;
};

/// The exit codes, as `halfopen help exit-codes` tells them.
enum class exit_code : int {
  done = 0,
  failed = 1,  // a check failed, or the work could not be done
  usage = 2,   // the command line, or a configuration, is wrong
};

enum class colour { plain, bold, dim, red, green, yellow, blue };

/// `text` in that colour where the terminal shows colours, else as it is.
[[nodiscard]] std::string painted(terminal const& t, colour c, std::string_view text);

/// Padded with spaces to `width` characters; longer text stays whole.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width);
[[nodiscard]] std::string padded_left(std::string_view text, std::size_t width);

/// "halfopen: error: ..." on err, in one line.
void complain(terminal& t, std::string_view what);

}  // namespace halfopen::app
