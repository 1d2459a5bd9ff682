#include <algorithm>
#include <array>

#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

namespace {

struct compiled_update {
  std::vector<code const*> path;
  code const* by = nullptr;
  std::int64_t at_slot = -1;
  expr const* where = nullptr;
};

/// `f` with the value at the rest of the path replaced. What is not in the domain stays as it is.
value updated(machine& m, value f, std::span<value const> path, compiled_update const& u) {
  if (path.empty()) {
    if (u.at_slot >= 0) m.frame[u.at_slot] = f;
    return u.by->run(m);
  }
  m.at = u.where;
  if (!is_function(f))
    throw value_error{"EXCEPT is applied to " + m.v.described(f) + ", which is not a function"};
  auto const i = m.v.position(f, path[0]);
  if (i < 0) return f;
  auto const inner = updated(m, m.v.results(f)[static_cast<std::size_t>(i)], path.subspan(1), u);
  m.at = u.where;
  return m.v.with_result(f, static_cast<std::size_t>(i), inner);
}

}  // namespace

piece compiler::function(expr const& e, scope const& in) {
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const body = expression(*e.args[0], inner);
  on.add(body.on);
  drop_slots(all, on);
  bool const product = all.size() > 1;
  return {make([all, run = body.run, product, &e](machine& m) {
            value domain;
            if (product) {
              std::vector<value> sets;
              for (auto const& l : all) sets.push_back(l.set.run->run(m));
              m.at = &e;
              domain = m.v.explicit_set(m.v.lazy(node_kind::product, sets));
            } else {
              auto const set = all[0].set.run->run(m);
              m.at = all[0].at;
              domain = m.v.explicit_set(set);
            }
            value_list results{m};
            for (auto key : items(domain)) {
              if (product) {
                for (std::size_t i = 0; i < all.size(); ++i) put(m, all[i], items(key)[i]);
              } else {
                put(m, all[0], key);
              }
              results.push_back(run->run(m));
            }
            m.at = &e;
            return m.v.function(domain, results.get());
          }),
          on};
}

piece compiler::record(expr const& e, scope const& in) {
  std::vector<value> names;
  for (auto n : e.names) names.push_back(values_.string(n));
  std::vector<code const*> parts;
  needs on;
  for (auto const* a : e.args) {
    auto const p = expression(*a, in);
    parts.push_back(p.run);
    on.add(p.on);
  }
  bool const set = e.kind == expr_kind::record_set;
  return {make([names, parts, set, &e](machine& m) {
            std::vector<std::pair<value, value>> fields;
            for (std::size_t i = 0; i < parts.size(); ++i) {
              fields.emplace_back(names[i], parts[i]->run(m));
              if (set && !is_set(fields.back().second)) {
                fail(m, *e.args[i], "a set is wanted here, not " + m.v.described(fields.back().second));
              }
            }
            m.at = &e;
            return set ? m.v.record_set(fields) : m.v.record(fields);
          }),
          on};
}

piece compiler::index(expr const& e, scope const& in) {
  if (auto const& f = *e.args[0]; f.kind == expr_kind::apply && f.def->is_function && f.args.empty()) {
    auto const t = resolve(*f.def, f.through, in);
    if (t.def != nullptr && t.def->is_function && t.replaced == nullptr)
      return function_as_call(t, f, *e.args[1], in, e);
  }
  auto const f = expression(*e.args[0], in), x = expression(*e.args[1], in);
  auto on = f.on;
  on.add(x.on);
  return {make([f = f.run, x = x.run, &e](machine& m) {
            auto const function = f->run(m);
            auto const argument = x->run(m);
            if (is_tuple(function) && argument.is_integer() && argument.integer() >= 1 &&
                static_cast<std::uint32_t>(argument.integer()) <= function.as_node()->size) {
              return items(function)[static_cast<std::size_t>(argument.integer() - 1)];
            }
            m.at = &e;
            return m.v.apply(function, argument);
          }),
          on};
}

piece compiler::except(expr const& e, scope const& in) {
  auto const f = expression(*e.args[0], in);
  auto on = f.on;
  std::vector<compiled_update> updates;
  for (auto const& u : e.updates) {
    compiled_update c;
    c.where = &e;
    for (auto const* p : u.path) {
      auto const step = expression(*p, in);
      on.add(step.on);
      c.path.push_back(step.run);
    }
    auto inner = in;
    if (u.at != nullptr) {
      auto const slot = in.slots->take();
      c.at_slot = slot;
      inner = with_slot(in, *u.at, slot);
    }
    auto by = expression(*u.value, inner);
    if (u.at != nullptr) by.on.drop_slot(static_cast<std::uint32_t>(c.at_slot));
    on.add(by.on);
    c.by = by.run;
    updates.push_back(std::move(c));
  }
  return {make([f = f.run, updates](machine& m) {
            auto now = f->run(m);
            for (auto const& u : updates) {
              std::array<value, 8> path{};
              if (u.path.size() > path.size()) fail(m, *u.where, "EXCEPT with a path of more than 8 steps");
              for (std::size_t i = 0; i < u.path.size(); ++i) path[i] = u.path[i]->run(m);
              now = updated(m, now, std::span{path}.first(u.path.size()), u);
            }
            return now;
          }),
          on};
}

}  // namespace halfopen::tla
