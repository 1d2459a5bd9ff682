#pragma once

// breaker_core: admission and settlement, with and without the lock.

#include <halfopen/policy/breaker_core_lock.hpp>

namespace halfopen {

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

template <class Runtime>
void breaker_core<Runtime>::note_second_settlement() noexcept {
  settled_twice_.fetch_add(1, std::memory_order_relaxed);
#ifndef NDEBUG
  invariant(false, "S4: a permit is settled at most once");
#endif
}

}  // namespace halfopen
