#pragma once

#include <halfopen/app/command.hpp>
#include <halfopen/app/terminal.hpp>

namespace halfopen::app {

/// `halfopen audit verify`: whether the audit log's hash chain holds.
[[nodiscard]] exit_code run(audit_verify_command const& c, terminal& t);

}  // namespace halfopen::app
