#pragma once

#include <cstdint>

#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_event.hpp>

namespace halfopen {

/// The state, and when it may be worth asking again.
struct breaker_status {
  breaker_state state{};
  std::uint32_t epoch = 0;
  duration retry_after{};  // open: 0 once probing may start. forced_open: as configured

  friend constexpr bool operator==(breaker_status const&, breaker_status const&) noexcept = default;
};

/// Everything there is to see, at one moment.
struct breaker_snapshot {
  breaker_state state{};
  std::uint32_t epoch = 0;
  breaker_cause cause{};  // of the last transition
  instant since{};  // when the state was entered; of half_open: when its oldest live probe was sent, or never
  instant until{};  // open: probing may start; half_open: the earliest lease ends; closed: the ramp ends
  duration retry_after{};
  window_counts window{};
  std::uint32_t failures_to_trip =
      0;  // so many failures from now, and nothing else, would trip; no_trip = none would
  std::uint32_t openings = 0;  // in a row
  std::uint32_t probes_out = 0;
  std::uint32_t probe_successes = 0;
  std::uint32_t neutral_results = 0;
  duration next_lease{};
  duration oldest_probe_age{};
  std::uint64_t events_lost = 0;  // the observer's queue was full
  std::uint64_t observer_threw = 0;
  std::uint64_t settled_twice = 0;

  static constexpr std::uint32_t no_trip = ~std::uint32_t{0};
};

}  // namespace halfopen
