#pragma once

#include <cstdint>

#include <halfopen/policy/breaker_event.hpp>

namespace halfopen {

/// The last `size` settled calls: a ring of two bits a call, and their sums.
///
/// Words: head, filled, failures, slow | a bit a call: failed | a bit a call: slow.
class call_window_view {
 public:
  constexpr call_window_view(std::uint32_t size, std::uint32_t* words) noexcept
      : size_{size}, words_{words} {}

  static constexpr std::uint32_t words_needed(std::uint32_t size) noexcept {
    return header + 2 * bit_words(size);
  }

  [[gnu::always_inline]] constexpr void record(bool failed, bool slow) noexcept {
    std::uint32_t const at = words_[head];
    if (words_[filled] == size_)
      forget(at);
    else
      ++words_[filled];
    put(failed_bits(), at, failed);
    put(slow_bits(), at, slow);
    words_[failures] += failed ? 1 : 0;
    words_[slow_calls] += slow ? 1 : 0;
    words_[head] = at + 1 == size_ ? 0 : at + 1;
  }

  [[nodiscard]] constexpr window_counts counts() const noexcept {
    return {words_[filled], words_[failures], words_[slow_calls]};
  }

  /// Full of fast successes: one more pushes out its like.
  [[nodiscard]] constexpr bool is_quiet() const noexcept {
    return words_[filled] == size_ && words_[failures] == 0 && words_[slow_calls] == 0;
  }

  /// Whether the i-th oldest call failed.
  [[nodiscard]] constexpr bool failed(std::uint32_t i) const noexcept {
    std::uint64_t const first = words_[filled] == size_ ? words_[head] : 0;
    return get(failed_bits(), static_cast<std::uint32_t>((first + i) % size_));
  }

 private:
  enum : std::uint32_t { head, filled, failures, slow_calls, header };

  static constexpr std::uint32_t bit_words(std::uint32_t size) noexcept { return (size + 31) / 32; }
  [[nodiscard]] constexpr std::uint32_t* failed_bits() const noexcept { return words_ + header; }
  [[nodiscard]] constexpr std::uint32_t* slow_bits() const noexcept {
    return words_ + header + bit_words(size_);
  }

  static constexpr bool get(std::uint32_t const* bits, std::uint32_t i) noexcept {
    return (bits[i / 32] >> (i % 32) & 1) != 0;
  }
  static constexpr void put(std::uint32_t* bits, std::uint32_t i, bool on) noexcept {
    std::uint32_t const mask = 1U << (i % 32);
    bits[i / 32] = on ? bits[i / 32] | mask : bits[i / 32] & ~mask;
  }
  constexpr void forget(std::uint32_t at) noexcept {
    words_[failures] -= get(failed_bits(), at) ? 1 : 0;
    words_[slow_calls] -= get(slow_bits(), at) ? 1 : 0;
  }

  std::uint32_t size_;
  std::uint32_t* words_;
};

}  // namespace halfopen
