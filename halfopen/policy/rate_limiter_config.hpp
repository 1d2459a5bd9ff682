#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <halfopen/base/saturating.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_config.hpp>

namespace halfopen {

/// How many calls there may be: in any stretch of time at most burst + calls * (stretch / per).
///
/// From one call in a hundred seconds (or a year) to ten million a second.
struct rate_limiter_config {
  std::uint32_t calls = 100;  // in each `per`, evenly
  duration per = std::chrono::seconds{1};
  std::uint32_t burst = 10;  // so many at once, after a pause; also right at the start
  duration wait_max{};       // a call that could begin within it waits its turn; 0 = refused at once
  duration drain_max = std::chrono::seconds{60};  // what a server's retry_after is cut to; 0 = not heeded
  duration clock_tick{};  // of a coarse clock, e.g. 4 ms: the burst must last so long; 0 = a precise clock

  friend constexpr bool operator==(rate_limiter_config const&, rate_limiter_config const&) = default;
};

/// Everything that is wrong with the settings; empty = usable.
[[nodiscard]] std::vector<config_problem> validate(rate_limiter_config const& c);

/// One member's share of a limit, exact also where it is less than one call in each `per`. Only the burst is
/// rounded, down, and to no less than one call for each member (envoy#46702: a share of nothing for all).
///
/// Requires: members > 0.
[[nodiscard]] constexpr rate_limiter_config share_of(rate_limiter_config c, std::uint32_t members) noexcept {
  c.per = scaled(c.per, members);
  c.burst = std::max(c.burst / members, std::uint32_t{1});
  return c;
}

/// A limit in the unit in which it is decided: sixteenths of a nanosecond. At ten million a second the
/// rounding is below 0.07 %, always to the slower side, and a clock may run for nine years.
struct rate_limit {
  static constexpr std::int64_t unit = 16;  // in a nanosecond
  static constexpr std::int64_t end_of_time = std::int64_t{1} << 62;

  std::int64_t interval = 0;   // between two calls that come evenly
  std::int64_t tolerance = 0;  // burst * interval: how far ahead of the clock calls may be

  friend constexpr bool operator==(rate_limit const&, rate_limit const&) = default;

  static constexpr rate_limit of(std::int64_t interval, std::uint32_t burst) noexcept {
    return {interval, std::min(saturating_multiply(interval, std::int64_t{burst}), end_of_time / 2)};
  }
  static constexpr rate_limit of(rate_limiter_config const& c) noexcept {
    std::int64_t const per = saturating_multiply(c.per.count(), unit);
    return of(per / c.calls + (per % c.calls == 0 ? 0 : 1), c.burst);
  }

  static constexpr std::int64_t units(duration d) noexcept { return saturating_multiply(d.count(), unit); }
  static constexpr std::int64_t units(instant at) noexcept {
    return std::clamp(units(at.since_start()), -end_of_time, end_of_time);
  }
  /// Rounded up: nothing begins early.
  static constexpr duration time(std::int64_t units) noexcept {
    return duration{units / unit + (units % unit > 0 ? 1 : 0)};
  }
};

}  // namespace halfopen
