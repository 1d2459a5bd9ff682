#pragma once

#include <string>
#include <vector>

#include <halfopen/app/terminal.hpp>

namespace halfopen::app {

/// The `halfopen` command: understands the arguments and does what they say.
[[nodiscard]] exit_code run(std::vector<std::string> const& arguments, terminal& t);

}  // namespace halfopen::app
