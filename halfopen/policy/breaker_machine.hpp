#pragma once

#include <algorithm>
#include <cstdint>

#include <halfopen/policy/breaker_answer.hpp>
#include <halfopen/policy/breaker_config.hpp>
#include <halfopen/policy/breaker_control.hpp>
#include <halfopen/policy/breaker_window.hpp>
#include <halfopen/policy/breaker_word.hpp>

namespace halfopen {

/// The circuit breaker as a machine: state + settings + call + now -> state + answer.
///
/// Owns nothing: it works on parts that a value (breaker_value) or a shell (breaker_core) holds. No clock,
/// lock, heap or I/O; every step is constexpr. The rules S1..S8 and L1..L4 are those of docs/breaker.md.
class breaker_machine {
 public:
  static constexpr std::uint32_t never_trips = ~std::uint32_t{0};

  constexpr breaker_machine(breaker_control& control, lease* leases, std::uint32_t slots,
                            breaker_window window, breaker_config const& config,
                            std::uint32_t epoch_mask = ~std::uint32_t{0}) noexcept
      : s_{control}, leases_{leases}, slots_{slots}, window_{window}, c_{config}, epoch_mask_{epoch_mask} {}

  constexpr void start(instant now) noexcept;

  [[nodiscard]] constexpr breaker_answer admit(instant now) noexcept;

  /// Returns whether the result was late: its epoch is over, and it changed nothing but perhaps the next
  /// lease.
  constexpr bool settle(breaker_grant const& g, breaker_result const& r, instant now) noexcept;

  /// The second half of settle() in closed: for a shell that has recorded the result by itself.
  constexpr void act(breaker_verdict const& v, breaker_result const& r, instant now) noexcept;

  constexpr void force_open(instant now) noexcept { enforce(breaker_state::forced_open, now); }
  constexpr void disable(instant now) noexcept { enforce(breaker_state::disabled, now); }
  constexpr void metrics_only(instant now) noexcept { enforce(breaker_state::metrics_only, now); }
  constexpr void automatic(instant now) noexcept { restart(breaker_cause::automatic, now); }
  constexpr void reset(instant now) noexcept { restart(breaker_cause::reset, now); }

  /// The settings that this machine was made with replace `old`; the window is already one of the new shape.
  constexpr void adopt(breaker_config const& old, window_counts held, instant now) noexcept;

  /// How the state is published.
  [[nodiscard]] constexpr breaker_word word() const noexcept;

  [[nodiscard]] constexpr std::uint32_t probes_out() const noexcept;
  [[nodiscard]] constexpr instant oldest_probe() const noexcept;  // never() if none is out
  /// So many failures from now, and nothing else, would trip it.
  [[nodiscard]] constexpr std::uint32_t failures_to_trip(instant now) const noexcept;
  [[nodiscard]] constexpr breaker_story const& story() const noexcept { return story_; }

 private:
  constexpr instant advance(instant now) noexcept { return s_.latest = std::max(s_.latest, now); }

  // Answers.
  constexpr breaker_answer admitted(std::uint8_t slot, instant now, instant deadline) const noexcept {
    return {true, {}, {s_.epoch, slot, now}, deadline, {}, {}};
  }
  constexpr breaker_answer refused(errc why, duration retry_after) const noexcept {
    return {false, why, {}, instant::max(), std::max(retry_after, duration{0}), {}};
  }
  constexpr breaker_answer admit_closed(instant now) noexcept;
  constexpr breaker_answer admit_open(instant now) noexcept;
  constexpr breaker_answer admit_half_open(instant now) noexcept;
  constexpr breaker_answer grant_probe(instant now) noexcept;
  constexpr breaker_answer give_up(instant now) noexcept;

  // Results.
  constexpr void learn(breaker_grant const& g, breaker_result const& r, instant now) noexcept;
  constexpr void count(breaker_result const& r, bool slow, instant now) noexcept;
  constexpr bool settle_probe(breaker_grant const& g, breaker_result const& r, bool slow,
                              instant now) noexcept;
  constexpr void begin(breaker_state to, breaker_cause why, instant at, instant deadline,
                       window_counts c) noexcept;
  constexpr void open(breaker_cause why, instant at, duration retry_after, window_counts c) noexcept;
  constexpr void close(breaker_cause why, instant at, window_counts c) noexcept;
  constexpr void enforce(breaker_state to, instant now) noexcept;
  constexpr void restart(breaker_cause why, instant now) noexcept;
  constexpr void drop_leases() noexcept;

  [[nodiscard]] constexpr bool may_grant() const noexcept;
  [[nodiscard]] constexpr instant earliest_end() const noexcept;
  [[nodiscard]] constexpr window_counts probe_counts(bool failed, bool slow) const noexcept {
    return {s_.successes + 1U, failed ? 1U : 0U, slow ? 1U : 0U};
  }

  breaker_control& s_;
  lease* leases_;
  std::uint32_t slots_;
  breaker_window window_;
  breaker_config const& c_;
  std::uint32_t epoch_mask_;  // shorter epochs show what happens at the bound of S2
  breaker_story story_{};
};

}  // namespace halfopen

// What it does, by subject.
#include <halfopen/policy/breaker_machine_admit.hpp>
#include <halfopen/policy/breaker_machine_look.hpp>
#include <halfopen/policy/breaker_machine_settle.hpp>
#include <halfopen/policy/breaker_machine_transitions.hpp>
