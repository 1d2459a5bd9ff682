#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <halfopen/base/time.hpp>
#include <halfopen/net/list_link.hpp>

namespace halfopen::net {

class timer_wheel;

/// Something to do at an instant. Belongs to its owner; destroying it disarms it.
class timer : private list_link {
 public:
  /// Called once for each time it was armed; may arm, disarm or destroy any timer, this one included.
  using callback = void (*)(timer&, instant now);

  explicit timer(callback fired) noexcept : fired_{fired} {}
  ~timer() { cancel(); }

  [[nodiscard]] bool armed() const noexcept { return wheel_ != nullptr; }
  [[nodiscard]] instant due() const noexcept { return due_; }  // of the last time it was armed
  void cancel() noexcept;

 private:
  friend class timer_wheel;
  static constexpr std::uint16_t firing = 0xFFFF;

  timer_wheel* wheel_ = nullptr;
  callback fired_;
  std::uint64_t tick_ = 0;
  instant due_;
  std::uint16_t slot_ = 0;
};

/// Timers in six rings of 64 slots, each ring 64 times coarser than the one inside it (Varghese and Lauck
/// 1987).
///
/// A timer never fires early, and at most one tick after advance() has been told of its instant.
/// Threads: one.
/// Cost:    arm and cancel O(1); next_wake O(rings); each timer moves inward at most five times.
class timer_wheel {
 public:
  static constexpr duration tick = std::chrono::milliseconds{1};

  explicit timer_wheel(instant now) noexcept;
  timer_wheel(timer_wheel const&) = delete;
  timer_wheel& operator=(timer_wheel const&) = delete;
  ~timer_wheel();

  /// Arms, or moves, a timer. instant::max() disarms it. What is due already fires at the next advance().
  void arm(timer& t, instant due) noexcept;

  /// Fires what is due at `now`. What a callback arms fires at a later call.
  std::size_t advance(instant now);

  /// When to call advance() next: never after the earliest due timer, sometimes before it.
  [[nodiscard]] instant next_wake() const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  friend class timer;
  static constexpr unsigned rings = 6;
  static constexpr unsigned bits = 6;
  static constexpr std::uint64_t mask = (1U << bits) - 1;

  void place(timer& t) noexcept;
  void remove(timer& t) noexcept;
  void cascade(unsigned ring) noexcept;
  std::size_t fire(instant now);
  [[nodiscard]] std::uint64_t next_tick() const noexcept;

  std::uint64_t current_;  // ticks up to this one have fired
  std::size_t size_ = 0;
  std::array<std::uint64_t, rings> occupied_{};
  std::array<std::array<list_link, 1U << bits>, rings> slots_;
};

}  // namespace halfopen::net
