#include <halfopen/tla/builtin.hpp>

namespace halfopen::tla {

namespace {

value seq(machine& m, expr const& at, arguments a) {
  if (!is_set(a[0])) fail(m, at, "Seq wants a set, not " + m.v.described(a[0]));
  return m.v.lazy(node_kind::sequences, a);
}

value len(machine& m, expr const& at, arguments a) {
  if (a[0].is_string()) return value::of(static_cast<std::int32_t>(m.v.name(a[0]).size()));
  return value::of(static_cast<std::int32_t>(sequence(m, at, a[0], "Len").size()));
}

value concat(machine& m, expr const& at, arguments a) {
  if (a[0].is_string() && a[1].is_string()) {
    return m.v.string(std::string{m.v.name(a[0])} + std::string{m.v.name(a[1])});
  }
  auto const x = sequence(m, at, a[0], "\\o"), y = sequence(m, at, a[1], "\\o");
  std::vector<value> all(x.begin(), x.end());
  all.insert(all.end(), y.begin(), y.end());
  return m.v.tuple(all);
}

value append(machine& m, expr const& at, arguments a) {
  auto const x = sequence(m, at, a[0], "Append");
  std::vector<value> all(x.begin(), x.end());
  all.push_back(a[1]);
  return m.v.tuple(all);
}

value head(machine& m, expr const& at, arguments a) {
  auto const x = sequence(m, at, a[0], "Head");
  if (x.empty()) fail(m, at, "Head of the empty sequence");
  return x.front();
}

value tail(machine& m, expr const& at, arguments a) {
  auto const x = sequence(m, at, a[0], "Tail");
  if (x.empty()) fail(m, at, "Tail of the empty sequence");
  std::vector<value> all(x.begin() + 1, x.end());
  return m.v.tuple(all);
}

value sub_seq(machine& m, expr const& at, arguments a) {
  std::int64_t const first = integer(m, at, a[1], "SubSeq"), last = integer(m, at, a[2], "SubSeq");
  if (a[0].is_string()) {
    auto const text = m.v.name(a[0]);
    if (first > last) return m.v.string("");
    if (first < 1 || last > static_cast<std::int64_t>(text.size())) {
      fail(m, at,
           "SubSeq from " + std::to_string(first) + " to " + std::to_string(last) + " of " + m.v.text(a[0]));
    }
    return m.v.string(std::string{
        text.substr(static_cast<std::size_t>(first - 1), static_cast<std::size_t>(last - first + 1))});
  }
  auto const x = sequence(m, at, a[0], "SubSeq");
  if (first > last) return m.v.tuple({});
  if (first < 1 || last > static_cast<std::int64_t>(x.size())) {
    fail(m, at,
         "SubSeq from " + std::to_string(first) + " to " + std::to_string(last) + " of " + m.v.text(a[0]));
  }
  std::vector<value> all(x.begin() + (first - 1), x.begin() + last);
  return m.v.tuple(all);
}

}  // namespace

builtin sequence_builtin(primitive p) {
  switch (p) {
    case primitive::seq: return seq;
    case primitive::len: return len;
    case primitive::concat: return concat;
    case primitive::append: return append;
    case primitive::head: return head;
    case primitive::tail: return tail;
    case primitive::sub_seq: return sub_seq;
    default: return nullptr;
  }
}

}  // namespace halfopen::tla
