#pragma once

// Apart from backoff.hpp, so that who only sets a back-off does not compile how it is drawn.

#include <algorithm>
#include <cstdint>

#include <halfopen/base/random.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/backoff.hpp>

namespace halfopen {

/// The n-th delay (n counts from 1) before jitter: initial * multiplier^(n-1), at most maximum.
///
/// By repeated squaring, so that n = 2^31 costs 31 steps; capped far above any duration, so never infinite.
[[nodiscard]] constexpr duration nominal_delay(backoff const& b, std::uint32_t n) noexcept {
  constexpr double most = 1e100;
  double factor = 1;
  double power = std::min(b.multiplier, most);
  for (std::uint32_t rest = n == 0 ? 0 : n - 1; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) factor = std::min(factor * power, most);
    power = std::min(power * power, most);
  }
  double const wanted = static_cast<double>(b.initial.count()) * factor;
  if (!(wanted < static_cast<double>(b.maximum.count()))) return b.maximum;
  return duration{static_cast<duration::rep>(wanted)};
}

namespace detail {

// lowest .. highest, both included.
constexpr duration draw(duration lowest, duration highest, std::uint64_t bits) noexcept {
  auto const width = static_cast<std::uint64_t>((highest - lowest).count());
  return lowest + duration{static_cast<duration::rep>(below(bits, width + 1))};
}

// Each delay is drawn from the one before it. Nothing is stored: the chain is drawn again from its last 32
// links, each from the epoch that it had if the openings followed one another (an opening and its probe make
// two epochs). By then the maximum has been met and earlier links no longer matter.
constexpr duration decorrelated_delay(backoff const& b, std::uint32_t n, std::uint64_t seed,
                                      std::uint64_t epoch) noexcept {
  std::uint32_t const links = std::min<std::uint32_t>(n, 32);
  duration before = std::min(b.initial, b.maximum);
  duration const lowest = before;
  for (std::uint32_t i = links; i-- > 0;) {
    duration const highest = std::max(lowest, std::min(scaled(before, 3), b.maximum));
    before = draw(lowest, highest, mix(seed, epoch - 2 * std::uint64_t{i}));
  }
  return before;
}

}  // namespace detail

/// The n-th delay with jitter. Pure: 0 <= delay <= maximum for every n, and the same answer for the same
/// seed and epoch.
[[nodiscard]] constexpr duration jittered_delay(backoff const& b, std::uint32_t n, std::uint64_t seed,
                                                std::uint64_t epoch) noexcept {
  duration const nominal = nominal_delay(b, n);
  switch (b.jitter) {
    case jitter::none: return nominal;
    case jitter::full: return detail::draw(duration{0}, nominal, mix(seed, epoch));
    case jitter::equal: return detail::draw(nominal / 2, nominal, mix(seed, epoch));
    case jitter::decorrelated: return detail::decorrelated_delay(b, n, seed, epoch);
  }
  return nominal;
}

}  // namespace halfopen
