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

scope compiler::with_value(scope in, binder const& name, value v) {
  in.names = bind({.what = environment::sort::ready, .name = &name, .run = literal(v)}, in.names);
  return in;
}

}  // namespace halfopen::tla
