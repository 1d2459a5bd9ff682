#pragma once

#include <string>

#include <halfopen/tla/compiler.hpp>
#include <halfopen/tla/spec.hpp>

namespace halfopen::tla {

/// The value of an expression that may use what the module `s` defines, as text; or what went wrong.
template <class Loaded>
std::string value_in(Loaded& s, std::string const& text) {
  if (!s) return "does not load: " + to_string(s.error().front());
  auto const e = s->parse_expression(text);
  if (!e) return "does not parse: " + to_string(e.error().front());
  binding const b;
  value_pool pool;
  compiler c{*s, b, pool};
  machine m{pool};
  try {
    auto const p = c.expression(*(*e)->body, c.root());
    m.top = m.frame + c.frame_size();
    return m.v.text(m.v.normal(p.run->run(m)));
  } catch (value_error const& x) {
    return "error: " + x.what;
  } catch (compile_error const& x) {
    return "error: " + x.what;
  }
}

}  // namespace halfopen::tla
