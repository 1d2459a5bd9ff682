#pragma once

#include <cstdint>

#include <halfopen/base/time.hpp>

namespace halfopen {

enum class jitter : std::uint8_t {
  none,          // exactly the nominal delay
  full,          // 0 .. nominal
  equal,         // nominal/2 .. nominal
  decorrelated,  // initial .. 3 * the delay before it
};

/// How long to wait before the n-th try in a row.
struct backoff {
  duration initial = std::chrono::seconds{1};
  double multiplier = 2;
  duration maximum = std::chrono::seconds{60};
  enum jitter jitter = jitter::equal;

  friend constexpr bool operator==(backoff const&, backoff const&) = default;
};

}  // namespace halfopen
