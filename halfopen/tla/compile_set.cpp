#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

piece compiler::set_of(expr const& e, scope const& in) {
  return strict(e, e.args, in, [](machine& m, expr const&, std::span<value> a) {
    if (a.size() == 1) {
      a[0] = m.v.normal(a[0]);
      return m.v.sorted_set(a);
    }
    return m.v.set(a);
  });
}

piece compiler::set_filter(expr const& e, scope const& in) {
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const body = expression(*e.args[0], inner);
  on.add(body.on);
  drop_slots(all, on);
  if (simple_loop::fits(all)) {
    return {make([l = simple_loop{all[0]}, run = body.run, at = e.args[0]](machine& m) {
              value_list kept{m};
              m.v.each(l.elements(m), [&](value v) {
                m.frame[l.slot] = v;
                if (truth(m, *run, *at)) kept.push_back(v);
                return false;
              });
              return m.v.sorted_set(kept.get());
            }),
            on};
  }
  return {make([l = all[0], run = body.run, at = e.args[0]](machine& m) {
            auto const set = l.set.run->run(m);
            m.at = l.at;
            if (!is_set(set)) fail(m, *l.at, "a set is wanted here, not " + m.v.described(set));
            value_list kept{m};
            m.v.each(set, [&](value v) {
              put(m, l, v);
              if (truth(m, *run, *at)) kept.push_back(v);
              return false;
            });
            return m.v.sorted_set(kept.get());
          }),
          on};
}

piece compiler::set_map(expr const& e, scope const& in) {
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const body = expression(*e.args[0], inner);
  on.add(body.on);
  drop_slots(all, on);
  if (simple_loop::fits(all)) {
    return {make([l = simple_loop{all[0]}, run = body.run, &e](machine& m) {
              value_list made{m};
              m.v.each(l.elements(m), [&](value v) {
                m.frame[l.slot] = v;
                made.push_back(run->run(m));
                return false;
              });
              m.at = &e;
              return m.v.set(made.get());
            }),
            on};
  }
  return {make([all, run = body.run, &e](machine& m) {
            value_list made{m};
            each(m, all, [&] {
              made.push_back(run->run(m));
              return false;
            });
            m.at = &e;
            return m.v.set(made.get());
          }),
          on};
}

}  // namespace halfopen::tla
