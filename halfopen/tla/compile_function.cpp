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
  if (simple_loop::fits(all)) {
    return {make([l = simple_loop{all[0]}, run = body.run, &e](machine& m) {
              auto const domain = m.v.explicit_set(l.elements(m));
              value_list results{m};
              for (auto key : items(domain)) {
                m.frame[l.slot] = key;
                results.push_back(run->run(m));
              }
              m.at = &e;
              return m.v.function(domain, results.get());
            }),
            on};
  }
  return {make([all, run = body.run, &e](machine& m) {
            std::vector<value> sets;
            for (auto const& l : all) sets.push_back(l.set.run->run(m));
            m.at = &e;
            auto const domain =
                m.v.explicit_set(sets.size() == 1 ? sets[0] : m.v.lazy(node_kind::product, sets));
            value_list results{m};
            for (auto key : items(domain)) {
              if (all.size() == 1) put(m, all[0], key);
              for (std::size_t i = 0; all.size() > 1 && i < all.size(); ++i) put(m, all[i], items(key)[i]);
              results.push_back(run->run(m));
            }
            m.at = &e;
            return m.v.function(domain, results.get());
          }),
          on};
}

/// [a |-> e, b |-> f]: the names are put in order once.
piece compiler::record(expr const& e, scope const& in) {
  std::vector<value> names;
  for (auto n : e.names) names.push_back(values_.string(n));
  auto sorted = names;
  auto const domain = values_.set(sorted);
  std::vector<code const*> parts;
  needs on;
  for (auto name : items(domain)) {
    auto const i = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    auto const p = expression(*e.args[i], in);
    parts.push_back(p.run);
    on.add(p.on);
  }
  return {make([domain, parts, &e](machine& m) {
            value_list results{m};
            for (auto const* p : parts) results.push_back(p->run(m));
            m.at = &e;
            return m.v.function(domain, results.get());
          }),
          on};
}

piece compiler::record_set(expr const& e, scope const& in) {
  std::vector<value> names;
  std::vector<code const*> parts;
  needs on;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    auto const p = expression(*e.args[i], in);
    names.push_back(values_.string(e.names[i]));
    parts.push_back(p.run);
    on.add(p.on);
  }
  return {make([names, parts, &e](machine& m) {
            std::vector<std::pair<value, value>> fields;
            for (std::size_t i = 0; i < parts.size(); ++i) {
              auto const of = parts[i]->run(m);
              if (!is_set(of)) fail(m, *e.args[i], "a set is wanted here, not " + m.v.described(of));
              fields.emplace_back(names[i], of);
            }
            m.at = &e;
            return m.v.record_set(fields);
          }),
          on};
}

piece compiler::index(expr const& e, scope const& in) {
  if (auto const& f = *e.args[0]; f.kind == expr_kind::apply && f.def->is_function && f.args.empty()) {
    auto const t = resolve(*f.def, f.through, in);
    if (t.def != nullptr && t.def->is_function && t.replaced == nullptr)
      return function_as_call(t, f, *e.args[1], in, e);
  }
  if (e.args[1]->kind == expr_kind::string) return field(e, in);
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

/// r.name: records with the same names have the same domain, and the name the same place in it.
piece compiler::field(expr const& e, scope const& in) {
  auto const f = expression(*e.args[0], in);
  return {make([f = f.run, name = values_.string(e.args[1]->text), domain = value{}, place = std::size_t{0},
                &e](machine& m) mutable {
            auto const record = f->run(m);
            if (is_kind(record, node_kind::function) && items(record)[0] == domain)
              return items(record)[place];
            m.at = &e;
            auto const found = m.v.apply(record, name);
            if (is_kind(record, node_kind::function)) {
              domain = items(record)[0];
              place = static_cast<std::size_t>(m.v.position(record, name)) + 1;
            }
            return found;
          }),
          f.on};
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
