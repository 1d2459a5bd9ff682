#include <algorithm>

#include <halfopen/tla/compiler.hpp>

/// x \in S without building S, where its elements can be told by looking at their parts.
namespace halfopen::tla {

namespace {

/// Whether the elements of such a set can be told by looking at their parts.
bool is_structural(expr const& e) {
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

[[noreturn]] void refuse_element(machine& m, expr const& at, value v, char const* of) {
  fail(m, at, "cannot tell whether " + m.v.described(v) + " is an element of a set of " + of);
}

}  // namespace

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

/// Whether what stands in `slot` is an element of the set.
piece compiler::element_test(std::uint32_t slot, expr const& given, scope const& from) {
  std::pair<expr const*, scope> seen{&given, from};
  for (int i = 0; i < 50 && (seen.first->kind != expr_kind::apply || seen.first->args.empty()); ++i) {
    auto const next = seen_as(*seen.first, seen.second);
    if (next.first == seen.first) break;
    seen = next;
  }
  auto const& [e, in] = seen;
  bool const replaced_here = e->kind == expr_kind::apply && replaced(*e->def, in.owner) != nullptr;
  if (!is_structural(*e) || replaced_here) {
    auto s = expression(given, from);
    s.on.add_slot(slot);
    return {make([slot, s = s.run, &given](machine& m) {
              auto const set = s->run(m);
              m.at = &given;
              return value::of(m.v.member(m.frame[slot], set));
            }),
            s.on};
  }
  switch (e->kind) {
    case expr_kind::set_filter: return filter_test(slot, *e, in);
    case expr_kind::function_set: return function_test(slot, *e, in);
    case expr_kind::record_set:
    case expr_kind::product: return fields_test(slot, *e, in);
    default: return e->def->primitive == primitive::cup ? union_test(slot, *e, in) : parts_test(slot, *e, in);
  }
}

/// The test for what a set's elements are made of, and where it looks for a part.
piece compiler::part_test(std::uint32_t part, expr const& set, scope const& in, needs& on) {
  auto p = element_test(part, set, in);
  p.on.drop_slot(part);
  on.add(p.on);
  return p;
}

/// {y \in S : p}
piece compiler::filter_test(std::uint32_t slot, expr const& e, scope const& in) {
  auto const bound = in.slots->take();
  auto const base = element_test(slot, *e.bounds[0].set, in);
  auto body = expression(*e.args[0], with_slot(in, *e.bounds[0].names[0], bound));
  body.on.drop_slot(bound);
  auto on = base.on;
  on.add_slot(slot);
  on.add(body.on);
  return {make([slot, bound, base = base.run, body = body.run, at = e.args[0]](machine& m) {
            auto const v = m.v.normal(m.frame[slot]);
            if (!base->run(m).truth()) return false_value;
            m.frame[bound] = v;
            return value::of(truth(m, *body, *at));
          }),
          on};
}

/// [S -> T]
piece compiler::function_test(std::uint32_t slot, expr const& e, scope const& in) {
  auto const domain = expression(*e.args[0], in);
  auto on = domain.on;
  on.add_slot(slot);
  auto const part = in.slots->take();
  auto const range = part_test(part, *e.args[1], in, on);
  return {make([slot, part, domain = domain.run, range = range.run, &e](machine& m) {
            auto const f = m.frame[slot];
            if (f.is_model()) return false_value;
            if (!is_function(f)) refuse_element(m, e, f, "functions");
            auto const d = domain->run(m);
            m.at = &e;
            if (!m.v.equal(m.v.domain(f), d)) return false_value;
            for (auto r : m.v.results(f)) {
              m.frame[part] = r;
              if (!range->run(m).truth()) return false_value;
            }
            return true_value;
          }),
          on};
}

/// [a : S, b : T] and S \X T
piece compiler::fields_test(std::uint32_t slot, expr const& e, scope const& in) {
  bool const record = e.kind == expr_kind::record_set;
  auto const part = in.slots->take();
  needs on;
  on.add_slot(slot);
  std::vector<std::pair<value, code const*>> fields;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    auto const key = record ? values_.string(e.names[i]) : value::of(static_cast<std::int32_t>(i + 1));
    fields.emplace_back(key, part_test(part, *e.args[i], in, on).run);
  }
  return {make([slot, part, fields, record, &e](machine& m) {
            auto const f = m.frame[slot];
            if (f.is_model()) return false_value;
            if (!is_function(f)) refuse_element(m, e, f, record ? "records" : "tuples");
            if (m.v.results(f).size() != fields.size()) return false_value;
            for (auto const& [key, test] : fields) {
              auto const at = m.v.position(f, key);
              if (at < 0) return false_value;
              m.frame[part] = m.v.results(f)[static_cast<std::size_t>(at)];
              if (!test->run(m).truth()) return false_value;
            }
            return true_value;
          }),
          on};
}

/// S \cup T
piece compiler::union_test(std::uint32_t slot, expr const& e, scope const& in) {
  auto const a = element_test(slot, *e.args[0], in), b = element_test(slot, *e.args[1], in);
  auto on = a.on;
  on.add(b.on);
  return {make([a = a.run, b = b.run](machine& m) { return a->run(m).truth() ? true_value : b->run(m); }),
          on};
}

/// SUBSET S and Seq(S)
piece compiler::parts_test(std::uint32_t slot, expr const& e, scope const& in) {
  bool const subsets = e.def->primitive == primitive::power_set;
  auto const part = in.slots->take();
  needs on;
  on.add_slot(slot);
  auto const each_one = part_test(part, *e.args[0], in, on);
  return {make([slot, part, subsets, each_one = each_one.run, &e](machine& m) {
            auto const v = m.frame[slot];
            if (v.is_model()) return false_value;
            if (subsets ? !is_set(v) : !is_function(v))
              refuse_element(m, e, v, subsets ? "sets" : "sequences");
            if (!subsets && !is_tuple(v)) return false_value;
            auto const differs = [&](value x) {
              m.frame[part] = x;
              return !each_one->run(m).truth();
            };
            m.at = &e;
            bool const found = subsets ? m.v.each(v, differs) : std::ranges::any_of(items(v), differs);
            return value::of(!found);
          }),
          on};
}

}  // namespace halfopen::tla
