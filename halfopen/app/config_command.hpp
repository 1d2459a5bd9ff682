#pragma once

#include <halfopen/app/command.hpp>
#include <halfopen/app/terminal.hpp>

namespace halfopen::app {

[[nodiscard]] exit_code run(config_show_command const& c, terminal& t);
[[nodiscard]] exit_code run(config_schema_command const& c, terminal& t);
[[nodiscard]] exit_code run(config_reference_command const& c, terminal& t);

/// `serve --check-config`: whether a file is right, in one line or as JSON.
[[nodiscard]] exit_code check_config(serve_command const& c, terminal& t);

}  // namespace halfopen::app
