#pragma once

#include <algorithm>
#include <cstdint>

#include <halfopen/policy/rate_limiter_config.hpp>

namespace halfopen {

/// What came of asking for tokens. Times in units of rate_limit.
struct rate_answer {
  bool granted = false;
  std::int64_t ready = 0;  // when it may begin; of a refusal: when it could have
};

/// A rate limiter, decided: one word, the time at which the next call would be due if they came evenly
/// (GCRA).
///
///     due <= now: the whole burst is there        due = now + tolerance: nothing is there
///
/// A grant moves `due` forward and has its place in the order by it, also where it has to wait. So of any
/// grants, by whatever clocks: those that begin in a stretch of time are at most burst + stretch / interval.
/// A stale clock never moves `due` back and mints nothing (go x/time/rate#71360). Source:
/// specs/rate_limiter/RateLimiter.tla.
struct rate_state {
  std::int64_t due = -rate_limit::end_of_time;  // the whole burst at the start

  friend constexpr bool operator==(rate_state const&, rate_state const&) = default;

  /// Takes `n` tokens that are there by `latest`, or none.
  [[nodiscard]] constexpr rate_answer take(rate_limit const& l, std::int64_t n, std::int64_t now,
                                           std::int64_t latest) noexcept {
    std::int64_t const cost = saturating_multiply(n, l.interval);
    if (cost > l.tolerance) return {.ready = rate_limit::end_of_time};
    std::int64_t const after = std::max(due, now) + cost;
    std::int64_t const ready = std::max(now, after - l.tolerance);
    if (ready > latest) return {.ready = ready};
    due = after;
    return {.granted = true, .ready = ready};
  }

  /// Gives back the latest grant: as if it had never been. Any other one cannot be: those behind it have
  /// their times, and an earlier `due` would let newcomers begin together with them.
  [[nodiscard]] constexpr bool give_back(std::int64_t before, std::int64_t after) noexcept {
    if (due != after) return false;
    due = before;
    return true;
  }

  /// Nothing is there before `until`, then the rate and no burst.
  constexpr void drain(rate_limit const& l, std::int64_t now, std::int64_t until) noexcept {
    due = std::max(due, std::max(until - l.interval, now) + l.tolerance);
  }

  /// New settings: what has been taken ahead of the clock counts as so many calls as before.
  constexpr void rescale(rate_limit const& from, rate_limit const& to, std::int64_t now) noexcept {
    if (due <= now || from == to) return;
    std::int64_t const ahead = due - now;
    double const rest = static_cast<double>(ahead % from.interval) / static_cast<double>(from.interval);
    std::int64_t const whole = saturating_multiply(ahead / from.interval, to.interval);
    due = now + std::min(whole, rate_limit::end_of_time / 2) +
          static_cast<std::int64_t>(rest * static_cast<double>(to.interval));
  }

  /// Calls that could begin now.
  [[nodiscard]] constexpr std::int64_t available(rate_limit const& l, std::int64_t now) const noexcept {
    return std::max<std::int64_t>((l.tolerance - (std::max(due, now) - now)) / l.interval, 0);
  }
};

}  // namespace halfopen
