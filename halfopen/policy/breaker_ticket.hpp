#pragma once

#include <cstdint>

#include <halfopen/policy/breaker_answer.hpp>
#include <halfopen/policy/breaker_config.hpp>
#include <halfopen/policy/breaker_word.hpp>

namespace halfopen {

/// Which call is settled, and how, in one register: epoch 32 | outcome 8 | kind 8.
///
/// Kind: 0 an ordinary call | lease slot 6, 1, 0 a probe | 0xFF spent. All but the first have the second bit
/// set, which no control word has that makes a success silent: so one comparison says that a success changes
/// nothing.
class breaker_ticket {
 public:
  constexpr breaker_ticket(std::uint32_t epoch, std::uint8_t slot) noexcept
      : bits_{std::uint64_t{epoch} << 32 |
              (slot == breaker_grant::ordinary ? 0U : std::uint32_t{slot} << 2U | 2U)} {}

  /// An ordinary call's, where this word has admitted it.
  constexpr explicit breaker_ticket(breaker_word word) noexcept : bits_{word.bits() >> 32 << 32} {}

  [[nodiscard]] constexpr breaker_ticket with(outcome how) const noexcept {
    breaker_ticket t = *this;
    t.bits_ |= static_cast<std::uint64_t>(how) << 8;
    return t;
  }
  constexpr void spend() noexcept { bits_ |= spent; }

  [[nodiscard]] constexpr std::uint32_t epoch() const noexcept {
    return static_cast<std::uint32_t>(bits_ >> 32);
  }
  [[nodiscard]] constexpr outcome how() const noexcept { return static_cast<outcome>(bits_ >> 8 & 0xFF); }
  [[nodiscard]] constexpr std::uint8_t slot() const noexcept {
    return is_probe() ? kind() >> 2 : breaker_grant::ordinary;
  }
  [[nodiscard]] constexpr bool is_probe() const noexcept { return kind() != 0 && kind() != spent; }
  [[nodiscard]] constexpr bool is_spent() const noexcept { return kind() == spent; }

  /// An unspent ordinary call's success changes nothing where this is the word.
  [[nodiscard]] constexpr bool is_silent_in(breaker_word word) const noexcept {
    return word.silent_key() == bits_;
  }

 private:
  static constexpr std::uint8_t spent = 0xFF;
  static_assert(probes_limit <= 64, "a slot has six bits");

  [[nodiscard]] constexpr std::uint8_t kind() const noexcept { return static_cast<std::uint8_t>(bits_); }

  std::uint64_t bits_;
};

}  // namespace halfopen
