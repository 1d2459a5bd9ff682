#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

#include <halfopen/policy/breaker_lane.hpp>

namespace halfopen {

struct breaker_storage;

/// What a shell takes from its surroundings. The production code runs on std_runtime; an explorer gives its
/// own.
///
/// mutex: try_lock() may refuse for no reason, and takes only a lock whose block is intact; lock() returns
/// whether what it guards is intact (false: a holder died inside; see shared_breaker.hpp).
template <class R>
concept runtime =
    requires(typename R::mutex m, typename R::template atomic<std::uint64_t> a, std::uint64_t w) {
      { m.lock() } -> std::same_as<bool>;
      { m.try_lock() } -> std::same_as<bool>;
      m.unlock();
      { a.load(std::memory_order_acquire) } -> std::same_as<std::uint64_t>;
      a.store(w, std::memory_order_release);
      R::observe(w, w);  // the control word goes from one value to another; a no-op outside an explorer
    };

/// A four-byte lock for critical sections of some 20 ns without foreign code: spins, then yields, then naps.
///
/// Releasing is one plain store, which is why nobody can park on it.
class spin_mutex {
 public:
  bool lock() noexcept {
    if (taken_.exchange(1, std::memory_order_acquire) != 0) [[unlikely]]
      wait();
    return true;
  }
  [[nodiscard]] bool try_lock() noexcept { return taken_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() noexcept { taken_.store(0, std::memory_order_release); }

 private:
  void wait() noexcept;

  std::atomic<std::uint32_t> taken_{0};
};

/// Where a shell keeps its block: within itself ...
template <class Block>
class own_place {
 public:
  struct source {};

  explicit own_place(source /*nothing is needed*/) noexcept {}
  [[nodiscard]] Block& get() const noexcept { return block_; }

 private:
  mutable Block block_;  // shared state: a look at a breaker takes its lock, too
};

/// ... or in memory that it was given, which outlives it.
template <class Block>
class lent_place {
 public:
  struct source {
    Block* block;
  };

  explicit lent_place(source s) noexcept : block_{s.block} {}
  [[nodiscard]] Block& get() const noexcept { return *block_; }

 private:
  Block* block_;
};

struct std_runtime {
  template <class T>
  using atomic = std::atomic<T>;
  template <class Block>
  using place = own_place<Block>;
  using mutex = spin_mutex;
  using lane = success_lane<atomic>;

  // Nothing to remember: a thread does not die inside a critical section.
  struct journal {
    template <class Block>
    void open(Block const& /*b*/, breaker_storage const& /*s*/) noexcept {}
    void close() noexcept {}
    template <class Block>
    bool restore(Block& /*b*/, breaker_storage const& /*s*/) noexcept {
      return false;
    }
  };

  static constexpr void observe(std::uint64_t /*before*/, std::uint64_t /*after*/) noexcept {}
};

static_assert(runtime<std_runtime>);

}  // namespace halfopen
