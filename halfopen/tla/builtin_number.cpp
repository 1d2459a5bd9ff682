#include <halfopen/tla/builtin.hpp>

namespace halfopen::tla {

namespace {

value fits(machine& m, expr const& at, std::int64_t n, char const* op, arguments a) {
  if (n > INT32_MAX || n < INT32_MIN) [[unlikely]]
    fail(m, at,
         "overflow: " + m.v.text(a[0]) + " " + op + " " + m.v.text(a[1]) + " does not fit into 32 bits");
  return value::of(static_cast<std::int32_t>(n));
}

value plus(machine& m, expr const& at, arguments a) {
  return fits(m, at, std::int64_t{integer(m, at, a[0], "+")} + integer(m, at, a[1], "+"), "+", a);
}

value minus(machine& m, expr const& at, arguments a) {
  return fits(m, at, std::int64_t{integer(m, at, a[0], "-")} - integer(m, at, a[1], "-"), "-", a);
}

value times(machine& m, expr const& at, arguments a) {
  return fits(m, at, std::int64_t{integer(m, at, a[0], "*")} * integer(m, at, a[1], "*"), "*", a);
}

value negative(machine& m, expr const& at, arguments a) {
  auto const n = -std::int64_t{integer(m, at, a[0], "-")};
  if (n > INT32_MAX) fail(m, at, "overflow: -" + m.v.text(a[0]) + " does not fit into 32 bits");
  return value::of(static_cast<std::int32_t>(n));
}

value power(machine& m, expr const& at, arguments a) {
  std::int64_t const base = integer(m, at, a[0], "^"), exponent = integer(m, at, a[1], "^");
  if (exponent < 0) fail(m, at, "^ with the negative exponent " + m.v.text(a[1]));
  if (base == 0 && exponent == 0) fail(m, at, "0 ^ 0 has no value");
  std::int64_t n = 1;
  if (base == 1 || base == -1) return value::of(static_cast<std::int32_t>(exponent % 2 == 0 ? 1 : base));
  for (std::int64_t i = 0; i < exponent && base != 0; ++i) n = fits(m, at, n * base, "^", a).integer();
  return value::of(static_cast<std::int32_t>(base == 0 && exponent > 0 ? 0 : n));
}

/// The quotient is rounded down, so that the remainder has the divisor's sign.
value quotient(machine& m, expr const& at, arguments a) {
  std::int64_t const x = integer(m, at, a[0], "\\div"), y = integer(m, at, a[1], "\\div");
  if (y == 0) fail(m, at, "division by zero: " + m.v.text(a[0]) + " \\div 0");
  auto const q = x / y;
  return fits(m, at, x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q, "\\div", a);
}

value remainder(machine& m, expr const& at, arguments a) {
  std::int64_t const x = integer(m, at, a[0], "%"), y = integer(m, at, a[1], "%");
  if (y <= 0) fail(m, at, "the divisor of % must be positive, and is " + m.v.text(a[1]));
  auto const r = x % y;
  return value::of(static_cast<std::int32_t>(r < 0 ? r + y : r));
}

value less(machine& m, expr const& at, arguments a) {
  return value::of(integer(m, at, a[0], "<") < integer(m, at, a[1], "<"));
}

value less_equal(machine& m, expr const& at, arguments a) {
  return value::of(integer(m, at, a[0], "<=") <= integer(m, at, a[1], "<="));
}

value greater(machine& m, expr const& at, arguments a) {
  return value::of(integer(m, at, a[0], ">") > integer(m, at, a[1], ">"));
}

value greater_equal(machine& m, expr const& at, arguments a) {
  return value::of(integer(m, at, a[0], ">=") >= integer(m, at, a[1], ">="));
}

value interval(machine& m, expr const& at, arguments a) {
  return m.v.interval(integer(m, at, a[0], ".."), integer(m, at, a[1], ".."));
}

value bit_and(machine& m, expr const& at, arguments a) {
  return value::of(natural(m, at, a[0], "&") & natural(m, at, a[1], "&"));
}

value bit_or(machine& m, expr const& at, arguments a) {
  return value::of(natural(m, at, a[0], "|") | natural(m, at, a[1], "|"));
}

value bit_xor(machine& m, expr const& at, arguments a) {
  return value::of(natural(m, at, a[0], "^^") ^ natural(m, at, a[1], "^^"));
}

value bit_not(machine& m, expr const& at, arguments a) { return value::of(~natural(m, at, a[0], "Not")); }

value shift_right(machine& m, expr const& at, arguments a) {
  auto const by = natural(m, at, a[1], "shiftR");
  return value::of(by > 31 ? 0 : natural(m, at, a[0], "shiftR") >> by);
}

}  // namespace

builtin number_builtin(primitive p) {
  switch (p) {
    case primitive::plus: return plus;
    case primitive::minus: return minus;
    case primitive::times: return times;
    case primitive::power: return power;
    case primitive::quotient: return quotient;
    case primitive::remainder: return remainder;
    case primitive::less: return less;
    case primitive::less_equal: return less_equal;
    case primitive::greater: return greater;
    case primitive::greater_equal: return greater_equal;
    case primitive::interval: return interval;
    case primitive::negative: return negative;
    case primitive::bit_and: return bit_and;
    case primitive::bit_or: return bit_or;
    case primitive::bit_xor: return bit_xor;
    case primitive::bit_not: return bit_not;
    case primitive::shift_right: return shift_right;
    default: return nullptr;
  }
}

}  // namespace halfopen::tla
