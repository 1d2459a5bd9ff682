#pragma once

#include <atomic>
#include <cstdint>

#include <halfopen/base/time.hpp>

namespace halfopen {

/// Counts the successes of a healthy time window beside the lock, exactly.
///
/// It is open only while a success can do nothing but count in the newest bucket: closed, and neither a
/// failure nor a slow call in the window. Whoever takes the block's lock shuts it first and carries its count
/// into the window, so under the lock the window is whole.
///
/// One word decides: epoch 32 | generation 15 | open 1 | count 16. A shut begins a new generation, so a count
/// that gets in has seen the bucket's end that belongs to it.
template <template <class> class Atomic>
class success_lane {
 public:
  /// Returns whether the success is counted; if not, it wants the lock. Any thread.
  [[gnu::always_inline]] bool count(std::uint32_t epoch, instant now) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    while (is_open(seen, epoch)) {
      if (now.since_start().count() >= bucket_end_.load(std::memory_order_relaxed)) return false;
      if (word_.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire))
        return true;
    }
    return false;
  }

  // Under the lock.
  [[nodiscard]] bool is_shut() const noexcept {
    return (word_.load(std::memory_order_relaxed) & open_bit) == 0;
  }
  /// Returns the successes to carry into the newest bucket.
  std::uint32_t shut() noexcept {
    std::uint64_t const generation =
        (word_.load(std::memory_order_relaxed) + generation_step) & generation_mask;
    return static_cast<std::uint32_t>(word_.exchange(generation, std::memory_order_acq_rel) & count_mask);
  }
  void open(std::uint32_t epoch, instant bucket_end) noexcept {
    bucket_end_.store(bucket_end.since_start().count(), std::memory_order_relaxed);
    std::uint64_t const generation = word_.load(std::memory_order_relaxed) & generation_mask;
    word_.store(std::uint64_t{epoch} << 32 | generation | open_bit, std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t count_mask = (1U << 16) - 1;
  static constexpr std::uint64_t open_bit = 1U << 16;
  static constexpr std::uint64_t generation_step = 1U << 17;
  static constexpr std::uint64_t generation_mask = 0x7FFFULL << 17;

  // A full count counts no further: the next success takes the lock, which carries it away.
  static bool is_open(std::uint64_t word, std::uint32_t epoch) noexcept {
    bool const ours = (word & ~(count_mask | generation_mask)) == (std::uint64_t{epoch} << 32 | open_bit);
    return ours && (word & count_mask) != count_mask;
  }

  Atomic<std::uint64_t> word_{0};
  Atomic<std::int64_t> bucket_end_{0};
};

/// For a shell whose holders of the lock may die: what they had carried half-way would be lost.
struct no_lane {
  static constexpr bool count(std::uint32_t /*epoch*/, instant /*now*/) noexcept { return false; }
  static constexpr bool is_shut() noexcept { return true; }
  static constexpr std::uint32_t shut() noexcept { return 0; }
  static constexpr void open(std::uint32_t /*epoch*/, instant /*bucket_end*/) noexcept {}
};

}  // namespace halfopen
