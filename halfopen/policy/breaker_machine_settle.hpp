#pragma once

// breaker_machine: what a result does.

#include <halfopen/policy/breaker_machine.hpp>

namespace halfopen {

/// Whether a call took longer than slow_after. One whose start nobody looked at did not.
[[nodiscard]] constexpr bool is_slow(breaker_config const& c, breaker_grant const& g, breaker_result const& r,
                                     instant now) noexcept {
  if (is_neutral(r.how)) return false;
  if (r.elapsed != breaker_result::unknown) return r.elapsed > c.slow_after;
  return g.granted != instant::min() && now - g.granted > c.slow_after;
}

constexpr bool breaker_machine::settle(breaker_grant const& g, breaker_result const& r,
                                       instant now) noexcept {
  now = advance(now);
  if (g.epoch != s_.epoch) {  // S2
    learn(g, r, now);
    return true;
  }
  bool const slow = is_slow(c_, g, r, now);
  switch (s_.state) {
    case breaker_state::closed:
    case breaker_state::metrics_only: count(r, slow, now); return false;
    case breaker_state::half_open: return settle_probe(g, r, slow, now);
    case breaker_state::disabled: return false;
    case breaker_state::open:
    case breaker_state::forced_open:
      return true;  // S5; nobody is admitted in these, so only a wrapped epoch leads here
  }
  return true;
}

constexpr void breaker_machine::learn(breaker_grant const& g, breaker_result const& r, instant now) noexcept {
  bool const recovering = s_.state == breaker_state::open || s_.state == breaker_state::half_open;
  if (!c_.lease_learns || !recovering || !g.is_probe() || r.how != outcome::success) return;
  duration const took = r.elapsed != breaker_result::unknown ? r.elapsed : now - g.granted;
  duration const enough = duration{saturating_add(took.count(), c_.clock_resolution.count())};
  s_.lease = std::max(s_.lease, std::min(enough, c_.max_probe_timeout));
}

constexpr void breaker_machine::count(breaker_result const& r, bool slow, instant now) noexcept {
  if (is_neutral(r.how)) return;
  act(record(window_, c_, r.how == outcome::failure, slow, now), r, now);
}

constexpr void breaker_machine::act(breaker_verdict const& v, breaker_result const& r, instant now) noexcept {
  if (s_.state == breaker_state::closed) {
    if (v.trips()) open(v.why, now, r.how == outcome::failure ? r.retry_after : duration{0}, v.counts);
    return;
  }
  if (v.trips() && !s_.would_trip) {
    story_.add({breaker_event_kind::would_trip, s_.state, s_.state, v.why, s_.epoch, s_.openings, v.counts,
                now, s_.deadline});
  }
  s_.would_trip = v.trips();
}

constexpr bool breaker_machine::settle_probe(breaker_grant const& g, breaker_result const& r, bool slow,
                                             instant now) noexcept {
  if (g.slot >= slots_ || !leases_[g.slot].is_live()) return true;  // only a wrapped epoch leads here
  instant const end = leases_[g.slot].end;
  leases_[g.slot] = lease{};
  s_.deadline = earliest_end();
  switch (r.how) {
    case outcome::success:
      if (slow && c_.slow_probe_fails) {
        open(breaker_cause::probe_slow, now, duration{0}, probe_counts(false, true));
      } else if (s_.successes + 1U >= c_.required_successes) {
        close(breaker_cause::probe_succeeded, now, probe_counts(false, slow));
      } else {
        ++s_.successes;
      }
      return false;
    case outcome::failure:
      // A driver that cuts a probe off at its lease's end is the one that noticed the expiry: the lease was
      // short.
      if (now >= end) {
        open(breaker_cause::probe_expired, end, r.retry_after, probe_counts(true, slow));
      } else {
        open(breaker_cause::probe_failed, now, r.retry_after, probe_counts(true, slow));
      }
      return false;
    case outcome::ignored:
    case outcome::abandoned: s_.neutrals = saturating_add<std::uint16_t>(s_.neutrals, 1); return false;
  }
  return false;
}

}  // namespace halfopen
