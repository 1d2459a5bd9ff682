#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <halfopen/tla/machine.hpp>
#include <halfopen/tla/primitive.hpp>

/// Operators of the standard modules that look at all of their arguments, and only at those.
namespace halfopen::tla {

using arguments = std::span<value>;  // may be changed by whoever looks at them
using builtin = value (*)(machine&, expr const&, arguments);

/// What runs a primitive; null if it is not of this sort, or is not supported.
[[nodiscard]] builtin builtin_for(primitive p);

// By subject: null for what belongs to another.
[[nodiscard]] builtin number_builtin(primitive p);    // Naturals, Integers, Bitwise
[[nodiscard]] builtin set_builtin(primitive p);       // sets, functions, FiniteSets
[[nodiscard]] builtin sequence_builtin(primitive p);  // Sequences
[[nodiscard]] builtin tlc_builtin(primitive p);       // TLC, TLCExt
[[nodiscard]] builtin random_builtin(primitive p);    // RandomElement, Randomization
[[nodiscard]] builtin file_builtin(primitive p);      // IOUtils, CSV
[[nodiscard]] builtin json_builtin(primitive p);      // Json

/// Whether it looks at or changes something that no expression names: never computed ahead of its turn.
[[nodiscard]] bool has_effects(primitive p);
/// Whether it draws: again on each use, but once where it stands in the definition of a constant.
[[nodiscard]] bool is_random(primitive p);
/// What to do about a primitive that is known by name and cannot be evaluated.
[[nodiscard]] std::string unsupported_reason(primitive p, std::string const& name);

inline std::int32_t integer(machine& m, expr const& at, value v, char const* op) {
  if (!v.is_integer()) [[unlikely]]
    fail(m, at, std::string{op} + " wants integers, not " + m.v.described(v));
  return v.integer();
}
inline std::int32_t natural(machine& m, expr const& at, value v, char const* op) {
  auto const n = integer(m, at, v, op);
  if (n < 0) fail(m, at, std::string{op} + " of the negative number " + m.v.text(v));
  return n;
}
inline std::string_view text_of(machine& m, expr const& at, value v, char const* op) {
  if (!v.is_string()) fail(m, at, std::string{op} + " wants a string, not " + m.v.described(v));
  return m.v.name(v);
}
inline std::span<value const> sequence(machine& m, expr const& at, value v, char const* op) {
  if (!is_tuple(v)) fail(m, at, std::string{op} + " wants a sequence, not " + m.v.described(v));
  return items(v);
}

}  // namespace halfopen::tla
