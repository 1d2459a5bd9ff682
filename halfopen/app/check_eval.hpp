#pragma once

#include <halfopen/app/command.hpp>

namespace halfopen::app {

/// `halfopen check SPEC --eval EXPR...`: the values, one after the other, or as JSON.
[[nodiscard]] exit_code evaluate(check_command const& c, terminal& t);

/// `halfopen check SPEC --repl`: a conversation, a line at a time, until :quit or the end of what is read.
[[nodiscard]] exit_code converse(check_command const& c, terminal& t);

}  // namespace halfopen::app
