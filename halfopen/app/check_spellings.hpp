#pragma once

#include <string>
#include <vector>

namespace halfopen::app {

/// A `check` command line in TLC's spelling, in this command's own: `-config F`, `-deadlock`, `-simulate
/// num=N`,
/// `-dump dot F`. What says nothing here (`-cleanup`, `-fpmem 0.5`) is left out. Other command lines stay as
/// they are.
[[nodiscard]] std::vector<std::string> without_tlc_spellings(std::vector<std::string> arguments);

}  // namespace halfopen::app
