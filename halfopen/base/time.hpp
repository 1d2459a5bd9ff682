#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

#include <halfopen/base/saturating.hpp>

namespace halfopen {

/// A length of time, in nanoseconds. Signed; about 292 years each way.
using duration = std::chrono::nanoseconds;

/// A point on a steady clock: nanoseconds since that clock's own start.
///
/// Arithmetic saturates: instant::max() means "never", and stays so whatever is added to it.
class instant {
 public:
  constexpr instant() noexcept = default;
  constexpr explicit instant(duration since_start) noexcept : ns_{since_start.count()} {}

  [[nodiscard]] constexpr duration since_start() const noexcept { return duration{ns_}; }
  [[nodiscard]] constexpr bool is_never() const noexcept {
    return ns_ == std::numeric_limits<std::int64_t>::max();
  }

  static constexpr instant min() noexcept { return instant{duration::min()}; }
  static constexpr instant max() noexcept { return instant{duration::max()}; }

  friend constexpr auto operator<=>(instant, instant) noexcept = default;

  friend constexpr instant operator+(instant at, duration d) noexcept {
    if (at.is_never()) return at;
    return instant{duration{saturating_add(at.ns_, d.count())}};
  }
  friend constexpr instant operator-(instant at, duration d) noexcept {
    if (at.is_never()) return at;
    return instant{duration{saturating_subtract(at.ns_, d.count())}};
  }
  friend constexpr duration operator-(instant later, instant earlier) noexcept {
    return duration{saturating_subtract(later.ns_, earlier.ns_)};
  }
  constexpr instant& operator+=(duration d) noexcept { return *this = *this + d; }

 private:
  std::int64_t ns_ = 0;
};

/// d * factor, never past duration::max().
[[nodiscard]] constexpr duration scaled(duration d, std::int64_t factor) noexcept {
  return duration{saturating_multiply(d.count(), factor)};
}

}  // namespace halfopen
