#pragma once

#include <cstdint>

#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_event.hpp>

namespace halfopen {

/// The state as the control word spells it: two states have a second spelling, so that one load answers.
enum class word_code : std::uint8_t {
  closed_quiet = 0,    // closed, and a success would change nothing: nobody needs to record it
  closed = 1,          // closed
  disabled = 2,        // admits all, records nothing
  metrics_only = 3,    // admits all
  open = 4,            // refuses until the deadline
  half_open = 5,       // ask the machine
  half_open_full = 6,  // every probe is out: refuses until the deadline
  forced_open = 7,     // refuses
};

/// State, epoch and deadline in one 64-bit value: epoch 32 | deadline 29 | code 3.
///
/// The deadline is the low 29 bits of the exact instant in units of 2^20 ns. The exact instant stands beside
/// the word; it counts only where these bits agree (or else the machine is asked, under its lock), so the
/// word alone decides which deadline belongs to which state.
class breaker_word {
 public:
  constexpr explicit breaker_word(std::uint64_t bits) noexcept : bits_{bits} {}
  constexpr breaker_word(word_code code, std::uint32_t epoch, instant deadline) noexcept
      : bits_{(std::uint64_t{epoch} << 32) | tag(code, deadline) << 3 | static_cast<std::uint64_t>(code)} {}

  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr std::uint32_t epoch() const noexcept {
    return static_cast<std::uint32_t>(bits_ >> 32);
  }
  [[nodiscard]] constexpr word_code code() const noexcept { return static_cast<word_code>(bits_ & 7); }
  [[nodiscard]] constexpr breaker_state state() const noexcept;

  /// Everyone is admitted and no time plays a part: closed without a ramp, disabled, metrics_only.
  [[nodiscard]] constexpr bool admits_all() const noexcept { return static_cast<std::uint32_t>(bits_) < 4; }

  [[nodiscard]] constexpr bool is_closed() const noexcept { return (bits_ & 7) < 2; }

  /// Epoch 32 | 0, where a success of a call of that epoch changes nothing: closed and quiet, or disabled.
  /// Else the low half is not 0, and in no case is its second bit set.
  [[nodiscard]] constexpr std::uint64_t silent_key() const noexcept { return bits_ & ~std::uint64_t{2}; }

  /// The same, spelt as closed, or as closed and quiet: which only a closed state without a ramp can be.
  [[nodiscard]] constexpr breaker_word closed(bool quiet) const noexcept {
    bool const ramps = (bits_ >> 3 & deadline_mask) != 0;
    return breaker_word{
        (bits_ & ~std::uint64_t{7}) |
        static_cast<std::uint64_t>(quiet && !ramps ? word_code::closed_quiet : word_code::closed)};
  }

  /// Whether this exact deadline is the one that was published with the word.
  [[nodiscard]] constexpr bool has(instant deadline) const noexcept {
    return ((bits_ >> 3) & deadline_mask) == tag(code(), deadline);
  }

  friend constexpr bool operator==(breaker_word, breaker_word) noexcept = default;

 private:
  static constexpr std::uint64_t deadline_mask = (1U << 29) - 1;

  // In states that admit all, 0 says that no time plays a part; a ramp's end is then never spelt 0.
  static constexpr std::uint64_t tag(word_code code, instant deadline) noexcept {
    auto const units = static_cast<std::uint64_t>(deadline.since_start().count()) >> 20 & deadline_mask;
    if (code >= word_code::open) return units;
    if (deadline.is_never()) return 0;
    return units == 0 ? 1 : units;
  }

  std::uint64_t bits_;
};

constexpr breaker_state breaker_word::state() const noexcept {
  switch (code()) {
    case word_code::closed_quiet:
    case word_code::closed: return breaker_state::closed;
    case word_code::disabled: return breaker_state::disabled;
    case word_code::metrics_only: return breaker_state::metrics_only;
    case word_code::open: return breaker_state::open;
    case word_code::half_open:
    case word_code::half_open_full: return breaker_state::half_open;
    case word_code::forced_open: return breaker_state::forced_open;
  }
  return breaker_state::closed;
}

}  // namespace halfopen
