#pragma once

#include <chrono>
#include <cstdlib>
#include <thread>

namespace halfopen {

/// 20 s, or the milliseconds that HALFOPEN_TEST_LIMIT says: for runs that are meant to fail.
inline std::chrono::milliseconds const long_enough = [] {
  char const* const chosen = std::getenv("HALFOPEN_TEST_LIMIT");
  return std::chrono::milliseconds{chosen != nullptr ? std::atoi(chosen) : 20'000};
}();

/// Looks until `true_now()`, for what nothing announces: another process's end, a row in its database.
///
/// Returns: true as soon as it holds; false after `limit`, which only a hang reaches. So no claim depends on
/// how long anything takes: the pause between two looks leaves the processor to what is waited for.
template <class Condition>
[[nodiscard]] bool becomes_true(Condition const& true_now, std::chrono::milliseconds limit = long_enough,
                                std::chrono::microseconds pause = std::chrono::milliseconds{1}) {
  auto const until = std::chrono::steady_clock::now() + limit;
  while (!true_now()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace halfopen
