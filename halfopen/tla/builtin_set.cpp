#include <algorithm>
#include <vector>

#include <halfopen/tla/builtin.hpp>

namespace halfopen::tla {

namespace {

value power_set(machine& m, expr const& at, arguments a) {
  if (!is_set(a[0])) fail(m, at, "SUBSET wants a set, not " + m.v.described(a[0]));
  return m.v.lazy(node_kind::power_set, a);
}

value subset_or_equal(machine& m, expr const&, arguments a) { return value::of(m.v.subset(a[0], a[1])); }
value cup(machine& m, expr const&, arguments a) { return m.v.cup(a[0], a[1]); }
value cap(machine& m, expr const&, arguments a) { return m.v.cap(a[0], a[1]); }
value set_minus(machine& m, expr const&, arguments a) { return m.v.minus(a[0], a[1]); }
value big_union(machine& m, expr const&, arguments a) { return m.v.big_union(a[0]); }
value domain(machine& m, expr const&, arguments a) { return m.v.domain(a[0]); }
value is_finite_set(machine& m, expr const&, arguments a) { return value::of(m.v.is_finite(a[0])); }

value cardinality(machine& m, expr const& at, arguments a) {
  auto const n = m.v.cardinality(a[0]);
  if (n > INT32_MAX) fail(m, at, "the cardinality of " + m.v.text(a[0]) + " does not fit into 32 bits");
  return value::of(static_cast<std::int32_t>(n));
}

value map_to(machine& m, expr const&, arguments a) {
  std::vector<value> key{a[0]};
  return m.v.function(m.v.set(key), a.subspan(1, 1));
}

/// f @@ g: where both have a value, f's.
value merge(machine& m, expr const& at, arguments a) {
  for (auto v : a) {
    if (!is_function(v)) fail(m, at, "@@ wants functions, not " + m.v.described(v));
  }
  auto const domain = m.v.cup(m.v.domain(a[0]), m.v.domain(a[1]));
  std::vector<value> results;
  for (auto key : items(domain)) results.push_back(m.v.apply(m.v.in_domain(a[0], key) ? a[0] : a[1], key));
  return m.v.function(domain, results);
}

value permutations(machine& m, expr const& at, arguments a) {
  (void)at;
  auto const domain = m.v.explicit_set(a[0]);
  std::vector<std::size_t> order(items(domain).size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (order.size() > 10) throw value_error{"Permutations of more than 10 elements"};
  std::vector<value> all;
  do {
    std::vector<value> results;
    for (auto i : order) results.push_back(items(domain)[i]);
    all.push_back(m.v.function(domain, results));
  } while (std::ranges::next_permutation(order).found);
  return m.v.set(all);
}

}  // namespace

builtin set_builtin(primitive p) {
  switch (p) {
    case primitive::power_set: return power_set;
    case primitive::subset_or_equal: return subset_or_equal;
    case primitive::cup: return cup;
    case primitive::cap: return cap;
    case primitive::set_minus: return set_minus;
    case primitive::big_union: return big_union;
    case primitive::domain: return domain;
    case primitive::is_finite_set: return is_finite_set;
    case primitive::cardinality: return cardinality;
    case primitive::map_to: return map_to;
    case primitive::merge: return merge;
    case primitive::permutations: return permutations;
    default: return nullptr;
  }
}

}  // namespace halfopen::tla
