#pragma once

#include <cstdint>
#include <string_view>

/// The operator symbols of TLA+, with Lamport's table of precedence ranges (Specifying Systems, tables 5 and
/// 6).
namespace halfopen::tla {

enum class fixity : std::uint8_t { prefix, infix, postfix };

enum class associativity : std::uint8_t { none, left };

/// One way to use a symbol. A range of precedence instead of one number: two operators side by side may stand
/// without brackets only if one range lies wholly above the other.
struct operator_use {
  std::string_view name;  // the plain ASCII spelling; "-." for the prefix minus
  fixity fix = fixity::infix;
  std::uint8_t low = 0;
  std::uint8_t high = 0;
  associativity assoc = associativity::none;
};

/// The canonical name of a spelling: "\leq" -> "<=", "≤" -> "<=". Empty if it is no operator symbol.
[[nodiscard]] std::string_view canonical_operator(std::string_view spelling) noexcept;

/// The longest operator symbol that `text` begins with, as written there. Empty if there is none.
[[nodiscard]] std::string_view operator_prefix(std::string_view text) noexcept;

/// How a canonical name may be used; null where it may not. The prefix minus is found under "-" and "-.".
[[nodiscard]] operator_use const* find_prefix(std::string_view name) noexcept;
[[nodiscard]] operator_use const* find_infix(std::string_view name) noexcept;
[[nodiscard]] operator_use const* find_postfix(std::string_view name) noexcept;

/// Whether a module may define the operator (not those of the language itself).
[[nodiscard]] bool is_user_definable(std::string_view name) noexcept;

/// Unicode characters that stand for punctuation or a keyword's symbol: "≜" -> "==", "⟨" -> "<<". Empty if
/// none.
[[nodiscard]] std::string_view canonical_punctuation(std::string_view character) noexcept;

}  // namespace halfopen::tla
