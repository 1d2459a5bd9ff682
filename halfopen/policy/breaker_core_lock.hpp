#pragma once

// breaker_core: under the lock. Read the state, run the machine on it, publish it; repair what a dead holder
// left.

#include <mutex>

#include <halfopen/policy/breaker_core.hpp>
#include <halfopen/policy/breaker_events.hpp>
#include <halfopen/policy/breaker_machine.hpp>

namespace halfopen {

/// The block's lock, held. Whoever finds that a holder died inside makes the block whole again first.
template <class Runtime>
struct breaker_core<Runtime>::guard {
  explicit guard(breaker_core& core) noexcept : block_{core.place_.get()} {
    bool const intact = block_.lock.lock();
    if (!intact) [[unlikely]]
      core.repair();
    if (!core.lane_.is_shut()) core.carry_lane();
    block_.journal.open(block_, core.storage_);
  }
  /// Takes over a lock that is held already.
  guard(breaker_core& core, std::adopt_lock_t /*held*/) noexcept : block_{core.place_.get()} {
    if (!core.lane_.is_shut()) [[unlikely]]
      core.carry_lane();
  }
  ~guard() {
    if (held_) unlock();
  }
  guard(guard const&) = delete;
  guard& operator=(guard const&) = delete;

  void unlock() noexcept {
    block_.journal.close();
    block_.lock.unlock();
    held_ = false;
  }
  void hand_over() noexcept { held_ = false; }

 private:
  block& block_;
  bool held_ = true;
};

/// The machine, and the values that it works on, under the guard.
template <class Runtime>
struct breaker_core<Runtime>::held {
  explicit held(breaker_core& core) noexcept : core_{core}, b_{core.place_.get()} { load(); }

  [[nodiscard]] breaker_machine machine() noexcept {
    return {control_, leases(), core_.storage_.slots, core_.window(), core_.config_};
  }
  [[nodiscard]] lease* leases() noexcept { return core_.storage_.slots == 1 ? &one_ : core_.storage_.leases; }
  [[nodiscard]] breaker_control& control() noexcept { return control_; }

  // On a copy of everything that an admission reads: it looks at no window.
  [[nodiscard]] bool would_admit(instant now) noexcept {
    static constexpr window_config no_window = consecutive{};
    std::uint32_t in_a_row = 0;
    lease slots[probes_limit];
    std::copy_n(leases(), core_.storage_.slots, slots);
    breaker_control control = control_;
    breaker_machine trial{control, slots, core_.storage_.slots, breaker_window{no_window, in_a_row, nullptr},
                          core_.config_};
    return trial.admit(now).admitted;
  }

  // Everything else first, the word last: who sees the word sees what belongs to it.
  void publish(breaker_machine const& m) noexcept {
    for (auto const& e : m.story()) {
      if (core_.events_ != nullptr) core_.events_->push(e);
    }
    store(m);
    core_.publish(m.word());
  }

 private:
  void load() noexcept {
    breaker_word const word{b_.word.load(std::memory_order_relaxed)};
    auto const at = [](auto const& ns) { return instant{duration{ns.load(std::memory_order_relaxed)}}; };
    control_.state = word.state();
    control_.epoch = word.epoch();
    control_.deadline = at(b_.deadline);
    control_.latest = at(b_.latest);
    control_.lease = duration{b_.lease};
    control_.cause = b_.cause;
    control_.openings = b_.openings;
    control_.neutrals = b_.neutrals;
    control_.successes = b_.successes;
    control_.ramp_credit = b_.ramp_credit;
    control_.would_trip = b_.would_trip != 0;
    if (control_.state != breaker_state::half_open) control_.since = at(b_.since);
    // One slot alone has no memory of its own: it is out where the word says so, since `since`, until the
    // deadline.
    else if (word.code() == word_code::half_open_full)
      one_ = {at(b_.since), control_.deadline};
  }

  void store(breaker_machine const& m) noexcept {
    auto const put = [](auto& ns, instant i) {
      ns.store(i.since_start().count(), std::memory_order_relaxed);
    };
    put(b_.deadline, control_.deadline);
    put(b_.latest, control_.latest);
    put(b_.since, control_.state == breaker_state::half_open ? m.oldest_probe() : control_.since);
    b_.lease = control_.lease.count();
    b_.cause = control_.cause;
    b_.openings = control_.openings;
    b_.neutrals = control_.neutrals;
    b_.successes = control_.successes;
    b_.ramp_credit = control_.ramp_credit;
    b_.would_trip = control_.would_trip ? 1 : 0;
  }

  breaker_core& core_;
  block& b_;
  breaker_control control_{};
  lease one_{};
};

template <class Runtime>
breaker_window breaker_core<Runtime>::window() noexcept {
  return {config_.window, place_.get().failures_in_a_row, storage_.words};
}

template <class Runtime>
void breaker_core<Runtime>::publish(breaker_word after) noexcept {
  auto& word = place_.get().word;
  std::uint64_t const before = word.load(std::memory_order_relaxed);
  if (before == after.bits()) return;
  Runtime::observe(before, after.bits());
  word.store(after.bits(), std::memory_order_release);
}

template <class Runtime>
void breaker_core<Runtime>::carry_lane() noexcept {
  std::uint32_t const successes = lane_.shut();
  window().times().carry(successes);
}

// The dead holder's step is taken back unless its word is out; a window that it may have torn is emptied.
// Dying in here is no different: the journal stays open until the end, and everything up to then can be done
// again.
template <class Runtime>
void breaker_core<Runtime>::repair() noexcept {
  block& b = place_.get();
  bool const torn = b.journal.restore(b, storage_);
  if (torn) {
    window().clear();
    breaker_word const w{b.word.load(std::memory_order_relaxed)};
    if (w.is_closed()) publish(w.closed(window().is_quiet()));
    if (events_ != nullptr) {
      events_->push({breaker_event_kind::window_emptied,
                     w.state(),
                     w.state(),
                     breaker_cause::holder_died,
                     w.epoch(),
                     b.openings,
                     {},
                     instant{duration{b.latest.load(std::memory_order_relaxed)}},
                     instant::max()});
    }
  }
  b.journal.close();
}

// One step of the machine under the lock; what it raised is told afterwards.
template <class Runtime>
template <class Step>
void breaker_core<Runtime>::operate(Step step) noexcept {
  bool raised = false;
  {
    guard const locked{*this};
    held h{*this};
    auto m = h.machine();
    step(m);
    h.publish(m);
    raised = !m.story().empty();
  }
  if (raised && events_ != nullptr) events_->tell();
}

}  // namespace halfopen
