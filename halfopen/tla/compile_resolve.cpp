#include <algorithm>

#include <halfopen/tla/compiler.hpp>

/// Which definition a use means, and where its body means something: through INSTANCEs and the
/// configuration's replacements.
namespace halfopen::tla {

namespace {

environment const* find_let(definition const& d, environment const* names) {
  for (; names != nullptr; names = names->rest) {
    if (names->def == &d && names->what != environment::sort::op) return names;
  }
  return nullptr;
}

}  // namespace

environment const* compiler::known_let(expr const& e, scope const& in) const {
  if (e.def->outer == nullptr || !e.args.empty() || !e.through.empty()) return nullptr;
  auto const* n = find_let(*e.def, in.names);
  return n != nullptr && n->what != environment::sort::let ? n : nullptr;
}

replacement const* compiler::replaced(definition const& d, module const* user) const {
  for (auto const& r : binding_.replacements) {
    if (r.defined == &d && (r.only_in == nullptr || r.only_in == user || r.only_in == d.owner)) return &r;
  }
  return nullptr;
}

callee compiler::replacement_target(replacement const& r) {
  callee t;
  t.in = root();
  if (r.value || !r.table.empty()) {
    t.replaced = &r;
    t.def = r.defined;
    t.constant = r.constant;
    return t;
  }
  if (r.by.def != nullptr) {
    t.def = r.by.def;
    t.in.where = enter(r.by.through, root(), nullptr);
    t.in.owner = r.by.def->owner;
    return t;
  }
  t.constant = r.by.decl;
  return t;
}

context const* compiler::enter(std::vector<instance_use> const& through, scope const& use,
                               context const* from) {
  for (auto const& step : through) {
    scope outside = use;
    outside.where = from;
    outside.owner = step.of->owner;
    if (step.of->outer == nullptr) outside.names = nullptr;
    for (std::size_t i = 0; i < step.args.size(); ++i) {
      auto const& p = *step.of->params[i];
      if (p.arity > 0) {
        outside.names =
            bind({.what = environment::sort::op, .name = &p, .e = step.args[i], .in = use}, outside.names);
      } else {
        outside.names =
            bind({.what = environment::sort::alias, .name = &p, .e = step.args[i], .in = use}, outside.names);
      }
    }
    auto& known = known_contexts_[{from, step.of, outside.names}];
    if (known == nullptr) known = &contexts_.emplace_back(context{from, step.of, outside});
    from = known;
  }
  return from;
}

callee compiler::resolve(definition const& d, std::vector<instance_use> const& through, scope const& use) {
  // A named instance's operators are others than those that the configuration names, unless it names the
  // module.
  bool const own =
      std::ranges::all_of(through, [](instance_use const& step) { return step.of->name.empty(); });
  if (auto const* r = replaced(d, use.owner); r != nullptr && (own || r->only_in != nullptr)) {
    if (r->by.def == nullptr || r->by.def != &d) {
      auto t = replacement_target(*r);
      t.in = t.in.used_at(use);
      return t;
    }
  }
  callee t{.def = &d, .in = use};
  t.in.owner = d.owner;
  if (d.outer != nullptr && through.empty()) {
    if (auto const* n = find_let(d, use.names); n != nullptr) {
      t.in.names = n->in.names;
      t.in.where = n->in.where;
      t.mark = n->mark;
    }
    return t;
  }
  t.in.where = enter(through, use, use.where);
  t.in.names = nullptr;
  return t;
}

callee compiler::resolve_operator(expr const& e, scope const& in) {
  if (e.kind == expr_kind::lambda) return {.lambda = &e, .in = in};
  if (e.bind != nullptr) {
    auto const* n = lookup(*e.bind, in, e);
    return resolve_operator(*n->e, n->in.argument_at(in));
  }
  if (e.def != nullptr) return resolve(*e.def, e.through, in);
  return resolve_constant(*e.decl, in, e);
}

/// What the INSTANCEs around `in` put in place of a declared name; by is null if they do not.
substituted compiler::substitution(declaration const& d, scope const& in) {
  for (auto const* c = in.where; c != nullptr; c = c->parent) {
    for (auto const& s : c->of->with) {
      if (s.what == &d) return {s.by, c->outside.used_at(in), c};
    }
  }
  return {};
}

/// A constant operator: what an INSTANCE or the configuration puts in its place.
callee compiler::resolve_constant(declaration const& d, scope const& in, expr const& at) {
  if (auto const s = substitution(d, in); s.by != nullptr) return resolve_operator(*s.by, s.in);
  for (auto const& r : binding_.replacements) {
    if (r.constant != &d) continue;
    auto t = replacement_target(r);
    t.in = t.in.used_at(in);
    return t;
  }
  throw compile_error{"the constant " + std::string{d.name} + " has no value", &at};
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

std::pair<expr const*, scope> compiler::applied(expr const& e, callee const& t, scope const& in) {
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

}  // namespace halfopen::tla
