#pragma once

#include <string>

#include <halfopen/app/command.hpp>

namespace halfopen::app {

/// The page docs/cli.md: every command with what its --help prints, and the exit codes.
[[nodiscard]] std::string cli_reference(command_info const& root);

}  // namespace halfopen::app
