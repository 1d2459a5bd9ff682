#pragma once

#include <string_view>

#include <halfopen/app/command.hpp>
#include <halfopen/app/terminal.hpp>

namespace halfopen::app {

/// The configuration that `halfopen init` writes: it runs as it is, and says what to change.
[[nodiscard]] std::string_view starting_config();

/// Writes it; a file that is there stays, unless `force`.
[[nodiscard]] exit_code run(init_command const& c, terminal& t);

}  // namespace halfopen::app
