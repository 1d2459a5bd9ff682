#include <array>
#include <functional>

#include <halfopen/tla/builtin.hpp>
#include <halfopen/tla/compiler.hpp>

/// Operators of two integers, which states are full of: computed where they stand, without a call. What is
/// not two integers, or does not fit, goes to the builtin, which says so.
namespace halfopen::tla {

namespace {

struct add {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const noexcept { return a + b; }
};
struct subtract {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const noexcept { return a - b; }
};

/// The result of F on two integers, if it is a value: a truth, or a number of 32 bits.
template <class F>
value computed(std::int32_t a, std::int32_t b) noexcept {
  auto const r = F{}(std::int64_t{a}, std::int64_t{b});
  if constexpr (std::is_same_v<decltype(r), bool const>)
    return value::of(r);
  else
    return r == static_cast<std::int32_t>(r) ? value::of(static_cast<std::int32_t>(r)) : value{};
}

value refused(machine& m, expr const& at, builtin f, value a, value b) {
  std::array<value, 2> both{a, b};
  m.at = &at;
  return f(m, at, both);
}

}  // namespace

template <class F>
piece compiler::of_integers(expr const& e, std::vector<expr const*> const& args, scope const& in, builtin f) {
  auto const x = expression(*args[0], in);
  if (auto const& right = *args[1]; right.kind == expr_kind::number && right.number <= INT32_MAX) {
    return {make([f, x = x.run, n = static_cast<std::int32_t>(right.number), &e](machine& m) {
              auto const a = x->run(m);
              if (a.is_integer()) [[likely]] {
                if (auto const r = computed<F>(a.integer(), n); r.is_set_yet()) return r;
              }
              return refused(m, e, f, a, value::of(n));
            }),
            x.on};
  }
  auto const y = expression(*args[1], in);
  auto on = x.on;
  on.add(y.on);
  return {make([f, x = x.run, y = y.run, &e](machine& m) {
            auto const a = x->run(m), b = y->run(m);
            if (a.is_integer() && b.is_integer()) [[likely]] {
              if (auto const r = computed<F>(a.integer(), b.integer()); r.is_set_yet()) return r;
            }
            return refused(m, e, f, a, b);
          }),
          on};
}

/// Nothing runs it if the primitive is another.
piece compiler::arithmetic(expr const& e, primitive p, std::vector<expr const*> const& args,
                           scope const& in) {
  auto const f = number_builtin(p);
  switch (p) {
    case primitive::plus: return of_integers<add>(e, args, in, f);
    case primitive::minus: return of_integers<subtract>(e, args, in, f);
    case primitive::less: return of_integers<std::less<>>(e, args, in, f);
    case primitive::less_equal: return of_integers<std::less_equal<>>(e, args, in, f);
    case primitive::greater: return of_integers<std::greater<>>(e, args, in, f);
    case primitive::greater_equal: return of_integers<std::greater_equal<>>(e, args, in, f);
    default: return {};
  }
}

}  // namespace halfopen::tla
