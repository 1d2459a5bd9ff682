#pragma once

// The bodies of breaker_core. Only for the sources that instantiate it.

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

template <class Runtime>
breaker_core<Runtime>::breaker_core(typename place::source where, breaker_storage storage,
                                    breaker_config const& config, breaker_options const& options, bool fresh)
    : place_{where},
      cell_{options.cells == nullptr ? nullptr : &(*options.cells)[0]},
      clock_{options.clock},
      name_{options.name},
      storage_{storage},
      config_{config},
      events_{options.observer == nullptr ? nullptr
                                          : new breaker_events{*options.observer, config.events_max}} {
  take_settings(config);
  if (!fresh) return;
  guard const locked{*this};
  held h{*this};
  auto m = h.machine();
  m.start(options.now == instant::min() ? clock_.now() : options.now);
  h.publish(m);
}

template <class Runtime>
breaker_core<Runtime>::~breaker_core() {
  delete events_;
}

template <class Runtime>
void breaker_core<Runtime>::take_settings(breaker_config const& config) noexcept {
  is_plain_.store(cell_ == nullptr && config.slow_after == duration::max(), std::memory_order_relaxed);
  slow_after_.store(config.slow_after == duration::max() ? never_slow : config.slow_after.count(),
                    std::memory_order_relaxed);
  forced_retry_after_.store(config.forced_retry_after.count(), std::memory_order_relaxed);
}

// --- calls

template <class Runtime>
breaker_answer breaker_core<Runtime>::ask(instant now, totals_cell* cell) noexcept {
  breaker_answer a;
  if (!refuses_by_word(now, a)) a = ask_machine(now);
  if (cell != nullptr) cell->count(tally_of(a));
  return a;
}

// The exact deadline stands beside the word, and may be newer; it counts if the word's own bits agree.
template <class Runtime>
bool breaker_core<Runtime>::refuses_by_word(instant now, breaker_answer& a) const noexcept {
  breaker_word const word{place_.get().word.load(std::memory_order_acquire)};
  instant const deadline{duration{place_.get().deadline.load(std::memory_order_relaxed)}};
  instant const time = std::max(now, instant{duration{place_.get().latest.load(std::memory_order_relaxed)}});
  switch (word.code()) {
    case word_code::closed_quiet:
    case word_code::closed:
    case word_code::disabled:
    case word_code::metrics_only:
    case word_code::half_open: return false;
    case word_code::open:
      a = {.why = errc::open, .retry_after = deadline - time};
      return word.has(deadline) && time < deadline;
    case word_code::half_open_full: {
      instant const oldest{duration{place_.get().since.load(std::memory_order_relaxed)}};
      a = {.why = errc::probe_in_flight,
           .retry_after = deadline - time,
           .probe_age = std::max(time - oldest, duration{0})};
      return word.has(deadline) && time <= deadline;
    }
    case word_code::forced_open:
      a = {.why = errc::forced_open,
           .retry_after = duration{forced_retry_after_.load(std::memory_order_relaxed)}};
      return true;
  }
  return false;
}

template <class Runtime>
breaker_answer breaker_core<Runtime>::ask_machine(instant now) noexcept {
  breaker_answer a;
  operate([&](breaker_machine& m) { a = m.admit(now); });
  return a;
}

// The common case: closed, in its epoch, no bucket ends and nothing trips. It records and decides by the
// machine's own rule but needs none of its other parts. No store but those that count, and no call that comes
// back: the next call's lock waits for every store, those of a saved register too.
template <class Runtime>
inline void breaker_core<Runtime>::settle_here(breaker_ticket ticket, instant granted, instant now,
                                               duration elapsed, duration retry_after,
                                               totals_cell* cell) noexcept {
  outcome const how = ticket.how();
  if (!place_.get().lock.try_lock()) [[unlikely]]
    return settle_by_machine(ticket, granted, now, elapsed, retry_after, cell);
  guard locked{*this, std::adopt_lock};
  block& b = place_.get();
  instant const latest{duration{b.latest.load(std::memory_order_relaxed)}};
  instant const time = std::max(now, latest);
  breaker_word const word{b.word.load(std::memory_order_relaxed)};
  auto w = window();
  if (word.epoch() != ticket.epoch() || !word.is_closed() || is_neutral(how) || !w.holds(time)) [[unlikely]] {
    locked.unlock();
    return settle_by_machine(ticket, granted, now, elapsed, retry_after, cell);
  }
  bool const slow = is_slow(config_, {.granted = granted}, {.how = how, .elapsed = elapsed}, time);
  if (record(w, config_, how == outcome::failure, slow, time).trips()) [[unlikely]] {
    locked.hand_over();
    return trip(ticket, granted, time, elapsed, retry_after, cell);
  }
  if (time != latest) b.latest.store(time.since_start().count(), std::memory_order_relaxed);
  publish(word.closed(w.is_quiet()));
  if (w.may_count_beside()) lane_.open(word.epoch(), w.times().newest_end());
  locked.unlock();
  if (cell != nullptr) count_settled(*cell, how, false, slow);
}

template <class Runtime>
void breaker_core<Runtime>::succeed(breaker_ticket ticket, instant granted, instant now, duration elapsed,
                                    totals_cell* cell) noexcept {
  if (is_surely_fast(granted, elapsed, now) && lane_.count(ticket.epoch(), now)) [[likely]] {
    if (cell != nullptr) [[unlikely]]
      cell->count(tally::success);
    return;
  }
  succeed_under_lock(ticket, granted, now, elapsed, cell);
}

template <class Runtime>
void breaker_core<Runtime>::succeed_by_clock(breaker_ticket ticket, instant granted, duration elapsed,
                                             totals_cell* cell) noexcept {
  instant const now = clock_.now();
  if (is_surely_fast(granted, elapsed, now) && lane_.count(ticket.epoch(), now)) [[likely]] {
    if (cell != nullptr) [[unlikely]]
      cell->count(tally::success);
    return;
  }
  succeed_under_lock(ticket, granted, now, elapsed, cell);
}

template <class Runtime>
void breaker_core<Runtime>::succeed_under_lock(breaker_ticket ticket, instant granted, instant now,
                                               duration elapsed, totals_cell* cell) noexcept {
  settle_here(ticket.with(outcome::success), granted, now, elapsed, duration{0}, cell);
}

template <class Runtime>
void breaker_core<Runtime>::settle(breaker_ticket ticket, instant granted, instant now, duration elapsed,
                                   duration retry_after, totals_cell* cell) noexcept {
  if (now == instant::min()) return settle_by_clock(ticket, granted, elapsed, retry_after, cell);
  settle_here(ticket, granted, now, elapsed, retry_after, cell);
}

template <class Runtime>
void breaker_core<Runtime>::settle_by_clock(breaker_ticket ticket, instant granted, duration elapsed,
                                            duration retry_after, totals_cell* cell) noexcept {
  settle_here(ticket, granted, clock_.now(), elapsed, retry_after, cell);
}

template <class Runtime>
void breaker_core<Runtime>::settle_by_machine(breaker_ticket ticket, instant granted, instant now,
                                              duration elapsed, duration retry_after,
                                              totals_cell* cell) noexcept {
  breaker_grant const g{ticket.epoch(), ticket.slot(), granted};
  breaker_result const r{ticket.how(), elapsed, retry_after};
  guard locked{*this};
  held h{*this};
  auto m = h.machine();
  bool const slow = is_slow(config_, g, r, std::max(now, h.control().latest));
  bool const late = m.settle(g, r, now);
  h.publish(m);
  locked.unlock();
  if (!m.story().empty() && events_ != nullptr) events_->tell();
  if (cell != nullptr) count_settled(*cell, r.how, late, slow);
}

// The result is in the window already, and trips it: the machine acts on that in the same step. The lock is
// held, and let go of here.
template <class Runtime>
void breaker_core<Runtime>::trip(breaker_ticket ticket, instant granted, instant now, duration elapsed,
                                 duration retry_after, totals_cell* cell) noexcept {
  breaker_result const r{ticket.how(), elapsed, retry_after};
  guard locked{*this, std::adopt_lock};
  bool const slow = is_slow(config_, {.granted = granted}, r, now);
  held h{*this};
  auto m = h.machine();
  m.act(judge(window().recorded(), config_), r, now);
  h.publish(m);
  locked.unlock();
  if (events_ != nullptr) events_->tell();
  if (cell != nullptr) count_settled(*cell, r.how, false, slow);
}

template <class Runtime>
void breaker_core<Runtime>::count_settled(totals_cell& cell, outcome how, bool late, bool slow) noexcept {
  if (slow && !late) cell.count(tally::slow);
  cell.count(tally_of(how, late));
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

template <class Runtime>
void breaker_core<Runtime>::note_second_settlement() noexcept {
  settled_twice_.fetch_add(1, std::memory_order_relaxed);
#ifndef NDEBUG
  invariant(false, "S4: a permit is settled at most once");
#endif
}

// --- looking

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

// --- operators

template <class Runtime>
void breaker_core<Runtime>::force_open(instant now) noexcept {
  operate([&](breaker_machine& m) { m.force_open(now); });
}

template <class Runtime>
void breaker_core<Runtime>::disable(instant now) noexcept {
  operate([&](breaker_machine& m) { m.disable(now); });
}

template <class Runtime>
void breaker_core<Runtime>::metrics_only(instant now) noexcept {
  operate([&](breaker_machine& m) { m.metrics_only(now); });
}

template <class Runtime>
void breaker_core<Runtime>::auto_(instant now) noexcept {
  operate([&](breaker_machine& m) { m.auto_(now); });
}

template <class Runtime>
void breaker_core<Runtime>::reset(instant now) noexcept {
  operate([&](breaker_machine& m) { m.reset(now); });
}

template <class Runtime>
breaker_storage breaker_core<Runtime>::reconfigure(breaker_config const& config, breaker_storage fresh,
                                                   instant now) noexcept {
  bool raised = false;
  {
    guard const locked{*this};
    held h{*this};
    window_counts const counts = window().counts(std::max(now, h.control().latest));
    breaker_config const old = config_;
    if (fresh.slots > storage_.slots) {
      std::copy_n(h.leases(), storage_.slots, fresh.leases);
      std::swap(storage_.leases, fresh.leases);
      std::swap(storage_.slots, fresh.slots);
    }
    if (old.window != config.window) std::swap(storage_.words, fresh.words);
    config_ = config;
    take_settings(config);
    auto m = h.machine();
    m.adopt(old, counts, now);
    h.publish(m);
    raised = !m.story().empty();
  }
  if (raised && events_ != nullptr) events_->tell();
  return fresh;
}

}  // namespace halfopen
