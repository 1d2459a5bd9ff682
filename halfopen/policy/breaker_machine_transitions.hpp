#pragma once

// breaker_machine: from one state to another, by itself, by the operator, by new settings.

#include <halfopen/policy/backoff_delay.hpp>
#include <halfopen/policy/breaker_machine.hpp>

namespace halfopen {

constexpr void breaker_machine::begin(breaker_state to, breaker_cause why, instant at, instant deadline,
                                      window_counts counts) noexcept {
  breaker_state const from = s_.state;
  bool const counting = from == breaker_state::closed || from == breaker_state::metrics_only;
  if (counting) window_.clear();  // in every other state it is empty
  if (from == breaker_state::half_open) drop_leases();
  s_.state = to;
  s_.cause = why;
  s_.epoch = (s_.epoch + 1) & epoch_mask_;  // S2: permits that are out are now late (specs/epochs)
  s_.deadline = deadline;
  s_.since = to == breaker_state::half_open ? instant{} : at;
  s_.neutrals = 0;
  s_.successes = 0;
  s_.ramp_credit = 0;
  s_.would_trip = false;
  story_.add({breaker_event_kind::transition, from, to, why, s_.epoch, s_.openings, counts, at, deadline});
}

constexpr void breaker_machine::open(breaker_cause why, instant at, duration retry_after,
                                     window_counts counts) noexcept {
  if (s_.state == breaker_state::closed && at - s_.since >= c_.reset_after) s_.openings = 0;
  s_.openings = saturating_add<std::uint16_t>(s_.openings, 1);
  if (why == breaker_cause::probe_expired && c_.lease_doubles) {
    s_.lease = std::min(scaled(s_.lease, 2), c_.max_probe_timeout);
  }
  std::uint32_t const epoch = (s_.epoch + 1) & epoch_mask_;
  duration const drawn = jittered_delay(c_.open_for, s_.openings, c_.seed, epoch);
  duration const floor = std::min(c_.open_for.initial, duration{1 << 20});  // a back-off of nothing is none
  duration const asked = std::min(retry_after, c_.retry_after_max);
  begin(breaker_state::open, why, at, at + std::max({drawn, floor, asked}), counts);
}

constexpr void breaker_machine::close(breaker_cause why, instant at, window_counts counts) noexcept {
  s_.lease = c_.probe_timeout;
  begin(breaker_state::closed, why, at, c_.ramp > duration{0} ? at + c_.ramp : instant::max(), counts);
  s_.ramp_credit = static_cast<std::uint8_t>(100 - c_.ramp_from.value);  // so that the first call is admitted
}

constexpr void breaker_machine::enforce(breaker_state to, instant now) noexcept {
  now = advance(now);
  if (s_.state == to) return;
  begin(to, breaker_cause::forced, now, instant::max(), window_.counts(now));
}

constexpr void breaker_machine::restart(breaker_cause why, instant now) noexcept {
  now = advance(now);
  s_.openings = 0;
  s_.lease = c_.probe_timeout;
  begin(breaker_state::closed, why, now, instant::max(), window_.counts(now));
}

constexpr void breaker_machine::start(instant now) noexcept {
  s_ = breaker_control{};
  s_.since = advance(now);
  s_.lease = c_.probe_timeout;
  drop_leases();
  window_.clear();
}

constexpr void breaker_machine::drop_leases() noexcept {
  for (std::uint32_t i = 0; i < slots_; ++i) leases_[i] = lease{};
}

constexpr void breaker_machine::adopt(breaker_config const& old, window_counts held, instant now) noexcept {
  now = advance(now);
  bool const closed = s_.state == breaker_state::closed;
  s_.lease = closed ? c_.probe_timeout : std::clamp(s_.lease, c_.probe_timeout, c_.max_probe_timeout);
  if (s_.successes >= c_.required_successes)
    s_.successes = static_cast<std::uint8_t>(c_.required_successes - 1);
  if (old.window == c_.window) return;
  window_.clear();
  s_.would_trip = false;
  story_.add({breaker_event_kind::window_emptied, s_.state, s_.state, breaker_cause::reconfigured, s_.epoch,
              s_.openings, held, now, s_.deadline});
}

}  // namespace halfopen
