#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <type_traits>

namespace halfopen {

/// Stops the process when one of our own rules is broken. On in every build.
///
/// For mistakes in this code only: never for input, a peer, or a user's callable.
/// In a constant expression a broken rule does not compile.
constexpr void invariant(bool holds, char const* rule,
                         std::source_location at = std::source_location::current()) noexcept {
  if (holds) [[likely]]
    return;
  if (!std::is_constant_evaluated()) {
    std::fprintf(stderr, "%s:%u: invariant broken: %s (in %s)\n", at.file_name(), at.line(), rule,
                 at.function_name());
  }
  std::abort();
}

}  // namespace halfopen
