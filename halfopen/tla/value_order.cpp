#include <algorithm>
#include <compare>

#include <halfopen/tla/values.hpp>

namespace halfopen::tla {

namespace {

int sign(std::strong_ordering o) noexcept { return o < 0 ? -1 : o > 0 ? 1 : 0; }

char const* sort_of(value v) {
  switch (v.what()) {
    case value::tag::integer: return "the integer ";
    case value::tag::boolean: return "the boolean ";
    case value::tag::string: return "the string ";
    case value::tag::model: return "the model value ";
    case value::tag::thunk:
    case value::tag::none: return "no value";
    case value::tag::node: break;
  }
  return is_set(v) ? "the set " : is_tuple(v) ? "the tuple " : "the function ";
}

}  // namespace

std::string values::described(value v) const {
  return v.is_set_yet() ? sort_of(v) + text(v) : std::string{sort_of(v)};
}

bool values::equal_scalars(value a, value b) const {
  // Two model values of different types are as strange to each other as a number and a string.
  if (a.is_model() && a.model_type() != b.model_type() && a.model_type() != 0 && b.model_type() != 0) {
    throw value_error{"cannot compare " + described(a) + " with " + described(b)};
  }
  return false;
}

/// Model values come first, then whatever is comparable; sets and functions by size, then element by element.
int values::compare(value a, value b) {
  if (a == b) return 0;
  if (a.is_integer() && b.is_integer()) return a.integer() < b.integer() ? -1 : 1;
  auto const lexicographic = [this](std::span<value const> x, std::span<value const> y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == y[i]) continue;
      if (int const c = compare(x[i], y[i]); c != 0) return c;
    }
    return 0;
  };
  if (!a.is_node() && !b.is_node() && a.what() == b.what()) {
    if (a.is_model()) (void)equal_scalars(a, b);
    if (a.is_string()) return sign(pool_->order(a, b));
    return sign(a.id() <=> b.id());
  }
  if (a.is_model() && a.model_type() == 0) return -1;
  if (b.is_model() && b.model_type() == 0) return 1;
  if (is_function(a) && is_function(b)) {
    auto const x = results(a), y = results(b);
    if (x.size() != y.size()) return sign(x.size() <=> y.size());
    if (is_tuple(a) != is_tuple(b)) return is_tuple(a) ? -1 : 1;
    if (!is_tuple(a)) {
      if (int const c = compare(items(a)[0], items(b)[0]); c != 0) return c;
    }
    return lexicographic(x, y);
  }
  if (is_set(a) && is_set(b)) {
    a = normal(a), b = normal(b);
    if (a == b) return 0;
    if (!is_explicit_set(a) || !is_explicit_set(b)) {
      if (is_explicit_set(a) || is_explicit_set(b)) return is_explicit_set(a) ? -1 : 1;
      if (a.as_node()->kind != b.as_node()->kind)
        throw value_error{"cannot compare the infinite sets " + text(a) + " and " + text(b)};
    }
    auto const x = items(a), y = items(b);
    if (x.size() != y.size()) return sign(x.size() <=> y.size());
    return lexicographic(x, y);
  }
  throw value_error{"cannot compare " + described(a) + " with " + described(b)};
}

}  // namespace halfopen::tla
