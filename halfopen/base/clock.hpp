#pragma once

#include <atomic>

#include <halfopen/base/time.hpp>

namespace halfopen {

/// Where an overload without an instant reads the time: two words, copied freely.
///
/// Outlives nothing: what `self` points to must live as long as every copy.
struct clock_source {
  using read_function = instant (*)(void const* self) noexcept;

  read_function read;
  void const* self = nullptr;

  [[nodiscard]] instant now() const noexcept { return read(self); }
};

/// The system's steady clock. Cost: some 20 ns a reading.
[[nodiscard]] clock_source steady_clock() noexcept;

/// The system's coarse steady clock: cheaper, up to one scheduler tick (1..10 ms) behind.
[[nodiscard]] clock_source coarse_clock() noexcept;

/// A clock that somebody else moves: a test, a simulation, or an event loop once a turn.
///
/// Threads: any. Cost of a reading: one load.
class manual_clock {
 public:
  constexpr explicit manual_clock(instant start = instant{}) noexcept : ns_{start.since_start().count()} {}

  [[nodiscard]] instant now() const noexcept {
    return instant{duration{ns_.load(std::memory_order_acquire)}};
  }
  void set(instant now) noexcept { ns_.store(now.since_start().count(), std::memory_order_release); }
  void advance(duration by) noexcept { set(now() + by); }

  [[nodiscard]] clock_source source() const noexcept {
    return {[](void const* self) noexcept { return static_cast<manual_clock const*>(self)->now(); }, this};
  }

 private:
  std::atomic<std::int64_t> ns_;
};

}  // namespace halfopen
