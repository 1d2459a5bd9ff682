#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <halfopen/app/terminal.hpp>
#include <halfopen/base/time.hpp>

namespace halfopen::app {

/// A breaker as a table shows it.
struct breaker_row {
  std::string tool{};
  std::string host{};   // empty = the tool's own breaker
  std::string state{};  // as the admin API spells it; empty = there is no breaker
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;             // in the window
  std::optional<duration> in_state{};     // for how long
  std::optional<duration> retry_after{};  // open: until a probe may start
  std::string cause{};                    // of the last transition
};

/// A table with a line a breaker, aligned; no wider than its content.
[[nodiscard]] std::string status_table(terminal const& t, std::vector<breaker_row> const& rows);

/// "12 s", "3 m", "2 h", "5 d": one unit, for columns.
[[nodiscard]] std::string short_time(duration d);

}  // namespace halfopen::app
