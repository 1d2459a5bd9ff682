#include <vector>

#include <halfopen/tla/builtin.hpp>

namespace halfopen::tla {

namespace {

constexpr std::size_t draws_max = std::size_t{1} << 20;

/// The elements, which are built: a random choice among more than that has no use here.
std::span<value const> elements(machine& m, expr const& at, value set, char const* op) {
  if (!is_set(set)) fail(m, at, std::string{op} + " wants a set, not " + m.v.described(set));
  m.at = &at;
  return items(m.v.explicit_set(set));
}

value random_element(machine& m, expr const& at, arguments a) {
  if (is_set(a[0]) && is_kind(a[0], node_kind::power_set)) {  // without building SUBSET S
    std::vector<value> kept;
    for (auto v : elements(m, at, items(a[0])[0], "RandomElement")) {
      if ((m.chance() & 1U) != 0) kept.push_back(v);
    }
    return m.v.sorted_set(kept);
  }
  auto const all = elements(m, at, a[0], "RandomElement");
  if (all.empty()) fail(m, at, "RandomElement of the empty set");
  return all[below(m.chance(), all.size())];
}

/// RandomSubset(k, S): k elements of S.
value random_subset(machine& m, expr const& at, arguments a) {
  auto const wanted = static_cast<std::size_t>(natural(m, at, a[0], "RandomSubset"));
  auto const all = elements(m, at, a[1], "RandomSubset");
  if (wanted > all.size()) {
    fail(m, at,
         "RandomSubset wants " + std::to_string(wanted) + " elements of a set that has " +
             std::to_string(all.size()));
  }
  std::vector<value> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {  // each subset of that size is as likely as any other
    if (below(m.chance(), all.size() - i) < wanted - kept.size()) kept.push_back(all[i]);
  }
  return m.v.sorted_set(kept);
}

/// RandomSetOfSubsets(k, n, S): up to k subsets, of n elements on average.
value random_set_of_subsets(machine& m, expr const& at, arguments a) {
  auto const wanted = static_cast<std::size_t>(natural(m, at, a[0], "RandomSetOfSubsets"));
  auto const size = static_cast<std::uint64_t>(natural(m, at, a[1], "RandomSetOfSubsets"));
  auto const all = elements(m, at, a[2], "RandomSetOfSubsets");
  if (size > all.size()) fail(m, at, "RandomSetOfSubsets wants more elements than the set has");
  if (wanted * (all.size() + 1) > draws_max) fail(m, at, "RandomSetOfSubsets of too many elements");
  std::vector<value> made;
  for (std::size_t i = 0; i < wanted; ++i) {
    std::vector<value> kept;
    for (auto v : all) {
      if (below(m.chance(), all.size()) < size) kept.push_back(v);
    }
    made.push_back(m.v.sorted_set(kept));
  }
  return m.v.set(made);
}

}  // namespace

builtin random_builtin(primitive p) {
  switch (p) {
    case primitive::random_element: return random_element;
    case primitive::random_subset: return random_subset;
    case primitive::random_set_of_subsets: return random_set_of_subsets;
    default: return nullptr;
  }
}

bool is_random(primitive p) { return random_builtin(p) != nullptr; }

}  // namespace halfopen::tla
