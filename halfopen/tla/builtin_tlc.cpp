#include <algorithm>

#include <halfopen/tla/builtin.hpp>

namespace halfopen::tla {

namespace {

value to_text(machine& m, expr const&, arguments a) { return m.v.string(m.v.text(m.v.normal(a[0]))); }

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
  fail(m, at,
       "TLCGet(" + m.v.text(a[0]) +
           ") is not supported: there are the numbers that TLCSet has stored, \"level\", " +
           "\"distinct\", \"generated\", \"queue\", \"diameter\", \"duration\" and \"config\"");
}

value tlc_set(machine& m, expr const& at, arguments a) {
  if (!a[0].is_integer()) {
    fail(m, at,
         "TLCSet(" + m.v.text(a[0]) +
             ", ...) is not supported, only that of a number: to end a search early there " +
             "are --max-states, --max-depth and --time");
  }
  m.registers[a[0].integer()] = m.v.normal(a[1]);
  return true_value;
}

value assert_eq(machine& m, expr const& at, arguments a) {
  if (m.v.equal(a[0], a[1])) return true_value;
  m.printed += "AssertEq at " + to_string(at.range) + ": " + m.v.text(a[0]) + " # " + m.v.text(a[1]) + "\n";
  return false_value;
}

value tlc_model_value(machine& m, expr const& at, arguments a) {
  return m.v.pool().model_value(text_of(m, at, a[0], "TLCModelValue"));
}
value evaluated(machine& m, expr const&, arguments a) { return m.v.normal(a[0]); }

}  // namespace

builtin tlc_builtin(primitive p) {
  switch (p) {
    case primitive::to_string: return to_text;
    case primitive::tlc_eval: return evaluated;
    case primitive::assert_: return assert_;
    case primitive::print: return print;
    case primitive::print_t: return print_t;
    case primitive::tlc_get: return tlc_get;
    case primitive::tlc_set: return tlc_set;
    case primitive::assert_eq: return assert_eq;
    case primitive::tlc_model_value: return tlc_model_value;
    default: return nullptr;
  }
}

}  // namespace halfopen::tla
