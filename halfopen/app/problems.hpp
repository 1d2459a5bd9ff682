#pragma once

#include <vector>

#include <halfopen/app/terminal.hpp>
#include <halfopen/base/diagnostic.hpp>
#include <halfopen/config/tree.hpp>

namespace halfopen::app {

/// Each problem in a line of its own, and how many there are; on err.
void tell_problems(terminal& t, std::vector<diagnostic> const& problems);

/// {"ok": ..., "problems": [{"file", "line", "column", "severity", "code", "found", "expected", "hint"}]}
[[nodiscard]] config::node_ptr problems_as_tree(std::vector<diagnostic> const& problems);

[[nodiscard]] bool has_error(std::vector<diagnostic> const& problems);

}  // namespace halfopen::app
