#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

namespace {

constexpr int depth_max = 3000;  // of expressions and operators expanded inside each other

}  // namespace

piece compiler::literal(value v) {
  return {make([v](machine&) { return v; }), {}};
}

piece compiler::once(piece p, expr const& e) {
  bool const plain =
      e.kind == expr_kind::number || e.kind == expr_kind::string || e.kind == expr_kind::bound_name;
  if (!p.on.nothing() || plain) return p;
  return {make([run = p.run, known = value{}](machine& m) mutable {
            if (!known.is_set_yet()) known = run->run(m);
            return known;
          }),
          {}};
}

piece compiler::expression(expr const& e, scope const& in) {
  if (++depth_ > depth_max) throw compile_error{"operators are expanded too deeply here", &e, true};
  auto const depth = depth_;
  try {
    auto p = once(raw(e, in), e);
    --depth_;
    return p;
  } catch (compile_error const& problem) {
    if (problem.fatal) throw;
    depth_ = depth - 1;
    auto const* at = problem.at != nullptr ? problem.at : &e;
    return {make([what = problem.what, at](machine& m) -> value { fail(m, *at, what); }), {.anything = true}};
  }
}

piece compiler::raw(expr const& e, scope const& in) {
  switch (e.kind) {
    case expr_kind::number:
      if (e.number > INT32_MAX)
        throw compile_error{"the number " + std::to_string(e.number) + " does not fit into 32 bits", &e};
      return literal(value::of(static_cast<std::int32_t>(e.number)));
    case expr_kind::string: return literal(values_.string(e.text));
    case expr_kind::bound_name: return name(e, in);
    case expr_kind::declared: return declared(e, in);
    case expr_kind::apply:
      if (auto const* n = known_let(e, in); n != nullptr) return read(*n, e, in);
      return call(resolve(*e.def, e.through, in), e.args, in, e);
    case expr_kind::forall:
    case expr_kind::exists: return quantifier(e, in);
    case expr_kind::choose: return choose(e, in);
    case expr_kind::if_then_else: return if_then_else(e, in);
    case expr_kind::case_of: return case_of(e, in);
    case expr_kind::let: return let(e, in);
    case expr_kind::tuple:
      return strict(e, e.args, in, [](machine& m, expr const&, std::span<value> a) { return m.v.tuple(a); });
    case expr_kind::set_of: return set_of(e, in);
    case expr_kind::set_filter: return set_filter(e, in);
    case expr_kind::set_map: return set_map(e, in);
    case expr_kind::function: return function(e, in);
    case expr_kind::function_set:
      return strict(e, e.args, in, [](machine& m, expr const& at, std::span<value> a) {
        for (auto s : a) {
          if (!is_set(s)) fail(m, at, "a set of functions wants sets, not " + m.v.described(s));
        }
        return m.v.lazy(node_kind::function_set, a);
      });
    case expr_kind::product:
      return strict(e, e.args, in, [](machine& m, expr const& at, std::span<value> a) {
        for (auto s : a) {
          if (!is_set(s)) fail(m, at, "\\X wants sets, not " + m.v.described(s));
        }
        return m.v.lazy(node_kind::product, a);
      });
    case expr_kind::record: return record(e, in);
    case expr_kind::record_set: return record_set(e, in);
    case expr_kind::index: return index(e, in);
    case expr_kind::except: return except(e, in);
    case expr_kind::square:
    case expr_kind::angle: return square_or_angle(e, in);
    case expr_kind::decimal:
      throw compile_error{
          "numbers with a fraction have no value here: write a quotient of integers with \\div, or scale "
          "them",
          &e};
    case expr_kind::operator_name:
    case expr_kind::lambda: throw compile_error{"an operator stands where a value is wanted", &e};
    case expr_kind::weak_fair:
    case expr_kind::strong_fair: throw compile_error{"fairness has no value in a state", &e};
    case expr_kind::temporal_forall:
    case expr_kind::temporal_exists:
      throw compile_error{
          "\\AA and \\EE are not supported, as in TLC: check the formula inside, with a VARIABLE in place of "
          "the name it binds",
          &e};
    case expr_kind::invalid: break;
  }
  throw compile_error{"this is not an expression", &e};
}

piece compiler::if_then_else(expr const& e, scope const& in) {
  auto const test = expression(*e.args[0], in), yes = expression(*e.args[1], in),
             no = expression(*e.args[2], in);
  auto on = test.on;
  on.add(yes.on);
  on.add(no.on);
  return {make([t = test.run, y = yes.run, n = no.run, at = e.args[0]](machine& m) {
            return truth(m, *t, *at) ? y->run(m) : n->run(m);
          }),
          on};
}

piece compiler::case_of(expr const& e, scope const& in) {
  std::vector<code const*> parts;
  needs on;
  for (auto const* a : e.args) {
    auto const p = expression(*a, in);
    parts.push_back(p.run);
    on.add(p.on);
  }
  return {make([parts, &e](machine& m) {
            for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
              if (truth(m, *parts[i], *e.args[i])) return parts[i + 1]->run(m);
            }
            if (parts.size() % 2 == 0) fail(m, e, "no arm of the CASE is true");
            return parts.back()->run(m);
          }),
          on};
}

piece compiler::square_or_angle(expr const& e, scope const& in) {
  auto next = in;
  next.primed = true;
  auto const a = expression(*e.args[0], in), before = expression(*e.args[1], in),
             after = expression(*e.args[1], next);
  auto on = a.on;
  on.add(before.on);
  on.add(after.on);
  bool const square = e.kind == expr_kind::square;
  return {make([a = a.run, before = before.run, after = after.run, square, &e](machine& m) {
            if (truth(m, *a, *e.args[0]) == square) return value::of(square);
            auto const old = before->run(m), fresh = after->run(m);
            m.at = &e;
            bool const same = m.v.equal(old, fresh);
            return value::of(square ? same : !same);
          }),
          on};
}

}  // namespace halfopen::tla
