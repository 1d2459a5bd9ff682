#pragma once

#include <string>

#include <halfopen/app/command.hpp>

namespace halfopen::app {

/// A script that teaches a shell the commands, options and fixed words of `root`.
[[nodiscard]] std::string completion_script(shell s, command_info const& root);

}  // namespace halfopen::app
