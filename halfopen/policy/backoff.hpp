#pragma once

#include <cstdint>

#include <halfopen/base/time.hpp>

namespace halfopen {

/// How much of a delay is left to chance, so that those who failed together do not come back together.
enum class jitter : std::uint8_t {
  none,          // exactly the nominal delay
  full,          // 0 .. nominal
  equal,         // nominal/2 .. nominal
  decorrelated,  // initial .. 3 * the delay before it
};

/// How long to wait before the n-th try in a row: initial * multiplier^(n-1), at most maximum; then the
/// jitter.
///
/// Where it is a breaker's open_for: initial >= 1 ms, multiplier 1..1000, maximum >= initial.
struct backoff {
  duration initial = std::chrono::seconds{1};
  double multiplier = 2;
  duration maximum = std::chrono::seconds{60};
  enum jitter jitter = jitter::equal;

  friend constexpr bool operator==(backoff const&, backoff const&) = default;
};

}  // namespace halfopen
