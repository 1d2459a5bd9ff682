#include <algorithm>

#include <halfopen/tla/values.hpp>

namespace halfopen::tla {

value values::tuple(std::span<value> items) {
  for (auto& v : items) v = normal(v);
  return pool_->make(arena_, node_kind::tuple, items);
}

value values::sorted_set(std::span<value const> elements) {
  return pool_->make(arena_, node_kind::set, elements);
}

value values::set(std::span<value> elements) {
  bool integers = true;
  for (auto& v : elements) v = normal(v), integers = integers && v.is_integer();
  if (integers) {
    std::ranges::sort(elements, {}, &value::integer);
  } else {
    auto const less = [this](value a, value b) { return compare(a, b) < 0; };
    if (!std::ranges::is_sorted(elements, less)) std::ranges::sort(elements, less);
  }
  auto const rest = std::ranges::unique(elements);
  return sorted_set(elements.first(elements.size() - rest.size()));
}

value values::function(value domain, std::span<value> results) {
  auto const* d = domain.as_node();
  if (d->size == 0) return tuple({});
  if (d->consecutive && d->items().front() == value::of(1)) return tuple(results);
  for (auto& v : results) v = normal(v);  // before the buffer is in use
  buffer_.assign(1, domain);
  buffer_.insert(buffer_.end(), results.begin(), results.end());
  return pool_->make(arena_, node_kind::function, buffer_);
}

value values::record(std::span<std::pair<value, value>> fields) {
  std::ranges::sort(fields,
                    [this](auto const& a, auto const& b) { return pool_->order(a.first, b.first) < 0; });
  std::vector<value> names, results;
  for (auto const& [name, result] : fields) names.push_back(name), results.push_back(result);
  return function(sorted_set(names), results);
}

value values::record_set(std::span<std::pair<value, value>> fields) {
  std::ranges::sort(fields,
                    [this](auto const& a, auto const& b) { return pool_->order(a.first, b.first) < 0; });
  std::vector<value> names, all{value{}};
  for (auto const& [name, set] : fields) names.push_back(name), all.push_back(set);
  all[0] = sorted_set(names);
  return lazy(node_kind::record_set, all);
}

value values::interval(std::int32_t first, std::int32_t last) {
  if (first > last) return empty_set();
  value const ends[] = {value::of(first), value::of(last)};
  return lazy(node_kind::interval, ends);
}

value values::domain(value f) {
  if (is_tuple(f)) return interval(1, static_cast<std::int32_t>(f.as_node()->size));
  if (is_function(f)) return items(f)[0];
  throw value_error{"DOMAIN of " + described(f) + ", which is not a function"};
}

std::span<value const> values::results(value f) const {
  auto const all = items(f);
  return is_tuple(f) ? all : all.subspan(1);
}

std::int64_t values::position(value f, value x) {
  auto const* n = f.as_node();
  if (n->kind == node_kind::tuple) {
    if (!x.is_integer() || x.integer() < 1 || static_cast<std::uint32_t>(x.integer()) > n->size) return -1;
    return x.integer() - 1;
  }
  auto const* d = n->items()[0].as_node();
  auto const keys = d->items();
  if (d->consecutive) {
    if (!x.is_integer()) return -1;
    auto const i = std::int64_t{x.integer()} - keys.front().integer();
    return i >= 0 && i < static_cast<std::int64_t>(keys.size()) ? i : -1;
  }
  x = normal(x);
  // By the word alone: keys are in normal form. A search in order pays only for wide domains of one scalar
  // kind.
  if (keys.size() > 16 && !x.is_node() && keys.front().what() == x.what() && keys.back().what() == x.what()) {
    auto const at = std::ranges::lower_bound(keys, x, [this](value a, value b) { return compare(a, b) < 0; });
    return at != keys.end() && *at == x ? at - keys.begin() : -1;
  }
  auto const at = std::ranges::find(keys, x);
  return at == keys.end() ? -1 : at - keys.begin();
}

value values::apply(value f, value x) {
  if (!is_function(f))
    throw value_error{described(f) + " is applied to " + text(x) + ", but is not a function"};
  auto const i = position(f, x);
  if (i < 0) {
    if (x.is_string()) throw value_error{"the field " + text(x) + " is not in " + text(f)};
    throw value_error{"the argument " + text(x) + " is outside the domain " + text(domain(f)) + " of " +
                      text(f)};
  }
  return results(f)[static_cast<std::size_t>(i)];
}

value values::with_result(value f, std::size_t position, value result) {
  auto const all = items(f);
  auto const i = position + (is_tuple(f) ? 0 : 1);
  result = normal(result);
  if (all[i] == result) return f;
  buffer_.assign(all.begin(), all.end());
  buffer_[i] = result;
  return pool_->make(arena_, f.as_node()->kind, buffer_);
}

}  // namespace halfopen::tla
