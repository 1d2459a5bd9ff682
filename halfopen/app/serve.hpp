#pragma once

#include <halfopen/app/command.hpp>
#include <halfopen/app/terminal.hpp>

namespace halfopen::app {

/// Runs the gateway until it is told to end.
[[nodiscard]] exit_code run(serve_command const& c, terminal& t);

}  // namespace halfopen::app
