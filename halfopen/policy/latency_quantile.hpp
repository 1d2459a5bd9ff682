#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include <halfopen/base/percent.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/runtime.hpp>

namespace halfopen {

/// How long things take, counted in buckets that grow with what they hold: up to 67 s, wrong by a sixteenth
/// at most.
struct latency_buckets {
  static constexpr std::uint32_t count = 384;
  static constexpr int unit_shift = 10;  // a unit is 1024 ns

  /// The bucket of d; what is longer than the last one holds is counted there.
  [[nodiscard]] static constexpr std::uint32_t of(duration d) noexcept {
    auto const units = std::min<std::uint64_t>(
        static_cast<std::uint64_t>(std::max(d, duration{}).count()) >> unit_shift, (1U << 27) - 1);
    if (units < 32) return static_cast<std::uint32_t>(units);
    auto const shift = static_cast<std::uint32_t>(std::bit_width(units)) - 5;
    return 16 * shift + static_cast<std::uint32_t>(units >> shift);
  }

  /// Nothing in the bucket takes longer.
  [[nodiscard]] static constexpr duration highest_of(std::uint32_t bucket) noexcept {
    std::uint32_t const shift = bucket < 32 ? 0 : bucket / 16 - 1;
    std::int64_t const next = static_cast<std::int64_t>(bucket - 16 * shift + 1) << shift;
    return duration{(next << unit_shift) - 1};
  }

  /// The shortest time within which at least `share` of what was counted has ended. at(i): the count of
  /// bucket i. 0 where nothing has been counted.
  template <class At>
  [[nodiscard]] static constexpr duration quantile(At at, std::uint64_t total, percent share) noexcept {
    std::uint64_t seen = 0;
    for (std::uint32_t i = 0; i < count && total > 0; ++i) {
      seen += at(i);
      if (share.reached_by(seen, total)) return highest_of(i);
    }
    return {};
  }
};

/// A quantile of how long things take lately, in memory that threads share.
///
/// Every so many samples whoever counts the last of them computes the quantile anew; once there are
/// `window` of them, all counts are halved, so that old ones fade. Nobody waits.
///
/// Threads: any. Cost: two locked adds a sample; a quantile is one load. 1.5 kB.
template <class Runtime>
class basic_latency_quantile {
  template <class T>
  using atomic = typename Runtime::template atomic<T>;
  static constexpr std::uint64_t every = 32;
  static constexpr std::uint64_t window = 4096;

 public:
  explicit basic_latency_quantile(percent share) noexcept : share_{share} {}

  void record(duration took) noexcept {
    counts_[latency_buckets::of(took)].fetch_add(1, std::memory_order_relaxed);
    if ((samples_.fetch_add(1, std::memory_order_relaxed) + 1) % every == 0) refresh();
  }

  /// The quantile, or zero until `samples_min` (rounded up to 32) have been counted.
  [[nodiscard]] duration value(std::uint64_t samples_min) const noexcept {
    if (samples_.load(std::memory_order_relaxed) < samples_min) return {};
    return duration{value_.load(std::memory_order_relaxed)};
  }

 private:
  void refresh() noexcept {
    if (busy_.exchange(1, std::memory_order_acquire) != 0) return;
    std::array<std::uint32_t, latency_buckets::count> seen;
    std::uint64_t total = 0;
    for (std::uint32_t i = 0; i < latency_buckets::count; ++i)
      total += seen[i] = counts_[i].load(std::memory_order_relaxed);
    if (total >= window)
      for (std::uint32_t i = 0; i < latency_buckets::count; ++i)
        counts_[i].fetch_sub(seen[i] / 2, std::memory_order_relaxed);
    auto const q = latency_buckets::quantile([&](std::uint32_t i) { return seen[i]; }, total, share_);
    value_.store(q.count(), std::memory_order_relaxed);
    busy_.store(0, std::memory_order_release);
  }

  std::array<atomic<std::uint32_t>, latency_buckets::count> counts_{};
  atomic<std::uint64_t> samples_{0};
  atomic<std::int64_t> value_{0};
  atomic<std::uint32_t> busy_{0};
  percent share_;
};

using latency_quantile = basic_latency_quantile<std_runtime>;

}  // namespace halfopen
