#pragma once

// breaker_machine: what there is to see.

#include <halfopen/policy/breaker_machine.hpp>

namespace halfopen {

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
