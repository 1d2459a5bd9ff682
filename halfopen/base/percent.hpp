#pragma once

#include <compare>
#include <cstdint>

#include <halfopen/base/saturating.hpp>

namespace halfopen {

/// A share in whole percent. Compared with counts without rounding, never turned into a fraction.
struct percent {
  std::uint8_t value = 0;  // 0..100 where a configuration has been checked

  friend constexpr auto operator<=>(percent, percent) noexcept = default;

  /// Whether `part` of `whole` is at least this share. False while nothing has been counted.
  [[nodiscard]] constexpr bool reached_by(std::uint64_t part, std::uint64_t whole) const noexcept {
    if (whole == 0) return false;
    return saturating_multiply<std::uint64_t>(part, 100) >= saturating_multiply<std::uint64_t>(value, whole);
  }
};

inline namespace literals {
consteval percent operator""_percent(unsigned long long n) {
  if (n > 100) throw "a percentage is at most 100";
  return percent{static_cast<std::uint8_t>(n)};
}
}  // namespace literals

}  // namespace halfopen
