#pragma once

#include <string>

#include <pthread.h>

#include <halfopen/policy/breaker_core.hpp>

namespace halfopen {

/// A lock that survives its holder: the kernel hands it on when a process dies with it (robust futex).
class robust_mutex {
 public:
  robust_mutex() noexcept;

  /// Returns false if the holder before died inside.
  bool lock() noexcept;
  [[nodiscard]] static bool try_lock() noexcept {
    return false;
  }  // always by lock(), which opens the journal
  void unlock() noexcept;

 private:
  pthread_mutex_t mutex_;
};

/// What takes a step back that a dead process has begun: the block as it was before it.
///
/// Kill order is program order: nothing is changed before `armed_`, and nothing after it is cleared. The word
/// is a step's last store, so a step whose word is out is whole.
class breaker_journal {
 public:
  template <class Block>
  void open(Block const& b, breaker_storage const& s) noexcept;
  void close() noexcept { armed_.store(0, std::memory_order_release); }

  /// Returns whether a step was taken back, which may have torn the window.
  template <class Block>
  bool restore(Block& b, breaker_storage const& s) noexcept;

 private:
  std::atomic<std::uint32_t> armed_{0};
  std::uint64_t word_ = 0;
  std::int64_t deadline_ = 0;
  std::int64_t latest_ = 0;
  std::int64_t since_ = 0;
  std::int64_t lease_ = 0;
  std::uint16_t openings_ = 0;
  std::uint16_t neutrals_ = 0;
  std::uint8_t successes_ = 0;
  std::uint8_t ramp_credit_ = 0;
  std::uint8_t would_trip_ = 0;
  breaker_cause cause_{};
};

struct shared_runtime {
  template <class T>
  using atomic = std::atomic<T>;
  template <class Block>
  using place = lent_place<Block>;
  using mutex = robust_mutex;
  using lane = no_lane;
  using journal = breaker_journal;

  static constexpr void observe(std::uint64_t /*before*/, std::uint64_t /*after*/) noexcept {}
};

static_assert(runtime<shared_runtime>);

using shared_permit = basic_permit<shared_runtime>;

/// A circuit breaker whose state lies in a file that several processes map.
///
/// A process that is killed, at any instruction, never stops the others: a probe that it held is lost by its
/// lease, a step that it had begun is taken back, and a window that it may have torn starts empty (event
/// holder_died). The file carries the boot's id, the layout's version and the window's shape; on a mismatch a
/// new one takes its place, closed.
///
/// Settings are each process's own, and should be the same in all. Events go to the observer of the process
/// that made the transition; totals are each process's own.
///
/// Threads: any, all members but moves and destruction. Permits may outlive a move of the breaker, not its
/// destruction. Cost:    as circuit_breaker; what is recorded goes through the kernel's robust lock. Source:
/// docs/breaker.md, "Sharing between processes".
class shared_breaker {
 public:
  /// Joins the breaker in this file, or makes one.
  ///
  /// Errors: bad settings, or the system's reason why the file cannot be used.
  [[nodiscard]] static expected<shared_breaker, std::string> open(std::string const& path,
                                                                  breaker_config const& config,
                                                                  breaker_options const& options = {});

  shared_breaker(shared_breaker&& other) noexcept;
  shared_breaker& operator=(shared_breaker&& other) noexcept;
  ~shared_breaker();

  // As circuit_breaker's, which says more.
  [[nodiscard]] expected<shared_permit, rejection> try_acquire(instant now) noexcept {
    return core_->try_acquire(now);
  }
  [[nodiscard]] expected<shared_permit, rejection> try_acquire() noexcept { return core_->try_acquire(); }

  [[nodiscard]] breaker_state state() const noexcept { return core_->state(); }
  [[nodiscard]] breaker_status status(instant now) const noexcept { return core_->status(now); }
  [[nodiscard]] bool would_admit(instant now) const noexcept { return core_->would_admit(now); }
  [[nodiscard]] bool consult(instant now) noexcept { return core_->consult(now); }
  [[nodiscard]] breaker_snapshot snapshot(instant now) const noexcept { return core_->snapshot(now); }
  [[nodiscard]] breaker_config config() const noexcept { return core_->config(); }
  [[nodiscard]] std::string_view name() const noexcept { return core_->name(); }

  // For all processes at once.
  void force_open(instant now) noexcept { core_->force_open(now); }
  void disable(instant now) noexcept { core_->disable(now); }
  void metrics_only(instant now) noexcept { core_->metrics_only(now); }
  void automatic(instant now) noexcept { core_->automatic(now); }
  void reset(instant now) noexcept { core_->reset(now); }

  /// New settings for this process; the state, which all share, stays: epoch, deadline and permits that are
  /// out survive.
  ///
  /// The window's shape and the number of probes are the file's. How many failures in a row trip may change:
  /// the count begins anew, and an event says so. Errors: bad settings, or another shape: then nothing is
  /// changed. For those, open a new file.
  expected<void, std::vector<config_problem>> reconfigure(breaker_config const& config, instant now);

 private:
  shared_breaker(void* memory, std::size_t bytes, breaker_core<shared_runtime>* core) noexcept
      : memory_{memory}, bytes_{bytes}, core_{core} {}

  void* memory_;
  std::size_t bytes_;
  breaker_core<shared_runtime>* core_;  // this process's own half
};

extern template class breaker_core<shared_runtime>;

}  // namespace halfopen
