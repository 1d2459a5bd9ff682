#pragma once

// breaker_machine: may this call go?

#include <halfopen/policy/breaker_machine.hpp>

namespace halfopen {

constexpr breaker_answer breaker_machine::admit(instant now) noexcept {
  now = advance(now);
  switch (s_.state) {
    case breaker_state::closed: return admit_closed(now);
    case breaker_state::open: return admit_open(now);
    case breaker_state::half_open: return admit_half_open(now);
    case breaker_state::forced_open: return refused(errc::forced_open, c_.forced_retry_after);
    case breaker_state::disabled:
    case breaker_state::metrics_only: return admitted(breaker_grant::ordinary, now, instant::max());
  }
  return refused(errc::open, duration{0});
}

constexpr breaker_answer breaker_machine::admit_closed(instant now) noexcept {
  if (now >= s_.deadline) s_.deadline = instant::max();  // the ramp is over
  if (s_.deadline.is_never()) return admitted(breaker_grant::ordinary, now, instant::max());
  // By count, not by chance: credit grows by the share with every call, and a whole hundred of it admits one.
  __extension__ using wide = __int128;
  wide const rest = (s_.deadline - now).count();
  wide const missing = (100 - c_.ramp_from.value) * rest / (s_.deadline - s_.since).count();
  auto const credit = static_cast<std::uint32_t>(s_.ramp_credit + 100 - missing);
  s_.ramp_credit = static_cast<std::uint8_t>(credit % 100);
  if (credit < 100) return refused(errc::ramping, duration{0});
  return admitted(breaker_grant::ordinary, now, instant::max());
}

constexpr breaker_answer breaker_machine::admit_open(instant now) noexcept {
  if (now < s_.deadline) return refused(errc::open, s_.deadline - now);  // S3
  begin(breaker_state::half_open, breaker_cause::waited, now, instant::max(), {});
  return grant_probe(now);
}

constexpr breaker_answer breaker_machine::admit_half_open(instant now) noexcept {
  if (probes_out() != 0 && now > s_.deadline) {
    // Time has decided at the lease's end, however late this call comes to apply it.
    open(breaker_cause::probe_expired, s_.deadline, duration{0}, probe_counts(true, false));
    return admit_open(now);
  }
  if (may_grant()) return grant_probe(now);
  if (probes_out() == 0) return give_up(now);
  auto answer = refused(errc::probe_in_flight, s_.deadline - now);
  answer.probe_age = now - oldest_probe();
  return answer;
}

constexpr bool breaker_machine::may_grant() const noexcept {
  // S1. Never more probes than can be needed: the last success then finds none out, so a round with a failed
  // or silent probe cannot close.
  std::uint32_t const out = probes_out();
  return out < c_.probes && s_.successes + out < std::max(c_.probes, c_.required_successes) &&
         s_.neutrals < c_.neutral_max;
}

constexpr breaker_answer breaker_machine::grant_probe(instant now) noexcept {
  std::uint32_t slot = 0;
  while (leases_[slot].is_live()) ++slot;
  leases_[slot] = {now, now + s_.lease};
  s_.deadline = earliest_end();
  return admitted(static_cast<std::uint8_t>(slot), now, leases_[slot].end);
}

// Nothing but neutral results: nobody will ever say whether the thing works.
constexpr breaker_answer breaker_machine::give_up(instant now) noexcept {
  window_counts const counts{s_.successes, 0, 0};
  switch (c_.after_neutral) {
    case neutral_exit::open:
      open(breaker_cause::only_neutral, now, duration{0}, counts);
      return refused(errc::open, s_.deadline - now);
    case neutral_exit::closed: close(breaker_cause::only_neutral, now, counts); return admit_closed(now);
  }
  return refused(errc::open, duration{0});
}

}  // namespace halfopen
