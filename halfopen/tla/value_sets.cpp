#include <algorithm>
#include <limits>

#include <halfopen/base/saturating.hpp>
#include <halfopen/tla/values.hpp>

namespace halfopen::tla {

namespace {

constexpr std::int64_t elements_max = std::int64_t{1}
                                      << 24;  // of a set that is built; more would not end well

void require_set(values const& v, value s, char const* where) {
  if (!is_set(s)) throw value_error{std::string{where} + " wants a set, not " + v.described(s)};
}

}  // namespace

void values::refuse_member(value v, value set) const {
  throw value_error{"cannot tell whether " + described(v) + " is an element of " + text(set)};
}

bool values::member_of_explicit(value v, value set) {
  auto const* n = set.as_node();
  auto const all = n->items();
  if (all.empty()) return false;
  if (n->consecutive && v.is_integer())
    return v.integer() >= all.front().integer() && v.integer() <= all.back().integer();
  v = normal(v);
  if (all.size() <= 8) {
    if (std::ranges::find(all, v) != all.end()) return true;
    (void)equal(v, all.back());  // not comparable: say so
    return false;
  }
  auto const at = std::ranges::lower_bound(all, v, [this](value a, value b) { return compare(a, b) < 0; });
  return at != all.end() && *at == v;
}

bool values::member_of_function_set(value f, value set) {
  if (f.is_model()) return false;
  if (!is_function(f)) refuse_member(f, set);
  auto const parts = items(set);
  return equal(domain(f), parts[0]) &&
         std::ranges::all_of(results(f), [&](value r) { return member(r, parts[1]); });
}

bool values::member_of_record_set(value f, value set) {
  if (f.is_model()) return false;
  if (!is_function(f)) refuse_member(f, set);
  auto const parts = items(set);
  if (is_tuple(f) || items(f)[0] != parts[0]) return false;
  auto const fields = results(f);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!member(fields[i], parts[i + 1])) return false;
  }
  return true;
}

bool values::member_of_product(value t, value set) {
  if (t.is_model()) return false;
  if (!is_function(t)) refuse_member(t, set);
  auto const sets = items(set);
  if (!is_tuple(t) || items(t).size() != sets.size()) return false;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!member(items(t)[i], sets[i])) return false;
  }
  return true;
}

bool values::member(value v, value set) {
  require_set(*this, set, "\\in");
  auto const parts = items(set);
  auto const number = [&](auto in_range) {
    if (v.is_integer()) return in_range(v.integer());
    if (v.is_model() && v.model_type() == 0) return false;
    refuse_member(v, set);
  };
  switch (set.as_node()->kind) {
    case node_kind::set: return member_of_explicit(v, set);
    case node_kind::interval:
      return number([&](std::int32_t i) { return i >= parts[0].integer() && i <= parts[1].integer(); });
    case node_kind::naturals: return number([](std::int32_t i) { return i >= 0; });
    case node_kind::integers:
    case node_kind::reals: return number([](std::int32_t) { return true; });
    case node_kind::strings:
      if (!v.is_string() && !v.is_model()) refuse_member(v, set);
      return v.is_string();
    case node_kind::anything: return true;
    case node_kind::power_set:
      if (v.is_model()) return false;
      if (!is_set(v)) refuse_member(v, set);
      return subset(v, parts[0]);
    case node_kind::function_set: return member_of_function_set(v, set);
    case node_kind::record_set: return member_of_record_set(v, set);
    case node_kind::product: return member_of_product(v, set);
    case node_kind::sequences:
      if (v.is_model()) return false;
      if (!is_function(v)) refuse_member(v, set);
      return is_tuple(v) && std::ranges::all_of(items(v), [&](value e) { return member(e, parts[0]); });
    case node_kind::cup: return member(v, parts[0]) || member(v, parts[1]);
    case node_kind::cap: return member(v, parts[0]) && member(v, parts[1]);
    case node_kind::minus: return member(v, parts[0]) && !member(v, parts[1]);
    case node_kind::tuple:
    case node_kind::function: break;
  }
  return false;
}

bool values::subset(value a, value b) {
  require_set(*this, a, "\\subseteq");
  require_set(*this, b, "\\subseteq");
  if (a == b) return true;
  return !each(a, [&](value v) { return !member(v, b); });
}

bool values::is_finite(value set) {
  require_set(*this, set, "IsFiniteSet");
  return is_explicit_set(set) || !is_infinite(set);
}

std::int64_t values::cardinality(value set) {
  require_set(*this, set, "Cardinality");
  auto const parts = items(set);
  auto const times = [](std::int64_t a, std::int64_t b) { return saturating_multiply(a, b); };
  switch (set.as_node()->kind) {
    case node_kind::set: return static_cast<std::int64_t>(parts.size());
    case node_kind::interval: return std::int64_t{parts[1].integer()} - parts[0].integer() + 1;
    case node_kind::power_set: {
      auto const n = cardinality(parts[0]);
      return n < 62 ? std::int64_t{1} << n : std::numeric_limits<std::int64_t>::max();
    }
    case node_kind::function_set: {
      std::int64_t all = 1;
      auto const from = cardinality(parts[0]), to = cardinality(parts[1]);
      if (to <= 1) return to == 1 || from == 0 ? 1 : 0;
      for (std::int64_t i = 0; i < from && i < 64; ++i) all = times(all, to);
      return all;
    }
    case node_kind::record_set:
    case node_kind::product: {
      std::int64_t all = 1;
      for (auto s : set.as_node()->kind == node_kind::product ? parts : parts.subspan(1))
        all = times(all, cardinality(s));
      return all;
    }
    case node_kind::cap:
    case node_kind::cup:
    case node_kind::minus:
      if (is_finite(set)) return cardinality(explicit_set(set));
      break;
    default: break;
  }
  throw value_error{"Cardinality of the infinite set " + text(set)};
}

value values::built(value v) {
  if (!is_finite(v)) {  // its parts may still be in need of building
    std::vector<value> parts(items(v).begin(), items(v).end());
    for (auto& p : parts) p = normal(p);
    return lazy(v.as_node()->kind, parts);
  }
  auto const kind = v.as_node()->kind;
  if (kind != node_kind::cap && kind != node_kind::minus && cardinality(v) > elements_max) {
    throw value_error{"the set " + text(v) + " is too large to be built: it has more than " +
                      std::to_string(elements_max) + " elements"};
  }
  std::vector<value> all;
  each(v, [&](value e) { return all.push_back(e), false; });
  return kind == node_kind::cap || kind == node_kind::minus ? set(all) : sorted_set(all);
}

value values::explicit_set(value set) {
  require_set(*this, set, "this");
  auto const all = normal(set);
  if (!is_explicit_set(all)) throw value_error{"cannot enumerate the infinite set " + text(set)};
  return all;
}

value values::cup(value a, value b) {
  require_set(*this, a, "\\cup");
  require_set(*this, b, "\\cup");
  value const both[] = {a, b};
  if (!is_finite(a) || !is_finite(b)) return lazy(node_kind::cup, both);
  auto const na = explicit_set(a), nb = explicit_set(b);
  if (na == nb || items(nb).empty()) return na;
  std::vector<value> all;
  std::ranges::set_union(items(na), items(nb), std::back_inserter(all),
                         [this](value x, value y) { return compare(x, y) < 0; });
  return sorted_set(all);
}

value values::cap(value a, value b) {
  require_set(*this, a, "\\cap");
  require_set(*this, b, "\\cap");
  value const both[] = {a, b};
  if (!is_finite(a) && !is_finite(b)) return lazy(node_kind::cap, both);
  if (!is_finite(a)) std::swap(a, b);
  std::vector<value> kept;
  each(explicit_set(a), [&](value v) {
    if (member(v, b)) kept.push_back(v);
    return false;
  });
  return sorted_set(kept);
}

value values::minus(value a, value b) {
  require_set(*this, a, "\\");
  require_set(*this, b, "\\");
  value const both[] = {a, b};
  if (!is_finite(a)) return lazy(node_kind::minus, both);
  std::vector<value> kept;
  each(explicit_set(a), [&](value v) {
    if (!member(v, b)) kept.push_back(v);
    return false;
  });
  return sorted_set(kept);
}

value values::big_union(value sets) {
  require_set(*this, sets, "UNION");
  if (is_kind(sets, node_kind::power_set)) return items(sets)[0];
  std::vector<value> all;
  auto endless = value{};
  each(sets, [&](value s) {
    require_set(*this, s, "UNION");
    if (!is_finite(s)) {
      value const both[] = {endless, s};
      endless = endless.is_set_yet() ? lazy(node_kind::cup, both) : s;
      return false;
    }
    auto const part = items(explicit_set(s));
    all.insert(all.end(), part.begin(), part.end());
    return false;
  });
  auto const finite = set(all);
  return endless.is_set_yet() ? cup(finite, endless) : finite;
}

bool values::each_lazy(value set, function_ref<bool(value)> visit) {
  require_set(*this, set, "a bound");
  auto const parts = items(set);
  switch (set.as_node()->kind) {
    case node_kind::power_set: return each_subset(explicit_set(parts[0]), visit);
    case node_kind::function_set: {
      auto const from = explicit_set(parts[0]);
      std::vector<value> const ranges(items(from).size(), parts[1]);
      return each_choice(set, ranges, from, visit);
    }
    case node_kind::record_set: return each_choice(set, parts.subspan(1), parts[0], visit);
    case node_kind::product: return each_choice(set, parts, value{}, visit);
    case node_kind::cap:
    case node_kind::minus:
    case node_kind::cup:
      if (is_finite(set)) break;
      [[fallthrough]];
    default: throw value_error{"cannot enumerate the infinite set " + text(set)};
  }
  // cap and minus of a finite set are built at once; nothing is left to come here.
  throw value_error{"cannot enumerate " + text(set)};
}

/// In order: by size, then by elements.
bool values::each_subset(value set, function_ref<bool(value)> visit) {
  auto const all = items(set);
  std::vector<std::size_t> chosen;
  std::vector<value> part;
  for (std::size_t k = 0; k <= all.size(); ++k) {
    chosen.resize(k);
    for (std::size_t i = 0; i < k; ++i) chosen[i] = i;
    for (bool more = true; more;) {
      part.clear();
      for (auto i : chosen) part.push_back(all[i]);
      if (visit(sorted_set(part))) return true;
      more = false;
      for (std::size_t i = k; i-- > 0;) {
        if (chosen[i] < all.size() - k + i) {
          ++chosen[i];
          for (std::size_t j = i + 1; j < k; ++j) chosen[j] = chosen[j - 1] + 1;
          more = true;
          break;
        }
      }
    }
  }
  return false;
}

/// One element of each set, the last changing fastest; as functions on `domain`, or as tuples without one.
bool values::each_choice(value, std::span<value const> sets, value domain, function_ref<bool(value)> visit) {
  std::vector<std::span<value const>> from;
  for (auto s : sets) from.push_back(items(explicit_set(s)));
  if (std::ranges::any_of(from, [](auto const& f) { return f.empty(); })) return false;
  std::vector<std::size_t> at(from.size(), 0);
  std::vector<value> chosen(from.size());
  for (;;) {
    for (std::size_t i = 0; i < at.size(); ++i) chosen[i] = from[i][at[i]];
    if (visit(domain.is_set_yet() ? function(domain, chosen) : tuple(chosen))) return true;
    auto i = at.size();
    while (i > 0 && ++at[i - 1] == from[i - 1].size()) at[--i] = 0;
    if (i == 0) return false;
  }
}

}  // namespace halfopen::tla
