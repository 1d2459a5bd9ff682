#include <halfopen/tla/builtin.hpp>
#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

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

piece compiler::logic(primitive p, std::vector<expr const*> const& args, scope const& in) {
  std::vector<code const*> parts;
  std::vector<expr const*> at(args.begin(), args.end());
  needs on;
  for (auto const* a : args) {
    auto const x = expression(*a, in);
    parts.push_back(x.run);
    on.add(x.on);
  }
  switch (p) {
    case primitive::conjunction:
    case primitive::disjunction:
      if (parts.size() == 2) {
        return {make([x = parts[0], y = parts[1], ax = at[0], ay = at[1],
                      stop = p == primitive::disjunction](machine& m) {
                  if (truth(m, *x, *ax) == stop) return value::of(stop);
                  return value::of(truth(m, *y, *ay));
                }),
                on};
      }
      return {make([parts, at, stop = p == primitive::disjunction](machine& m) {
                for (std::size_t i = 0; i < parts.size(); ++i) {
                  if (truth(m, *parts[i], *at[i]) == stop) return value::of(stop);
                }
                return value::of(!stop);
              }),
              on};
    case primitive::negation:
      return {make([x = parts[0], at = at[0]](machine& m) { return value::of(!truth(m, *x, *at)); }), on};
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

/// x = y: most values are the same word, or cannot be equal without looking inside.
piece compiler::equality(expr const& e, std::vector<expr const*> const& args, scope const& in, bool wanted) {
  auto const x = expression(*args[0], in), y = expression(*args[1], in);
  auto on = x.on;
  on.add(y.on);
  return {make([x = x.run, y = y.run, wanted, &e](machine& m) {
            auto const a = x->run(m), b = y->run(m);
            if (a == b) return value::of(wanted);
            m.at = &e;
            return value::of(m.v.equal(a, b) == wanted);
          }),
          on};
}

piece compiler::primitive_op(expr const& e, primitive p, std::vector<expr const*> const& args,
                             scope const& in) {
  if (auto const fast = arithmetic(e, p, args, in); fast.run != nullptr) return fast;
  if (auto const f = builtin_for(p)) {
    auto made = strict(e, args, in, f);
    made.on.random |= is_random(p);
    made.on.anything |= has_effects(p) && !is_random(p);
    depends_on_history_ |= has_effects(p) && p != primitive::tlc_get;
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
    case primitive::equivalence: return logic(p, args, in);
    case primitive::equal: return equality(e, args, in, true);
    case primitive::not_equal: return equality(e, args, in, false);
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
    case primitive::enabled: return enabled_action(*args[0], in);
    case primitive::compose: {
      auto const* found = make_act([](machine&) { return true; });
      auto const* run = composed(e, args, in, found);
      return {make([run](machine& m) { return value::of(run->run(m)); }),
              {.now = true, .next = true, .anything = true}};
    }
    case primitive::select_seq: return select_seq(e, args, in);
    case primitive::sort_seq: return sort_seq(e, args, in);
    case primitive::tlc_cache: return expression(*args[0], in);
    default: break;
  }
  throw compile_error{unsupported_reason(p, e.def != nullptr ? std::string{e.def->name} : "here"), &e};
}

}  // namespace halfopen::tla
