#pragma once

#include <halfopen/app/command.hpp>

namespace halfopen::app {

/// Model-checks one spec, or every configuration in a folder against what its first line expects.
[[nodiscard]] exit_code run(check_command const& c, terminal& t);

/// TLC's spellings of options in this command's own: `-config F`, `-deadlock`, `-workers N`.
[[nodiscard]] std::vector<std::string> without_tlc_spellings(std::vector<std::string> arguments);

}  // namespace halfopen::app
