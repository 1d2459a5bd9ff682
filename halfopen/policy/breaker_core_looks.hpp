#pragma once

// breaker_core: what there is to see.

#include <halfopen/policy/breaker_core_calls.hpp>

namespace halfopen {

template <class Runtime>
breaker_status breaker_core<Runtime>::status(instant now) const noexcept {
  breaker_word const word{place_.get().word.load(std::memory_order_acquire)};
  breaker_status s{word.state(), word.epoch(), duration{0}};
  breaker_answer a;
  if (refuses_by_word(now, a)) s.retry_after = a.retry_after;
  return s;
}

template <class Runtime>
bool breaker_core<Runtime>::would_admit(instant now) const noexcept {
  if (word().admits_all()) return true;
  breaker_answer refusal;
  if (refuses_by_word(now, refusal)) return false;
  auto& self = const_cast<breaker_core&>(*this);
  guard const locked{self};
  return held{self}.would_admit(now);
}

template <class Runtime>
bool breaker_core<Runtime>::consult(instant now) noexcept {
  if (word().admits_all()) return true;
  breaker_answer refusal;
  if (refuses_by_word(now, refusal)) return false;
  bool admits = true;
  bool raised = false;
  {
    guard const locked{*this};
    held h{*this};
    admits = h.would_admit(now);
    if (!admits) {
      auto m = h.machine();
      (void)m.admit(now);
      h.publish(m);
      raised = !m.story().empty();
    }
  }
  if (raised && events_ != nullptr) events_->tell();
  return admits;
}

template <class Runtime>
breaker_snapshot breaker_core<Runtime>::snapshot(instant now) const noexcept {
  auto& self = const_cast<breaker_core&>(*this);
  guard const locked{self};
  held h{self};
  auto const m = h.machine();
  breaker_control const& c = h.control();
  instant const time = std::max(now, c.latest);
  breaker_snapshot s{.state = c.state,
                     .epoch = c.epoch,
                     .cause = c.cause,
                     .since = c.state == breaker_state::half_open ? m.oldest_probe() : c.since,
                     .until = c.deadline,
                     .window = self.window().counts(time),
                     .failures_to_trip = m.failures_to_trip(time),
                     .openings = c.openings,
                     .probes_out = m.probes_out(),
                     .probe_successes = c.successes,
                     .neutral_results = c.neutrals,
                     .next_lease = c.lease,
                     .settled_twice = settled_twice_.load(std::memory_order_relaxed)};
  if (s.probes_out != 0) s.oldest_probe_age = time - m.oldest_probe();
  bool const waits = c.state == breaker_state::open || s.probes_out >= config_.probes;
  if (waits) s.retry_after = std::max(c.deadline - time, duration{0});
  if (c.state == breaker_state::forced_open) s.retry_after = config_.forced_retry_after;
  if (events_ != nullptr) s.events_lost = events_->lost();
  if (events_ != nullptr) s.observer_threw = events_->threw();
  return s;
}

template <class Runtime>
breaker_config breaker_core<Runtime>::config() const noexcept {
  guard const locked{const_cast<breaker_core&>(*this)};
  return config_;
}

}  // namespace halfopen
