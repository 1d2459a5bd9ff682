#pragma once

#include <halfopen/app/command.hpp>
#include <halfopen/app/terminal.hpp>

namespace halfopen::app {

/// A service that fails on command, the gateway and a little traffic, in one process; told live.
[[nodiscard]] exit_code run(demo_command const& c, terminal& t);

}  // namespace halfopen::app
