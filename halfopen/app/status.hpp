#pragma once

#include <string_view>
#include <vector>

#include <halfopen/app/command.hpp>
#include <halfopen/app/status_view.hpp>
#include <halfopen/app/terminal.hpp>

namespace halfopen::app {

/// Shows all breakers of a running gateway, once or again and again.
[[nodiscard]] exit_code run(status_command const& c, terminal& t);

/// The breakers in the admin API's answer to GET /v1/tools: a tool's own first, then those of its hosts; a
/// tool without any has one row that says so. Empty where the text is something else.
[[nodiscard]] std::vector<breaker_row> rows_of(std::string_view tools);

}  // namespace halfopen::app
