#pragma once

#include <cstdint>
#include <string_view>

#include <halfopen/base/clock.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/policy/breaker_answer.hpp>
#include <halfopen/policy/breaker_block.hpp>
#include <halfopen/policy/breaker_config.hpp>
#include <halfopen/policy/breaker_event.hpp>
#include <halfopen/policy/breaker_permit.hpp>
#include <halfopen/policy/breaker_status.hpp>
#include <halfopen/policy/breaker_totals.hpp>
#include <halfopen/policy/breaker_word.hpp>
#include <halfopen/policy/runtime.hpp>

namespace halfopen {

class breaker_events;  // the bounded queue to an observer
class breaker_window;

/// What a breaker is given beside its settings. All of it outlives the breaker.
struct breaker_options {
  std::string_view name = "circuit_breaker";
  clock_source clock = steady_clock();
  breaker_cells* cells = nullptr;  // none: nothing is counted since the start
  breaker_observer* observer = nullptr;
  instant now = instant::min();  // of creation; min() = ask the clock
};

/// The shell: the machine (breaker_machine.hpp) in memory that threads share.
///
/// Threads: any. Where the state admits everyone, or refuses by its deadline, a call is a few loads; so is a
/// success that changes nothing. Everything else runs the machine under the block's lock, publishes by one
/// store of the word, and tells observers after the lock is gone.
template <class Runtime>
class alignas(64) breaker_core {
 public:
  using block = breaker_block<Runtime>;
  using place = typename Runtime::template place<block>;
  using permit = basic_permit<Runtime>;
  using admission = expected<permit, rejection>;

  /// Block and storage outlive the core. A fresh block is started; one that is in use is joined as it stands.
  breaker_core(typename place::source where, breaker_storage storage, breaker_config const& config,
               breaker_options const& options, bool fresh);
  ~breaker_core();
  breaker_core(breaker_core const&) = delete;
  breaker_core& operator=(breaker_core const&) = delete;

  [[nodiscard]] admission try_acquire(instant now) noexcept { return try_acquire(now, cell_); }
  [[nodiscard]] admission try_acquire(instant now, totals_cell* cell) noexcept {
    breaker_word const w = word();
    if (w.admits_all()) [[likely]]
      return admit(w, now, cell);
    return convey(ask(now, cell), cell);
  }
  [[nodiscard]] admission try_acquire() noexcept {
    breaker_word const w = word();
    if (w.admits_all() && is_plain_.load(std::memory_order_relaxed)) [[likely]]
      return admit(w, permit::unknown, nullptr);
    return try_acquire(cell_);
  }
  [[nodiscard]] admission try_acquire(totals_cell* cell) noexcept {
    breaker_word const w = word();
    if (w.admits_all() && slow_after_.load(std::memory_order_relaxed) == never_slow) [[likely]]
      return admit(w, permit::unknown, cell);
    return try_acquire(clock_.now(), cell);
  }

  [[nodiscard]] breaker_state state() const noexcept { return word().state(); }
  [[nodiscard]] breaker_status status(instant now) const noexcept;
  [[nodiscard]] bool would_admit(instant now) const noexcept;
  [[nodiscard]] bool consult(instant now) noexcept;
  [[nodiscard]] breaker_snapshot snapshot(instant now) const noexcept;
  [[nodiscard]] breaker_config config() const noexcept;
  [[nodiscard]] instant now() const noexcept { return clock_.now(); }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] totals_cell* cell() const noexcept { return cell_; }
  [[nodiscard]] breaker_storage storage() const noexcept {
    return storage_;
  }  // when no other thread is about

  void force_open(instant now) noexcept;
  void disable(instant now) noexcept;
  void metrics_only(instant now) noexcept;
  void automatic(instant now) noexcept;
  void reset(instant now) noexcept;

  /// `fresh`: storage for the new settings; what of it, or of the old, is then out of use is returned.
  breaker_storage reconfigure(breaker_config const& config, breaker_storage fresh, instant now) noexcept;

 private:
  friend class basic_permit<Runtime>;
  struct guard;  // the lock, held
  struct held;   // the machine's values under it

  static constexpr std::int64_t never_slow = 0;

  admission admit(breaker_word word, instant now, totals_cell* cell) noexcept {
    if (cell != nullptr) [[unlikely]]
      cell->count(tally::admitted);
    return admission{tl::in_place, typename permit::key{}, *this, word, now, cell};
  }
  admission convey(breaker_answer const& a, totals_cell* cell) noexcept {
    if (a.admitted) return admission{tl::in_place, typename permit::key{}, *this, a, cell};
    return admission{tl::unexpect, rejection{a.why, a.retry_after, a.probe_age, name_}};
  }
  [[nodiscard]] breaker_word word() const noexcept {
    return breaker_word{place_.get().word.load(std::memory_order_acquire)};
  }

  // Without asking the clock. A call whose start nobody looked at is not slow.
  [[nodiscard]] bool is_surely_fast(instant granted, duration elapsed, instant now) const noexcept {
    std::int64_t const slow_after = slow_after_.load(std::memory_order_relaxed);
    if (slow_after == never_slow) [[likely]]
      return true;
    if (elapsed != breaker_result::unknown) return elapsed.count() <= slow_after;
    if (granted == instant::min()) return true;
    return now != instant::min() && (now - granted).count() <= slow_after;
  }

  breaker_answer ask(instant now, totals_cell* cell) noexcept;
  breaker_answer ask_machine(instant now) noexcept;
  [[nodiscard]] bool refuses_by_word(instant now, breaker_answer& a) const noexcept;
  // A success that is not silent: beside the lock where that is possible.
  [[gnu::noinline]] void succeed(breaker_ticket ticket, instant granted, instant now, duration elapsed,
                                 totals_cell* cell) noexcept;
  [[gnu::noinline]] void succeed_by_clock(breaker_ticket ticket, instant granted, duration elapsed,
                                          totals_cell* cell) noexcept;
  // In registers: a grant that is passed in memory was just written in pieces, and reading it whole stalls.
  [[gnu::noinline]] void succeed_under_lock(breaker_ticket ticket, instant granted, instant now,
                                            duration elapsed, totals_cell* cell) noexcept;
  void settle(breaker_ticket ticket, instant granted, instant now, duration elapsed, duration retry_after,
              totals_cell* cell) noexcept;
  [[gnu::always_inline]] void settle_here(breaker_ticket ticket, instant granted, instant now,
                                          duration elapsed, duration retry_after, totals_cell* cell) noexcept;
  [[gnu::noinline]] void settle_by_clock(breaker_ticket ticket, instant granted, duration elapsed,
                                         duration retry_after, totals_cell* cell) noexcept;
  [[gnu::noinline]] void settle_by_machine(breaker_ticket ticket, instant granted, instant now,
                                           duration elapsed, duration retry_after,
                                           totals_cell* cell) noexcept;
  [[gnu::noinline]] void trip(breaker_ticket ticket, instant granted, instant now, duration elapsed,
                              duration retry_after, totals_cell* cell) noexcept;
  [[gnu::noinline]] static void count_settled(totals_cell& cell, outcome how, bool late, bool slow) noexcept;

  void note_second_settlement() noexcept;
  [[nodiscard]] breaker_window window() noexcept;
  void publish(breaker_word after) noexcept;
  [[gnu::noinline]] void carry_lane() noexcept;
  void repair() noexcept;
  template <class Step>
  void operate(Step step) noexcept;
  void take_settings(breaker_config const& config) noexcept;

  place place_;
  typename Runtime::lane lane_;  // its word on the block's cache line
  std::atomic<bool> is_plain_{
      false};  // no call is slow and nothing is counted: a call needs neither clock nor cell
  std::atomic<std::int64_t> slow_after_{never_slow};  // longer is slow; never_slow where no call is
  totals_cell* cell_;
  clock_source clock_;
  std::atomic<std::int64_t> forced_retry_after_{0};
  std::string_view name_;

  // Only under the block's lock.
  breaker_storage storage_;
  breaker_config config_;

  breaker_events* events_;  // owned; nullptr without an observer
  std::atomic<std::uint64_t> settled_twice_{0};
};

template <class Runtime>
inline void basic_permit<Runtime>::succeed(breaker_result r, instant now) noexcept {
  if (ticket_.is_silent_in(core_->word()) && core_->is_surely_fast(granted_, r.elapsed, now)) [[likely]] {
    ticket_.spend();
    if (cell_ != nullptr) [[unlikely]]
      cell_->count(tally::success);
    return;
  }
  if (is_spent()) return core_->note_second_settlement();
  if (now == unknown)
    core_->succeed_by_clock(ticket_, granted_, r.elapsed, cell_);
  else
    core_->succeed(ticket_, granted_, now, r.elapsed, cell_);
  ticket_.spend();
}

template <class Runtime>
inline void basic_permit<Runtime>::hand_in(breaker_result r, instant now) noexcept {
  if (is_spent()) return core_->note_second_settlement();
  core_->settle(ticket_.with(r.how), granted_, now, r.elapsed, r.retry_after, cell_);
  ticket_.spend();
}

extern template class breaker_core<std_runtime>;

}  // namespace halfopen
