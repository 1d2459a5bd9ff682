#include <algorithm>

#include <halfopen/tla/resolver.hpp>

namespace halfopen::tla {
namespace {

std::string count(std::size_t n, std::string const& what) {
  if (n == 0) return "no " + what;
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::size_t arity_of(entry const& e) noexcept {
  if (e.bind != nullptr) return e.bind->arity;
  if (e.decl != nullptr) return e.decl->arity;
  return e.def != nullptr ? e.def->arity() : 0;
}

void refer(expr& to, entry const& e) {
  to.bind = e.bind;
  to.decl = e.decl;
  to.def = e.def;
  to.through = e.through;
}

}  // namespace

expr const* resolver::reference(syntax_node const& n) {
  if (n.kind == syntax_kind::at_sign) {
    auto& e = make(expr_kind::bound_name, n);
    e.bind = at_;
    at_used_ = true;
    if (at_ == nullptr) {
      report(range(n), "tla.at", "@", "a value",
             "@ is the old value, and only has one on the right of an update in EXCEPT");
    }
    return &e;
  }
  auto const t = follow(n);
  if (!t) return invalid(n);
  if (t->next < n.kids.size()) return part_of(*t, n);
  return applied(t->what, t->segment->kids, t->segment->text, n);
}

/// Walks I(a)!J!Op up to the operator. What follows an operator is a part of its definition.
std::optional<resolver::target> resolver::follow(syntax_node const& n) {
  target t;
  auto const* known = lookup(n.kids[0]->text);
  if (known == nullptr) {
    for (auto const* k : n.kids[0]->kids) {
      if (k->kind != syntax_kind::operator_name && k->kind != syntax_kind::lambda) expression(*k);
    }
    undefined(n.kids[0]->text, range(*n.kids[0]));
    return std::nullopt;
  }
  t.what = *known;
  t.segment = n.kids[0];
  t.next = 1;
  while (t.what.inst != nullptr) {
    if (t.next == n.kids.size()) {
      report(range(n), "tla.instance", "the instance " + std::string{t.segment->text},
             "a definition of it: " + std::string{t.segment->text} + "!Name");
      return std::nullopt;
    }
    if (!step_into(t, *n.kids[t.next], n)) return std::nullopt;
    ++t.next;
  }
  if (t.what.mod != nullptr) {
    report(range(n), "tla.undefined", "the module " + std::string{t.segment->text}, "a value");
    return std::nullopt;
  }
  return t;
}

bool resolver::step_into(target& t, syntax_node const& segment, syntax_node const& whole) {
  auto const& inst = *t.what.inst;
  instance_use use;
  use.of = &inst;
  expr holder;  // collects the arguments
  arguments(holder, inst.params, t.segment->kids, t.segment->text, whole);
  use.args = std::move(holder.args);
  if (inst.of == nullptr) return false;
  auto const scope = std::ranges::find(s_.scopes, inst.of, &module_scope::mod);
  auto const found =
      scope == s_.scopes.end() ? decltype(scope->names.end()){} : scope->names.find(segment.text);
  bool const there = scope != s_.scopes.end() && found != scope->names.end() && !found->second.local &&
                     (found->second.def != nullptr || found->second.inst != nullptr);
  if (!there) {
    std::vector<std::string> names;
    if (scope != s_.scopes.end()) {
      for (auto const& [name, e] : scope->names) {
        if (!e.local && e.def != nullptr) names.emplace_back(name);
      }
    }
    std::ranges::sort(names);
    auto const near = nearest(std::string{segment.text}, names);
    report(range(segment), "tla.undefined",
           std::string{t.segment->text} + "!" + std::string{segment.text} + ", which the module " +
               std::string{inst.of->name} + " does not define",
           "a definition of " + std::string{inst.of->name},
           near.empty() ? "" : "did you mean " + std::string{t.segment->text} + "!" + near + "?");
    return false;
  }
  auto through = t.what.through;
  if (!inst.with.empty() || !inst.params.empty()) through.push_back(std::move(use));
  through.insert(through.end(), found->second.through.begin(), found->second.through.end());
  t.what = found->second;
  t.what.through = t.what.def != nullptr && t.what.def->primitive != primitive::none
                       ? std::vector<instance_use>{}
                       : std::move(through);
  t.segment = &segment;
  return true;
}

expr const* resolver::applied(entry const& what, std::vector<syntax_node*> const& args, std::string_view name,
                              syntax_node const& n) {
  if (what.inst != nullptr || what.mod != nullptr) return invalid(n);
  auto& e = make(what.bind != nullptr   ? expr_kind::bound_name
                 : what.decl != nullptr ? expr_kind::declared
                                        : expr_kind::apply,
                 n);
  refer(e, what);
  if (what.def != nullptr) {
    auto const self = std::ranges::find(functions_, what.def);
    if (self != functions_.end()) (*self)->recursive = true;
    auto const params = what.def->params;
    arguments(e, params, args, name, n);
    return &e;
  }
  std::vector<binder> values(arity_of(what));
  std::vector<binder const*> params;
  for (auto const& v : values) params.push_back(&v);
  arguments(e, params, args, name, n);
  return &e;
}

void resolver::arguments(expr& e, std::vector<binder const*> const& params,
                         std::vector<syntax_node*> const& args, std::string_view name, syntax_node const& n) {
  if (args.size() != params.size()) {
    report(n.kind == syntax_kind::infix || n.kind == syntax_kind::postfix ? name_range(n) : range(n),
           "tla.arity", std::string{name} + " with " + count(args.size(), "argument"),
           count(params.size(), "argument"),
           e.def != nullptr && e.def->name_range.known()
               ? std::string{name} + " is defined at " + to_string(e.def->name_range)
               : "");
    return;
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (params[i]->arity == 0) {
      e.args.push_back(expression(*args[i]));
      continue;
    }
    auto const wanted = params[i]->name.empty() ? "argument " + std::to_string(i + 1)
                                                : "the parameter " + std::string{params[i]->name};
    e.args.push_back(operator_argument(*args[i], params[i]->arity, wanted + " of " + std::string{name}));
  }
}

expr const* resolver::operator_argument(syntax_node const& n, std::uint32_t arity,
                                        std::string const& wanted) {
  auto const needed = "an operator of " + count(arity, "argument") + " for " + wanted;
  if (n.kind == syntax_kind::lambda) {
    if (n.kids.size() - 1 != arity) {
      report(range(n), "tla.operator-argument", "a LAMBDA of " + count(n.kids.size() - 1, "parameter"),
             needed);
    }
    return lambda(n);
  }
  if (n.kind == syntax_kind::operator_name) {
    auto const name = n.text == "-" && arity == 1 ? std::string_view{"-."} : n.text;
    auto const* known = lookup(name);
    if (known == nullptr) {
      undefined(name, range(n));
      return invalid(n);
    }
    auto const copy = *known;
    return operator_entry(copy, arity, name, wanted, n);
  }
  if (n.kind != syntax_kind::reference) {
    report(range(n), "tla.operator-argument", "a value", needed);
    return invalid(n);
  }
  auto const t = follow(n);
  if (!t) return invalid(n);
  if (t->next < n.kids.size() || !t->segment->kids.empty()) {
    report(range(n), "tla.operator-argument", "a value", needed, "give the operator alone, or a LAMBDA");
    return invalid(n);
  }
  return operator_entry(t->what, arity, t->segment->text, wanted, n);
}

expr const* resolver::operator_entry(entry const& what, std::uint32_t arity, std::string_view name,
                                     std::string const& wanted, syntax_node const& n) {
  if (arity_of(what) != arity) {
    report(range(n), "tla.operator-argument",
           "the argument " + std::string{name} + ", which takes " + count(arity_of(what), "argument"),
           "an operator of " + count(arity, "argument") + " for " + wanted);
    return invalid(n);
  }
  auto& e = make(expr_kind::operator_name, n);
  refer(e, what);
  return &e;
}

}  // namespace halfopen::tla
