#pragma once

#include <concepts>
#include <limits>

namespace halfopen {

/// a + b, or the nearest value that fits. Time and counts never wrap.
template <std::integral T>
[[nodiscard]] constexpr T saturating_add(T a, T b) noexcept {
  T sum{};
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return std::signed_integral<T> && b < T{} ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

template <std::integral T>
[[nodiscard]] constexpr T saturating_subtract(T a, T b) noexcept {
  T difference{};
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return std::unsigned_integral<T> || b > T{} ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

template <std::integral T>
[[nodiscard]] constexpr T saturating_multiply(T a, T b) noexcept {
  T product{};
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < T{}) != (b < T{}) ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

}  // namespace halfopen
