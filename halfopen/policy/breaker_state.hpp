#pragma once

#include <cstdint>
#include <string_view>

namespace halfopen {

/// What a breaker is doing. The last three are set and left by an operator only.
enum class breaker_state : std::uint8_t { closed, open, half_open, forced_open, disabled, metrics_only };

/// Each of them, once: for metrics, logs and tables.
inline constexpr breaker_state breaker_states[]{breaker_state::closed,    breaker_state::open,
                                                breaker_state::half_open, breaker_state::forced_open,
                                                breaker_state::disabled,  breaker_state::metrics_only};

/// As metrics, logs, files and the admin API spell it.
[[nodiscard]] constexpr std::string_view name(breaker_state s) noexcept {
  switch (s) {
    case breaker_state::closed: return "closed";
    case breaker_state::open: return "open";
    case breaker_state::half_open: return "half_open";
    case breaker_state::forced_open: return "forced_open";
    case breaker_state::disabled: return "disabled";
    case breaker_state::metrics_only: return "metrics_only";
  }
  return "unknown";
}

/// No result and no time leaves it: S7.
[[nodiscard]] constexpr bool is_operators(breaker_state s) noexcept {
  return s == breaker_state::forced_open || s == breaker_state::disabled || s == breaker_state::metrics_only;
}

}  // namespace halfopen
