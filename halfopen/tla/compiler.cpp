#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

compiler::compiler(spec const& s, binding const& b, value_pool& pool)
    : spec_{s},
      binding_{b},
      values_{pool},
      variables_{static_cast<std::uint32_t>(s.root().variables.size())} {}

compiler::~compiler() = default;

scope compiler::root() { return {.slots = &slots_, .owner = &spec_.root()}; }

declaration const& compiler::variable(std::uint32_t i) const { return *spec_.root().variables[i]; }

value compiler::value_of(config_value const& v) {
  switch (v.what) {
    case config_value::sort::number:
      if (v.number > INT32_MAX || v.number < INT32_MIN)
        throw compile_error{"a number in the configuration does not fit into 32 bits"};
      return value::of(static_cast<std::int32_t>(v.number));
    case config_value::sort::string: return values_.string(v.text);
    case config_value::sort::boolean: return value::of(v.number != 0);
    case config_value::sort::model_value: return values_.pool().model_value(v.text);
    case config_value::sort::set: {
      std::vector<value> all;
      for (auto const& e : v.elements) all.push_back(value_of(e));
      return values_.set(all);
    }
  }
  throw compile_error{"a value in the configuration is of no known sort"};
}

std::pair<expr const*, scope> compiler::body_of(symbol const& s) {
  auto t = resolve(*s.def, s.through, root());
  return {t.def->body, t.in};
}

std::pair<expr const*, scope> compiler::seen_as(expr const& e, scope const& in) {
  if (e.kind == expr_kind::bound_name || e.kind == expr_kind::declared) {
    if (e.kind == expr_kind::bound_name) {
      auto const* n = find(*e.bind, in);
      if (n == nullptr) return {&e, in};  // of a quantifier that is being looked through
      if (n->what == environment::sort::op) return applied(e, resolve_operator(e, in), in);
    }
    return seen_through(e, in);
  }
  if (e.kind != expr_kind::apply || e.def->primitive != primitive::none || known_let(e, in) != nullptr)
    return {&e, in};
  return applied(e, resolve(*e.def, e.through, in), in);
}

std::pair<expr const*, scope> compiler::applied(expr const& e, target const& t, scope const& in) {
  if (t.constant != nullptr || t.replaced != nullptr) return {&e, in};
  if (t.def != nullptr && (t.def->body == nullptr || t.def->recursive || t.def->is_function)) return {&e, in};
  auto const& params = t.lambda != nullptr ? t.lambda->bounds[0].names : t.def->params;
  auto inside = t.in;
  inside.slots = in.slots;
  for (std::size_t i = 0; i < params.size(); ++i) {
    auto const sort = params[i]->arity > 0 ? environment::sort::op : environment::sort::alias;
    inside.names = bind({.what = sort, .name = params[i], .e = e.args.at(i), .in = in}, inside.names);
  }
  return {t.lambda != nullptr ? t.lambda->args[0] : t.def->body, inside};
}

scope compiler::with_open_lets(expr const& let, scope in) {
  auto const* outer = in.names;
  for (auto const* d : let.lets) in.names = bind({.what = environment::sort::let, .def = d}, in.names);
  for (auto* n = const_cast<environment*>(in.names); n != outer; n = const_cast<environment*>(n->rest))
    n->in = in;
  return in;
}

/// Inside ENABLED, the next value of an instance's variable that is an expression outside.
std::uint32_t compiler::own_variable(declaration const& d, context const* c) {
  return own_.try_emplace({&d, c}, row_size()).first->second;
}

scope compiler::with_value(scope in, binder const& name, value v) {
  in.names = bind({.what = environment::sort::ready, .name = &name, .run = literal(v)}, in.names);
  return in;
}

}  // namespace halfopen::tla
