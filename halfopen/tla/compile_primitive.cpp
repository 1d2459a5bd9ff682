#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

namespace {

using arguments = std::span<value>;  // may be changed by whoever looks at them

std::int32_t integer(machine& m, expr const& at, value v, char const* op) {
  if (!v.is_integer()) [[unlikely]]
    fail(m, at, std::string{op} + " wants integers, not " + m.v.described(v));
  return v.integer();
}

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

value equal(machine& m, expr const&, arguments a) { return value::of(m.v.equal(a[0], a[1])); }
value not_equal(machine& m, expr const&, arguments a) { return value::of(!m.v.equal(a[0], a[1])); }

value power_set(machine& m, expr const& at, arguments a) {
  if (!is_set(a[0])) fail(m, at, "SUBSET wants a set, not " + m.v.described(a[0]));
  return m.v.lazy(node_kind::power_set, a);
}

// Sequences. A string has a length and can be joined, as in TLC; nothing else.
std::span<value const> sequence(machine& m, expr const& at, value v, char const* op) {
  if (!is_tuple(v)) fail(m, at, std::string{op} + " wants a sequence, not " + m.v.described(v));
  return items(v);
}
value made_sequence(machine& m, std::vector<value>& all) { return m.v.tuple(all); }
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
  return made_sequence(m, all);
}
value append(machine& m, expr const& at, arguments a) {
  auto const x = sequence(m, at, a[0], "Append");
  std::vector<value> all(x.begin(), x.end());
  all.push_back(a[1]);
  return made_sequence(m, all);
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
  return made_sequence(m, all);
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
  return made_sequence(m, all);
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

value boolean_text(machine& m, expr const&, arguments a) { return m.v.string(m.v.text(m.v.normal(a[0]))); }

value assert_(machine& m, expr const& at, arguments a) {
  if (truth(m, a[0], at)) return true_value;
  fail(m, at, "Assert: " + (a[1].is_string() ? std::string{m.v.name(a[1])} : m.v.text(a[1])));
}
value print(machine& m, expr const&, arguments a) {
  m.printed += m.v.text(a[0]) + "  " + m.v.text(a[1]) + "\n";
  return a[1];
}
value print_t(machine& m, expr const&, arguments a) {
  m.printed += m.v.text(a[0]) + "\n";
  return true_value;
}
value tlc_get(machine& m, expr const& at, arguments a) {
  if (a[0].is_integer()) {
    auto const r = m.registers.find(a[0].integer());
    if (r == m.registers.end()) fail(m, at, "TLCGet(" + m.v.text(a[0]) + "): nothing was stored there");
    return r->second;
  }
  auto const name = a[0].is_string() ? m.v.name(a[0]) : std::string_view{};
  auto const number = [](std::uint64_t n) { return value::of(static_cast<std::int32_t>(n)); };
  if (name == "level") return number(m.level);
  if (name == "distinct") return number(m.statistics[0]);
  if (name == "generated") return number(m.statistics[1]);
  if (name == "queue") return number(m.statistics[2]);
  if (name == "diameter") return number(m.statistics[3]);
  if (name == "duration") return number(0);
  if (name == "-Dtlc2.tool.impl.Tool.cdot") return m.v.string("true");  // \cdot can be evaluated
  if (name == "config") {
    std::vector<std::pair<value, value>> fields{{m.v.string("mode"), m.v.string("bfs")},
                                                {m.v.string("worker"), number(1)},
                                                {m.v.string("deadlock"), true_value},
                                                {m.v.string("seed"), number(0)}};
    return m.v.record(fields);
  }
  fail(m, at, "TLCGet(" + m.v.text(a[0]) + ") is not supported");
}
value tlc_set(machine& m, expr const& at, arguments a) {
  if (!a[0].is_integer()) fail(m, at, "TLCSet(" + m.v.text(a[0]) + ", ...) is not supported");
  m.registers[a[0].integer()] = m.v.normal(a[1]);
  return true_value;
}
value random_element(machine& m, expr const& at, arguments a) {
  auto const all = items(m.v.explicit_set(a[0]));
  if (all.empty()) fail(m, at, "RandomElement of the empty set");
  return all[below(m.chance(), all.size())];
}
/// IOEnv: the environment as a record.
value environment_record(machine& m, expr const&, arguments) {
  std::vector<std::pair<value, value>> fields;
  for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
    std::string_view const entry{*e};
    auto const eq = entry.find('=');
    if (eq == std::string_view::npos) continue;
    fields.emplace_back(m.v.string(entry.substr(0, eq)), m.v.string(entry.substr(eq + 1)));
  }
  return m.v.record(fields);
}
value atoi(machine& m, expr const& at, arguments a) {
  if (!a[0].is_string()) fail(m, at, "atoi wants a string, not " + m.v.described(a[0]));
  return value::of(static_cast<std::int32_t>(std::strtol(std::string{m.v.name(a[0])}.c_str(), nullptr, 10)));
}

value assert_eq(machine& m, expr const& at, arguments a) {
  if (m.v.equal(a[0], a[1])) return true_value;
  m.printed += "AssertEq at " + to_string(at.range) + ": " + m.v.text(a[0]) + " # " + m.v.text(a[1]) + "\n";
  return false_value;
}

std::int32_t natural(machine& m, expr const& at, value v, char const* op) {
  auto const n = integer(m, at, v, op);
  if (n < 0) fail(m, at, std::string{op} + " of the negative number " + m.v.text(v));
  return n;
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

using plain = value (*)(machine&, expr const&, arguments);

/// Operators that look at all of their arguments, and only at those.
plain strict_operator(primitive p) {
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
    case primitive::equal: return equal;
    case primitive::not_equal: return not_equal;
    case primitive::power_set: return power_set;
    case primitive::subset_or_equal:
      return [](machine& m, expr const&, arguments a) { return value::of(m.v.subset(a[0], a[1])); };
    case primitive::cup: return [](machine& m, expr const&, arguments a) { return m.v.cup(a[0], a[1]); };
    case primitive::cap: return [](machine& m, expr const&, arguments a) { return m.v.cap(a[0], a[1]); };
    case primitive::set_minus:
      return [](machine& m, expr const&, arguments a) { return m.v.minus(a[0], a[1]); };
    case primitive::big_union:
      return [](machine& m, expr const&, arguments a) { return m.v.big_union(a[0]); };
    case primitive::domain: return [](machine& m, expr const&, arguments a) { return m.v.domain(a[0]); };
    case primitive::seq: return seq;
    case primitive::len: return len;
    case primitive::concat: return concat;
    case primitive::append: return append;
    case primitive::head: return head;
    case primitive::tail: return tail;
    case primitive::sub_seq: return sub_seq;
    case primitive::is_finite_set:
      return [](machine& m, expr const&, arguments a) { return value::of(m.v.is_finite(a[0])); };
    case primitive::cardinality:
      return [](machine& m, expr const& at, arguments a) {
        auto const n = m.v.cardinality(a[0]);
        if (n > INT32_MAX) fail(m, at, "the cardinality of " + m.v.text(a[0]) + " does not fit into 32 bits");
        return value::of(static_cast<std::int32_t>(n));
      };
    case primitive::map_to: return map_to;
    case primitive::merge: return merge;
    case primitive::permutations: return permutations;
    case primitive::to_string: return boolean_text;
    case primitive::tlc_eval: return [](machine& m, expr const&, arguments a) { return m.v.normal(a[0]); };
    case primitive::assert_: return assert_;
    case primitive::print: return print;
    case primitive::print_t: return print_t;
    case primitive::tlc_get: return tlc_get;
    case primitive::tlc_set: return tlc_set;
    case primitive::assert_eq: return assert_eq;
    case primitive::random_element: return random_element;
    case primitive::io_env: return environment_record;
    case primitive::atoi: return atoi;
    case primitive::bit_and: return bit_and;
    case primitive::bit_or: return bit_or;
    case primitive::bit_xor: return bit_xor;
    case primitive::bit_not: return bit_not;
    case primitive::shift_right: return shift_right;
    default: return nullptr;
  }
}

bool has_effects(primitive p) {
  return p == primitive::print || p == primitive::print_t || p == primitive::tlc_get ||
         p == primitive::tlc_set || p == primitive::assert_eq || p == primitive::java_time ||
         p == primitive::random_element;
}

}  // namespace

piece compiler::strict(expr const& e, std::vector<expr const*> const& args, scope const& in,
                       value (*f)(machine&, expr const&, std::span<value>)) {
  std::vector<code const*> parts;
  needs on;
  for (auto const* a : args) {
    auto const p = expression(*a, in);
    parts.push_back(p.run);
    on.add(p.on);
  }
  if (parts.size() == 1) {
    return {make([f, x = parts[0], &e](machine& m) {
              std::array<value, 1> a{x->run(m)};
              m.at = &e;
              return f(m, e, a);
            }),
            on};
  }
  if (parts.size() == 2) {
    return {make([f, x = parts[0], y = parts[1], &e](machine& m) {
              std::array<value, 2> a;
              a[0] = x->run(m);
              a[1] = y->run(m);
              m.at = &e;
              return f(m, e, a);
            }),
            on};
  }
  return {make([f, parts, &e](machine& m) {
            value_list a{m};
            for (auto const* p : parts) a.push_back(p->run(m));
            m.at = &e;
            return f(m, e, a.get());
          }),
          on};
}

piece compiler::logic(expr const& e, primitive p, std::vector<expr const*> const& args, scope const& in) {
  std::vector<code const*> parts;
  std::vector<expr const*> at(args.begin(), args.end());
  needs on;
  for (auto const* a : args) {
    auto const x = expression(*a, in);
    parts.push_back(x.run);
    on.add(x.on);
  }
  (void)e;
  switch (p) {
    case primitive::conjunction:
    case primitive::disjunction:
      return {make([parts, at, stop = p == primitive::disjunction](machine& m) {
                for (std::size_t i = 0; i < parts.size(); ++i) {
                  if (truth(m, *parts[i], *at[i]) == stop) return value::of(stop);
                }
                return value::of(!stop);
              }),
              on};
    case primitive::negation:
      return {make([x = parts[0], at](machine& m) { return value::of(!truth(m, *x, *at[0])); }), on};
    case primitive::implication:
      return {make([x = parts[0], y = parts[1], at](machine& m) {
                return truth(m, *x, *at[0]) ? value::of(truth(m, *y, *at[1])) : true_value;
              }),
              on};
    default:
      return {make([x = parts[0], y = parts[1], at](machine& m) {
                bool const a = truth(m, *x, *at[0]);
                return value::of(a == truth(m, *y, *at[1]));
              }),
              on};
  }
}

/// Whether the elements of such a set can be told by looking at their parts, without building it.
static bool is_structural(expr const& e) {
  switch (e.kind) {
    case expr_kind::set_filter: return e.bounds[0].set != nullptr && !e.bounds[0].tuple;
    case expr_kind::function_set:
    case expr_kind::record_set:
    case expr_kind::product: return true;
    case expr_kind::apply:
      return e.def->primitive == primitive::power_set || e.def->primitive == primitive::seq ||
             (e.def->primitive == primitive::cup && (is_structural(*e.args[0]) || is_structural(*e.args[1])));
    default: return false;
  }
}

/// Whether what stands in `slot` is an element of the set.
piece compiler::element_test(std::uint32_t slot, expr const& given, scope const& from) {
  auto const [set_expr, in] = [&]() -> std::pair<expr const*, scope> {
    std::pair<expr const*, scope> s{&given, from};
    for (int i = 0; i < 50; ++i) {
      if (s.first->kind == expr_kind::apply && !s.first->args.empty()) break;
      auto const next = seen_as(*s.first, s.second);
      if (next.first == s.first) break;
      s = next;
    }
    return s;
  }();
  auto const& e = *set_expr;
  needs on;
  on.add_slot(slot);
  bool const replaced_here = e.kind == expr_kind::apply && replaced(*e.def, in.owner) != nullptr;
  if (!is_structural(e) || replaced_here) {
    auto const s = expression(given, from);
    on.add(s.on);
    return {make([slot, s = s.run, &given](machine& m) {
              auto const set = s->run(m);
              m.at = &given;
              return value::of(m.v.member(m.frame[slot], set));
            }),
            on};
  }
  auto const inner = in.slots->take();
  auto const part_test = [&](expr const& s) {
    auto p = element_test(inner, s, in);
    p.on.drop_slot(inner);
    on.add(p.on);
    return p.run;
  };
  if (e.kind == expr_kind::set_filter) {
    auto const base = element_test(slot, *e.bounds[0].set, in);
    auto inside = with_slot(in, *e.bounds[0].names[0], inner);
    auto body = expression(*e.args[0], inside);
    body.on.drop_slot(inner);
    on.add(base.on);
    on.add(body.on);
    return {make([slot, inner, base = base.run, body = body.run, at = e.args[0]](machine& m) {
              auto const v = m.v.normal(m.frame[slot]);
              if (!base->run(m).truth()) return false_value;
              m.frame[inner] = v;
              return value::of(truth(m, *body, *at));
            }),
            on};
  }
  if (e.kind == expr_kind::function_set) {
    auto const domain = expression(*e.args[0], in);
    on.add(domain.on);
    auto const* range = part_test(*e.args[1]);
    return {make([slot, inner, domain = domain.run, range, &e](machine& m) {
              auto const f = m.frame[slot];
              if (f.is_model()) return false_value;
              if (!is_function(f))
                fail(m, e,
                     "cannot tell whether " + m.v.described(f) + " is an element of a set of functions");
              auto const d = domain->run(m);
              m.at = &e;
              if (!m.v.equal(m.v.domain(f), d)) return false_value;
              for (auto r : m.v.results(f)) {
                m.frame[inner] = r;
                if (!range->run(m).truth()) return false_value;
              }
              return true_value;
            }),
            on};
  }
  if (e.kind == expr_kind::record_set || e.kind == expr_kind::product) {
    bool const record = e.kind == expr_kind::record_set;
    std::vector<std::pair<value, code const*>> fields;
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      fields.emplace_back(record ? values_.string(e.names[i]) : value::of(static_cast<std::int32_t>(i + 1)),
                          part_test(*e.args[i]));
    }
    return {make([slot, inner, fields, record, &e](machine& m) {
              auto const f = m.frame[slot];
              if (f.is_model()) return false_value;
              if (!is_function(f))
                fail(m, e,
                     "cannot tell whether " + m.v.described(f) + " is an element of a set of " +
                         (record ? "records" : "tuples"));
              if (m.v.results(f).size() != fields.size()) return false_value;
              for (auto const& [name, test] : fields) {
                auto const at = m.v.position(f, name);
                if (at < 0) return false_value;
                m.frame[inner] = m.v.results(f)[static_cast<std::size_t>(at)];
                if (!test->run(m).truth()) return false_value;
              }
              return true_value;
            }),
            on};
  }
  if (e.def->primitive == primitive::cup) {
    auto const a = element_test(slot, *e.args[0], in), b = element_test(slot, *e.args[1], in);
    on.add(a.on);
    on.add(b.on);
    return {make([a = a.run, b = b.run](machine& m) { return a->run(m).truth() ? true_value : b->run(m); }),
            on};
  }
  bool const subsets = e.def->primitive == primitive::power_set;
  auto const* each_one = part_test(*e.args[0]);
  return {make([slot, inner, subsets, each_one, &e](machine& m) {
            auto const v = m.frame[slot];
            if (v.is_model()) return false_value;
            if (subsets ? !is_set(v) : !is_function(v)) {
              fail(m, e,
                   "cannot tell whether " + m.v.described(v) + " is an element of a set of " +
                       (subsets ? "sets" : "sequences"));
            }
            if (!subsets && !is_tuple(v)) return false_value;
            auto const differs = [&](value x) {
              m.frame[inner] = x;
              return !each_one->run(m).truth();
            };
            m.at = &e;
            bool const found = subsets ? m.v.each(v, differs) : std::ranges::any_of(items(v), differs);
            return value::of(!found);
          }),
          on};
}

piece compiler::membership(expr const& e, std::vector<expr const*> const& args, scope const& in,
                           bool wanted) {
  auto const x = expression(*args[0], in);
  auto const slot = in.slots->take();
  auto test = element_test(slot, *args[1], in);
  test.on.drop_slot(slot);
  auto on = x.on;
  on.add(test.on);
  return {make([x = x.run, slot, test = test.run, wanted, &e](machine& m) {
            m.frame[slot] = x->run(m);
            m.at = &e;
            return value::of(test->run(m).truth() == wanted);
          }),
          on};
}

/// An operator given as an argument, applied to values in the frame.
piece compiler::applied_to_slots(expr const& op, scope const& in, std::vector<std::uint32_t> const& slots) {
  auto inside = in;
  std::vector<expr const*> args;
  for (auto s : slots) {
    auto const& b = binders_.emplace_back(binder{.name = "(element)", .range = op.range});
    inside = with_slot(inside, b, s);
    auto& read = made_.emplace_back();
    read.kind = expr_kind::bound_name;
    read.bind = &b;
    read.range = op.range;
    args.push_back(&read);
  }
  return call(resolve_operator(op, in), args, inside, op);
}

piece compiler::select_seq(expr const& e, std::vector<expr const*> const& args, scope const& in, bool sort) {
  auto const s = expression(*args[0], in);
  std::vector<std::uint32_t> slots{in.slots->take()};
  if (sort) slots.push_back(in.slots->take());
  auto const* body = args[1];
  auto const test = applied_to_slots(*body, in, slots);
  auto on = test.on;
  for (auto slot : slots) on.drop_slot(slot);
  on.add(s.on);
  if (slots.size() == 1) {
    return {make([s = s.run, slot = slots[0], test = test.run, body, &e](machine& m) {
              auto const all = s->run(m);
              std::vector<value> kept;
              for (auto v : sequence(m, e, all, "SelectSeq")) {
                m.frame[slot] = v;
                if (truth(m, *test, *body)) kept.push_back(v);
              }
              return m.v.tuple(kept);
            }),
            on};
  }
  return {make([s = s.run, slots, test = test.run, body, &e](machine& m) {
            auto const given = s->run(m);
            auto const from = sequence(m, e, given, "SortSeq");
            std::vector<value> sorted;
            // Insertion: an order that is none still ends.
            for (auto v : from) {
              auto at = sorted.end();
              while (at != sorted.begin()) {
                m.frame[slots[0]] = v;
                m.frame[slots[1]] = *(at - 1);
                if (!truth(m, *test, *body)) break;
                --at;
              }
              sorted.insert(at, v);
            }
            return m.v.tuple(sorted);
          }),
          on};
}

piece compiler::enabled(expr const& e, scope const& in) { return enabled_action(*e.args[0], in); }

expr const& compiler::angle_of(expr const& fairness) {
  expr& step = made_.emplace_back();
  step.kind = expr_kind::angle;
  step.range = fairness.range;
  step.level = level::action;
  step.args = fairness.args;
  return step;
}

piece compiler::enabled_step(expr const& fairness, scope const& in) {
  return enabled_action(angle_of(fairness), in);
}

piece compiler::taken_step(expr const& fairness, scope const& in) {
  return expression(angle_of(fairness), in);
}

act const* compiler::step_of(expr const& fairness, scope const& in, act const* then) {
  substituted_prime_ = false;
  auto const* a = action(angle_of(fairness), in, then);
  return substituted_prime_ ? nullptr : a;
}

piece compiler::enabled_action(expr const& a, scope const& in) {
  if (in.primed) throw compile_error{"ENABLED is not supported under a prime or in an initial predicate", &a};
  auto const spine = std::exchange(on_spine_, false);
  auto const* found = make_act([](machine&) { return true; });
  auto inside = in;
  inside.enabled = true;
  auto const* run = action(a, inside, found);
  on_spine_ = spine;
  needs on;
  on.now = true;
  for (auto const* n = in.names; n != nullptr; n = n->rest) {
    bool const in_frame = n->what == environment::sort::slot || n->what == environment::sort::thunk ||
                          n->what == environment::sort::lazy;
    if (in_frame) on.add_slot(n->slot);
  }
  return {make([run](machine& m) {
            std::vector<value> row(m.variables);
            auto* const outer = std::exchange(m.next, row.data());
            bool const found = run->run(m);
            m.next = outer;
            return value::of(found);
          }),
          on};
}

piece compiler::primitive_op(expr const& e, primitive p, std::vector<expr const*> const& args,
                             scope const& in) {
  if (auto const f = strict_operator(p)) {
    auto made = strict(e, args, in, f);
    made.on.anything |= has_effects(p);
    return made;
  }
  switch (p) {
    case primitive::true_: return literal(true_value);
    case primitive::false_: return literal(false_value);
    case primitive::boolean: {
      value const both[] = {false_value, true_value};
      return literal(values_.sorted_set(both));
    }
    case primitive::string: return literal(values_.lazy(node_kind::strings, {}));
    case primitive::nat: return literal(values_.lazy(node_kind::naturals, {}));
    case primitive::int_: return literal(values_.lazy(node_kind::integers, {}));
    case primitive::real: return literal(values_.lazy(node_kind::reals, {}));
    case primitive::any: return literal(values_.lazy(node_kind::anything, {}));
    case primitive::conjunction:
    case primitive::disjunction:
    case primitive::negation:
    case primitive::implication:
    case primitive::equivalence: return logic(e, p, args, in);
    case primitive::in: return membership(e, args, in, true);
    case primitive::not_in: return membership(e, args, in, false);
    case primitive::prime: {
      auto next = in;
      next.primed = true;
      return expression(*args[0], next);
    }
    case primitive::unchanged: {
      auto next = in;
      next.primed = true;
      auto const before = expression(*args[0], in), after = expression(*args[0], next);
      auto on = before.on;
      on.add(after.on);
      return {make([before = before.run, after = after.run, &e](machine& m) {
                auto const old = before->run(m), fresh = after->run(m);
                m.at = &e;
                return value::of(m.v.equal(old, fresh));
              }),
              on};
    }
    case primitive::enabled: return enabled(e, in);
    case primitive::compose: {
      auto const* found = make_act([](machine&) { return true; });
      auto const* run = composed(e, args, in, found);
      return {make([run](machine& m) { return value::of(run->run(m)); }),
              {.now = true, .next = true, .anything = true}};
    }
    case primitive::select_seq: return select_seq(e, args, in, false);
    case primitive::sort_seq: return select_seq(e, args, in, true);
    case primitive::assert_error: break;
    default: break;
  }
  throw compile_error{
      "the operator " + (e.def != nullptr ? std::string{e.def->name} : "here") + " is not supported", &e};
}

}  // namespace halfopen::tla
