#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <halfopen/base/assert.hpp>
#include <halfopen/policy/circuit_breaker.hpp>

#include "bench/mutex_breaker.hpp"

namespace halfopen::bench {

/// One call each: operator() admits, builds the permit and settles it. Made once, called by many.

/// The yardstick: one locked add on a line that others use too.
struct fetch_add_case {
  alignas(64) std::atomic<std::uint64_t> count{0};
  [[gnu::always_inline]] void operator()() noexcept { count.fetch_add(1, std::memory_order_relaxed); }
};

struct mutex_case {
  alignas(64) mutex_breaker breaker;
  void operator()() {
    if (breaker.allow()) breaker.report(true);
  }
};

inline constexpr instant bench_start{std::chrono::hours{1}};

inline breaker_options bench_options(breaker_cells* cells = nullptr) {
  return {.name = "bench", .cells = cells, .now = bench_start};
}

inline breaker_config with(window_config window) {
  breaker_config c;
  c.window = window;
  return c;
}

/// Admit and success at a time the caller knows, in a window that is already full of successes.
class healthy_case {
 public:
  explicit healthy_case(window_config window, breaker_cells* cells = nullptr)
      : breaker_{with(window), bench_options(cells)} {
    for (int i = 0; i < 1000; ++i) (*this)();
  }
  [[gnu::always_inline]] void operator()() noexcept {
    auto permit = breaker_.try_acquire(now_);
    if (permit) [[likely]]
      (*std::move(permit)).success(now_);
  }
  [[gnu::always_inline]] void operator()(totals_cell& cell) noexcept {
    auto permit = breaker_.try_acquire(now_, cell);
    if (permit) [[likely]]
      (*std::move(permit)).success(now_);
  }

 protected:
  circuit_breaker breaker_;
  instant now_ = bench_start;
};

/// The same as users write it: with the breaker's own clock, which it reads where something depends on it.
class healthy_clocked_case {
 public:
  healthy_clocked_case(window_config window, clock_source clock)
      : breaker_{with(window), {.name = "bench", .clock = clock}} {
    for (int i = 0; i < 1000; ++i) (*this)();
  }
  [[gnu::always_inline]] void operator()() noexcept {
    auto permit = breaker_.try_acquire();
    if (permit) [[likely]]
      (*std::move(permit)).success();
  }

 private:
  circuit_breaker breaker_;
};

/// Every tenth call fails; the breaker stays closed.
class one_in_ten_fails_case {
 public:
  explicit one_in_ten_fails_case(window_config window) : breaker_{with(window), bench_options()} {}
  [[gnu::always_inline]] void operator()() noexcept {
    auto permit = breaker_.try_acquire(bench_start);
    invariant(permit.has_value(), "a breaker with 10 % failures stays closed");
    if (++calls_ != 10) return (*std::move(permit)).success(bench_start);
    calls_ = 0;
    (*std::move(permit)).failure(bench_start);
  }

 private:
  circuit_breaker breaker_;
  std::uint32_t calls_ = 0;
};

/// Refused while open.
class rejected_case {
 public:
  rejected_case() : breaker_{with(consecutive{1}), bench_options()} {
    auto permit = breaker_.try_acquire(bench_start);
    (*std::move(permit)).failure(bench_start);
    invariant(breaker_.state() == breaker_state::open, "one failure opens this breaker");
  }
  [[gnu::always_inline]] void operator()() noexcept {
    auto permit = breaker_.try_acquire(bench_start);
    if (permit) [[unlikely]]
      invariant(false, "an open breaker admits nobody");
    // What a caller does with a refusal: looks when to come back.
    asm volatile("" : : "r"(permit.error().retry_after.count()) : "memory");
  }

 private:
  circuit_breaker breaker_;
};

}  // namespace halfopen::bench
