#pragma once

#include <halfopen/app/command.hpp>

namespace halfopen::app {

/// Model-checks one spec, or every configuration in a folder against what its first line expects.
[[nodiscard]] exit_code run(check_command const& c, terminal& t);

}  // namespace halfopen::app
