#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <halfopen/base/time.hpp>

namespace halfopen::gateway {

/// A count that one thread writes and any thread reads: a load and a store, nothing contended.
class counter {
 public:
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void subtract(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) - n, std::memory_order_relaxed);
  }
  void set(std::uint64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t read() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// How long things took, in fixed classes, as Prometheus wants them.
///
/// Threads: as counter.
class histogram {
 public:
  static constexpr std::array<double, 13> bounds_s{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                   0.25,  0.5,    1,     2.5,  5,     10};

  void add(duration d) noexcept {
    std::size_t i = 0;
    while (i < bounds_s.size() && d > bounds_ns[i]) ++i;
    counts_[i].add();
    sum_ns_.add(static_cast<std::uint64_t>(d.count() < 0 ? 0 : d.count()));
  }

  /// Of the class up to and with bounds_s[i]; the last is what is longer. Not cumulative.
  [[nodiscard]] std::uint64_t read(std::size_t i) const noexcept { return counts_[i].read(); }
  [[nodiscard]] std::uint64_t sum_ns() const noexcept { return sum_ns_.read(); }

 private:
  static constexpr auto bounds_ns = [] {
    std::array<duration, bounds_s.size()> ns{};
    for (std::size_t i = 0; i < ns.size(); ++i)
      ns[i] = duration{static_cast<std::int64_t>(bounds_s[i] * 1e9 + 0.5)};
    return ns;
  }();

  std::array<counter, bounds_s.size() + 1> counts_;
  counter sum_ns_;
};

}  // namespace halfopen::gateway
