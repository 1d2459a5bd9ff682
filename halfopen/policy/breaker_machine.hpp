#pragma once

#include <algorithm>
#include <cstdint>

#include <halfopen/base/assert.hpp>
#include <halfopen/policy/backoff_delay.hpp>
#include <halfopen/policy/breaker_answer.hpp>
#include <halfopen/policy/breaker_window.hpp>
#include <halfopen/policy/breaker_word.hpp>

namespace halfopen {

/// One probe that is out. Free where end is min().
struct lease {
  instant granted{};
  instant end = instant::min();

  [[nodiscard]] constexpr bool is_live() const noexcept { return end != instant::min(); }
  friend constexpr bool operator==(lease, lease) noexcept = default;
};

/// The breaker's state, but for leases and window. One to one with the variables of specs/epochs.
struct breaker_control {
  breaker_state state = breaker_state::closed;
  breaker_cause cause = breaker_cause::created;
  std::uint32_t epoch = 0;
  instant deadline =
      instant::max();          // open: probing may start · half_open: earliest lease end · closed: ramp's end
  instant since{};             // when the state was entered; not of half_open
  instant latest{};            // time never goes back behind this
  duration lease{};            // of the next probe
  std::uint16_t openings = 0;  // in a row
  std::uint16_t neutrals = 0;  // half_open: results that said nothing
  std::uint8_t successes = 0;  // half_open
  std::uint8_t ramp_credit = 0;  // closed, ramping: at 100 the next call is admitted
  bool would_trip = false;       // metrics_only: the condition holds

  friend constexpr bool operator==(breaker_control const&, breaker_control const&) noexcept = default;
};

/// Whether a call took longer than slow_after. One whose start nobody looked at did not.
[[nodiscard]] constexpr bool is_slow(breaker_config const& c, breaker_grant const& g, breaker_result const& r,
                                     instant now) noexcept {
  if (is_neutral(r.how)) return false;
  if (r.elapsed != breaker_result::unknown) return r.elapsed > c.slow_after;
  return g.granted != instant::min() && now - g.granted > c.slow_after;
}

/// What a step of the machine raised, in order. No step makes more than two transitions.
class breaker_story {
 public:
  constexpr void add(breaker_event const& e) noexcept {
    invariant(size_ < limit, "S6: a step raises at most two events");
    events_[size_++] = e;
  }
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr breaker_event const* begin() const noexcept { return events_; }
  [[nodiscard]] constexpr breaker_event const* end() const noexcept { return events_ + size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }

 private:
  static constexpr std::uint32_t limit = 2;
  breaker_event events_[limit]{};
  std::uint32_t size_ = 0;
};

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
  constexpr void auto_(instant now) noexcept { restart(breaker_cause::automatic, now); }
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

// --- transitions

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

// --- admission

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

// --- settlement

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

// --- looking

constexpr std::uint32_t breaker_machine::probes_out() const noexcept {
  std::uint32_t out = 0;
  for (std::uint32_t i = 0; i < slots_; ++i) out += leases_[i].is_live() ? 1 : 0;
  return out;
}

constexpr instant breaker_machine::earliest_end() const noexcept {
  instant end = instant::max();
  for (std::uint32_t i = 0; i < slots_; ++i) {
    if (leases_[i].is_live()) end = std::min(end, leases_[i].end);
  }
  return end;
}

constexpr instant breaker_machine::oldest_probe() const noexcept {
  instant oldest = instant::max();
  for (std::uint32_t i = 0; i < slots_; ++i) {
    if (leases_[i].is_live()) oldest = std::min(oldest, leases_[i].granted);
  }
  return oldest;
}

constexpr breaker_word breaker_machine::word() const noexcept {
  auto const spelt = [this](word_code code) { return breaker_word{code, s_.epoch, s_.deadline}; };
  switch (s_.state) {
    case breaker_state::closed:
      return spelt(s_.deadline.is_never() && window_.is_quiet() ? word_code::closed_quiet
                                                                : word_code::closed);
    case breaker_state::open: return spelt(word_code::open);
    case breaker_state::half_open:
      return spelt(probes_out() != 0 && !may_grant() ? word_code::half_open_full : word_code::half_open);
    case breaker_state::forced_open: return spelt(word_code::forced_open);
    case breaker_state::disabled: return spelt(word_code::disabled);
    case breaker_state::metrics_only: return spelt(word_code::metrics_only);
  }
  return spelt(word_code::closed);
}

constexpr std::uint32_t breaker_machine::failures_to_trip(instant now) const noexcept {
  window_counts w = window_.counts(now);
  std::uint64_t const calls = w.calls;
  std::uint64_t const threshold = c_.failure_rate.value;
  switch (c_.window.kind) {
    case window_kind::consecutive: return c_.window.count - std::min(w.failures, c_.window.count);
    case window_kind::calls:  // each failure may push out an old one: tried call by call, once round at most
      for (std::uint32_t more = 1, dropped = 0; more <= c_.window.count; ++more) {
        if (w.calls == c_.window.count)
          w.failures -= window_.calls().failed(dropped++) ? 1 : 0;
        else
          ++w.calls;
        ++w.failures;
        if (judge(w, c_).why == breaker_cause::failures) return more;
      }
      return never_trips;
    case window_kind::time: {  // the least k with (failures + k) * 100 >= threshold * (calls + k)
      std::uint64_t const wanted = threshold * calls;
      std::uint64_t const had = std::uint64_t{w.failures} * 100;
      std::uint64_t const missing = c_.minimum_calls - std::min<std::uint64_t>(calls, c_.minimum_calls);
      if (had >= wanted) return static_cast<std::uint32_t>(std::max<std::uint64_t>(missing, 1));
      if (threshold == 100) return never_trips;
      std::uint64_t const k = (wanted - had + (99 - threshold)) / (100 - threshold);
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max(k, missing), never_trips));
    }
  }
  return never_trips;
}

}  // namespace halfopen
