#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <halfopen/base/percent.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_config.hpp>

namespace halfopen {

/// How many retries and hedges there may be beside the calls themselves.
///
/// Every call saves up a share of a retry; a retry takes a whole one, at the moment of the decision, before
/// it waits. So in any stretch of time: retries <= calls * ratio + burst + minimum_per_second * (seconds +
/// 1).
struct retry_budget_config {
  percent ratio{20};                     // what each call adds
  std::uint32_t minimum_per_second = 3;  // also where there are hardly any calls; this many at once at most
  std::uint32_t burst = 100;             // so many may be saved up or under way

  friend constexpr bool operator==(retry_budget_config const&, retry_budget_config const&) = default;
};

inline constexpr std::uint32_t retry_budget_limit = 1'000'000;

[[nodiscard]] std::vector<config_problem> validate(retry_budget_config const& c);

/// A retry budget, decided: one word for what is saved up and what is out, one for the minimum rate.
///
/// What is out keeps its place until it ends, however long it waits (envoy#30205): saved + out <= burst, but
/// for less than one retry.
/// Source: specs/retry_storm/RetryStorm.tla; the variables credit and out.
struct retry_budget_state {
  static constexpr std::uint32_t whole = 100;  // a retry, in the unit of `saved`

  std::uint32_t saved = 0;  // hundredths of a retry
  std::uint32_t out = 0;    // charged, and neither ended nor given back

  friend constexpr bool operator==(retry_budget_state const&, retry_budget_state const&) = default;

  static constexpr retry_budget_state from(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }
  [[nodiscard]] constexpr std::uint64_t word() const noexcept { return std::uint64_t{out} << 32 | saved; }

  /// A call has begun.
  constexpr void save(retry_budget_config const& c) noexcept { add(c.ratio.value, c); }

  /// Takes a retry out of what is saved up.
  [[nodiscard]] constexpr bool charge() noexcept {
    if (saved < whole) return false;
    saved -= whole;
    ++out;
    return true;
  }

  /// Whether one of the minimum has a place. Its whole is added right before it is charged.
  [[nodiscard]] constexpr bool has_place(retry_budget_config const& c) const noexcept {
    return out < c.burst;
  }
  constexpr void add_whole() noexcept { saved += whole; }

  /// The retry has ended.
  constexpr void end() noexcept { --out; }

  /// The retry was never sent: refused further in, or called off while it waited.
  constexpr void give_back(retry_budget_config const& c) noexcept {
    --out;
    add(whole, c);
  }

 private:
  constexpr void add(std::uint32_t amount, retry_budget_config const& c) noexcept {
    std::uint64_t const taken = saved + std::uint64_t{out} * whole;
    std::uint64_t const room = std::max(taken, std::uint64_t{c.burst} * whole) - taken;
    saved += static_cast<std::uint32_t>(std::min<std::uint64_t>(amount, room));
  }
};

/// The minimum rate, by the time at which the next retry would be due if they came evenly (GCRA). Goes
/// forward only, so that a stale clock mints nothing (go x/time/rate#71360).
struct retry_minimum_state {
  instant due = instant::min();

  [[nodiscard]] constexpr bool take(retry_budget_config const& c, instant now) noexcept {
    using namespace std::chrono_literals;
    if (c.minimum_per_second == 0) return false;
    duration const interval = duration{1s} / c.minimum_per_second;
    if (due - (duration{1s} - interval) > now) return false;
    due = std::max(due, now) + interval;
    return true;
  }
};

}  // namespace halfopen
