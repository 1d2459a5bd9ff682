#pragma once

#include <cstdint>

#include <halfopen/base/error.hpp>
#include <halfopen/base/time.hpp>

namespace halfopen {

/// How a call came out, as far as a breaker cares.
enum class outcome : std::uint8_t {
  success,
  failure,
  ignored,    // the caller's own mistake: neutral
  abandoned,  // cancelled, or nobody said: neutral
};

/// Says nothing about the health of what was called: no success, no failure, no part of any rate.
[[nodiscard]] constexpr bool is_neutral(outcome how) noexcept {
  return how == outcome::ignored || how == outcome::abandoned;
}

/// What a permit remembers of its admission: whatever a settlement needs.
struct breaker_grant {
  static constexpr std::uint8_t ordinary = 0xFE;  // not a probe; smaller numbers are lease slots

  std::uint32_t epoch = 0;  // S2: a result acts only in the epoch in which its call was admitted
  std::uint8_t slot = ordinary;
  instant granted{};

  [[nodiscard]] constexpr bool is_probe() const noexcept { return slot < ordinary; }
  friend constexpr bool operator==(breaker_grant, breaker_grant) noexcept = default;
};

/// The machine's answer to "may I?".
struct breaker_answer {
  bool admitted = false;
  errc why{};  // if not
  breaker_grant grant{};
  instant deadline = instant::max();  // of a probe: when its lease ends
  duration retry_after{};
  duration probe_age{};

  friend constexpr bool operator==(breaker_answer const&, breaker_answer const&) noexcept = default;
};

/// How a call ended. What is not known stays at its default.
struct breaker_result {
  static constexpr duration unknown = duration::min();

  outcome how{};
  duration elapsed = unknown;  // else: now - granted
  duration retry_after{};      // what the result asked for
};

}  // namespace halfopen
