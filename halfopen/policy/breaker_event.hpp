#pragma once

#include <cstdint>
#include <string_view>

#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_state.hpp>

namespace halfopen {

/// Why a state was entered, or an event raised.
enum class breaker_cause : std::uint8_t {
  created,
  failures,         // closed -> open: the failure rate, or failures in a row
  slow_calls,       // closed -> open: the slow rate
  waited,           // open -> half_open: the back-off is over and somebody called
  probe_succeeded,  // half_open -> closed
  probe_failed,     // half_open -> open
  probe_slow,       // half_open -> open
  probe_expired,    // half_open -> open, dated at the end of the lease
  only_neutral,     // half_open -> open or closed: neutral_max results that say nothing
  forced,           // the operator: force_open, disable, metrics_only
  automatic,        // the operator: automatic()
  reset,            // the operator: reset()
  reconfigured,     // the window's shape changed, and it was emptied
  holder_died,      // shared memory: a process died inside a step; the window was emptied
};

/// Each of them, once.
inline constexpr breaker_cause breaker_causes[]{
    breaker_cause::created,      breaker_cause::failures,        breaker_cause::slow_calls,
    breaker_cause::waited,       breaker_cause::probe_succeeded, breaker_cause::probe_failed,
    breaker_cause::probe_slow,   breaker_cause::probe_expired,   breaker_cause::only_neutral,
    breaker_cause::forced,       breaker_cause::automatic,       breaker_cause::reset,
    breaker_cause::reconfigured, breaker_cause::holder_died};

/// As logs, events and the audit spell it.
[[nodiscard]] constexpr std::string_view name(breaker_cause c) noexcept {
  switch (c) {
    case breaker_cause::created: return "created";
    case breaker_cause::failures: return "failures";
    case breaker_cause::slow_calls: return "slow_calls";
    case breaker_cause::waited: return "waited";
    case breaker_cause::probe_succeeded: return "probe_succeeded";
    case breaker_cause::probe_failed: return "probe_failed";
    case breaker_cause::probe_slow: return "probe_slow";
    case breaker_cause::probe_expired: return "probe_expired";
    case breaker_cause::only_neutral: return "only_neutral";
    case breaker_cause::forced: return "forced";
    case breaker_cause::automatic: return "automatic";
    case breaker_cause::reset: return "reset";
    case breaker_cause::reconfigured: return "reconfigured";
    case breaker_cause::holder_died: return "holder_died";
  }
  return "unknown";
}

/// What a window holds. Counts are the only truth; a rate is computed when it is read.
struct window_counts {
  std::uint32_t calls = 0;
  std::uint32_t failures = 0;
  std::uint32_t slow = 0;  // failures that were slow count here too

  friend constexpr bool operator==(window_counts, window_counts) noexcept = default;
};

enum class breaker_event_kind : std::uint8_t {
  transition,      // a new epoch; also closed -> closed by the operator
  would_trip,      // metrics_only: the condition has turned true
  window_emptied,  // reconfigure changed the window's shape; the epoch goes on
};

/// One thing that happened, as observers are told: exactly one a transition, in epoch order.
struct breaker_event {
  breaker_event_kind kind{};
  breaker_state from{};
  breaker_state to{};
  breaker_cause cause{};
  std::uint32_t epoch = 0;     // that it began, or in which it happened
  std::uint32_t openings = 0;  // in a row, this one included
  window_counts counts{};      // at that moment, before the window was emptied
  instant at{};                // an expiry is dated at the end of its lease
  instant until{};             // open: when probing may start; never where no time ends the state

  friend constexpr bool operator==(breaker_event const&, breaker_event const&) noexcept = default;
};

/// Is told what happened, outside every lock, by one thread at a time, in epoch order.
///
/// Threads: whichever thread's call drains the queue; a call may return before its own event has been told.
/// May call every method of the breaker; what that raises is told after the event at hand.
/// An exception that leaves on_event is swallowed and counted.
class breaker_observer {
 public:
  virtual void on_event(breaker_event const& event) = 0;

 protected:
  ~breaker_observer() = default;
};

}  // namespace halfopen
