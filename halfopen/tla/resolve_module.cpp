#include <algorithm>
#include <utility>

#include <halfopen/tla/levels.hpp>
#include <halfopen/tla/resolver.hpp>

namespace halfopen::tla {
namespace {

template <class T>
void add_new(std::vector<T>& all, std::vector<T> const& more) {
  for (auto const& x : more) {
    if (std::ranges::find(all, x) == all.end()) all.push_back(x);
  }
}

module_scope* scope_of(spec::storage& s, module const* m) {
  auto const it = std::ranges::find(s.scopes, m, &module_scope::mod);
  return it == s.scopes.end() ? nullptr : &*it;
}

}  // namespace

/// Resolves what stands in a frame of its own: a definition at the top, an assumption, an instance.
template <class Body>
std::uint32_t resolver::own_frame(definition const* d, Body body) {
  auto const frame = std::exchange(frame_, 0);
  auto const* outer = std::exchange(outer_, d);
  body();
  outer_ = outer;
  return std::exchange(frame_, frame);
}

void resolver::module(syntax_node const& n) {
  auto& m = *scope_.mod;
  m.name = n.text;
  m.file = &file_;
  m.range = range(n);
  m.outer = scope_.outer == nullptr ? nullptr : scope_.outer->mod;
  tree_ = &n;
  auto const before = loader_.error_count();
  for (std::size_t i = 0; i < n.count; ++i) extend(*n.kids[i]);
  for (std::size_t i = n.count; i < n.kids.size(); ++i) {
    unit(*n.kids[i]);
    defining_ = {};
    local_.clear();
  }
  check_recursive_defined(0);
  if (loader_.error_count() == before) check_levels(loader_, m);
}

definition const* resolver::bare_expression(syntax_node const& n) {
  auto& d = s_.definitions.emplace_back();
  d.owner = scope_.mod;
  d.range = range(n);
  d.frame_size = own_frame(&d, [&] { d.body = expression(n); });
  return &d;
}

void resolver::extend(syntax_node const& name) {
  auto const* inner = lookup(name.text);
  auto* below = inner != nullptr && inner->mod != nullptr ? scope_of(s_, inner->mod)
                                                          : loader_.module(name.text, range(name));
  if (below == nullptr) {
    incomplete_ = true;
    return;
  }
  auto& m = *scope_.mod;
  m.extends.push_back(below->mod);
  add_new(m.constants, below->mod->constants);
  add_new(m.variables, below->mod->variables);
  add_new(m.definitions, below->mod->definitions);
  add_new(m.instances, below->mod->instances);
  for (auto const& a : below->mod->assumptions) {
    if (std::ranges::find(m.assumptions, a.def, &assumption::def) == m.assumptions.end())
      m.assumptions.push_back(a);
  }
  for (auto const& [known, e] : below->names) {
    if (!e.local) introduce_in_module(known, e);
  }
}

void resolver::unit(syntax_node const& n) {
  switch (n.kind) {
    case syntax_kind::constants: return declare(n, declaration::sort::constant);
    case syntax_kind::variables: return declare(n, declaration::sort::variable);
    case syntax_kind::recursive: return recursive(n);
    case syntax_kind::definition:
    case syntax_kind::function_definition: define(n); return;
    case syntax_kind::instance_definition: named_instance(n); return;
    case syntax_kind::instance: return unnamed_instance(n);
    case syntax_kind::assumption: return assume(n);
    case syntax_kind::theorem: return theorem(n);
    case syntax_kind::module: return inner_module(n);
    default: return;
  }
}

void resolver::inner_module(syntax_node const& n) {
  auto& scope = s_.scopes.emplace_back();
  scope.mod = &s_.modules.emplace_back();
  scope.outer = &scope_;
  resolver{loader_, scope, file_}.module(n);
  entry e;
  e.mod = scope.mod;
  e.range = name_range(n);
  introduce_in_module(n.text, std::move(e));
}

void resolver::declare(syntax_node const& list, declaration::sort sort) {
  auto& m = *scope_.mod;
  for (auto const* k : list.kids) {
    auto& d = s_.declarations.emplace_back();
    d.name = k->text;
    d.what = sort;
    d.arity = k->count;
    d.owner = &m;
    d.range = name_range(*k);
    entry e;
    e.decl = &d;
    e.range = d.range;
    introduce_in_module(d.name, std::move(e));
    (sort == declaration::sort::constant ? m.constants : m.variables).push_back(&d);
  }
}

void resolver::recursive(syntax_node const& n) {
  for (auto const* k : n.kids) {
    auto& d = s_.definitions.emplace_back();
    d.name = k->text;
    d.owner = scope_.mod;
    d.outer = outer_;
    d.recursive = true;
    d.range = d.name_range = name_range(*k);
    for (std::uint32_t i = 0; i < k->count; ++i) d.params.push_back(&s_.binders.emplace_back());
    recursive_.push_back(&d);
    entry e;
    e.def = &d;
    e.range = d.range;
    if (outer_ == nullptr) {
      introduce_in_module(d.name, std::move(e));
    } else {
      introduce(d.name, std::move(e));
    }
  }
}

/// The definition that RECURSIVE announced, or a new one.
definition& resolver::definition_for(syntax_node const& n, std::size_t arity) {
  auto const announced = std::ranges::find_if(
      recursive_, [&](definition const* d) { return d->name == n.text && d->outer == outer_; });
  if (announced == recursive_.end()) return s_.definitions.emplace_back();
  auto& d = **announced;
  recursive_.erase(announced);
  if (d.arity() != arity) {
    report(name_range(n), "tla.arity", std::string{n.text} + " with " + std::to_string(arity) + " parameters",
           std::to_string(d.arity()) + ", as RECURSIVE says", "announced at " + to_string(d.range));
  }
  return d;
}

definition const* resolver::define(syntax_node const& n) {
  auto const outer_name = std::exchange(defining_, n.text);
  auto const scope = local_.size();
  bool const is_function = n.kind == syntax_kind::function_definition;
  auto& d = definition_for(n, is_function ? 0 : n.kids.size() - 1);
  bool const announced = !d.name.empty();
  d.name = n.text;
  d.owner = scope_.mod;
  d.outer = outer_;
  d.range = range(n);
  d.name_range = name_range(n);
  d.local = n.local;
  d.is_function = is_function;
  entry e;
  e.def = &d;
  e.local = n.local;
  e.range = d.name_range;
  bool const top = outer_ == nullptr;
  auto const resolve_body = [&] {
    if (is_function) {
      if (!announced && top) introduce_in_module(d.name, e);
      if (!announced && !top) introduce(d.name, e);
      functions_.push_back(&d);
      d.body = with_bounds(expr_kind::function, n, 0, n.kids.size() - 1, n.kids.size() - 1);
      functions_.pop_back();
    } else {
      define_parameters(n, d);
      d.body = expression(*n.kids.back());
    }
  };
  if (top) {
    d.frame_size = own_frame(&d, resolve_body);
  } else {
    resolve_body();
  }
  bool const named = announced || (is_function && top);
  local_.resize(is_function && !top && !announced ? scope + 1 : scope);
  if (!named && top) introduce_in_module(d.name, std::move(e));
  if (!named && !top && !is_function) introduce(d.name, std::move(e));
  if (top) scope_.mod->definitions.push_back(&d);
  defining_ = outer_name;
  return &d;
}

void resolver::define_parameters(syntax_node const& n, definition& d) {
  d.params.clear();
  for (std::size_t i = 0; i + 1 < n.kids.size(); ++i) d.params.push_back(bind(*n.kids[i], n.kids[i]->count));
}

void resolver::check_recursive_defined(std::size_t from) {
  for (std::size_t i = from; i < recursive_.size(); ++i) {
    report(recursive_[i]->range, "tla.undefined", "RECURSIVE " + std::string{recursive_[i]->name},
           "a definition of " + std::string{recursive_[i]->name} + " below it");
  }
  recursive_.resize(std::min(from, recursive_.size()));
}

instance const* resolver::named_instance(syntax_node const& n) {
  auto const outer_name = std::exchange(defining_, n.text);
  auto const scope = local_.size();
  auto& i = make_instance(*n.kids.back(), range(n));
  i.name = n.text;
  i.local = n.local;
  auto const resolve = [&] {
    for (std::size_t k = 0; k + 1 < n.kids.size(); ++k)
      i.params.push_back(bind(*n.kids[k], n.kids[k]->count));
    substitute(i, *n.kids.back());
  };
  if (outer_ == nullptr) {
    i.frame_size = own_frame(nullptr, resolve);
  } else {
    resolve();
  }
  local_.resize(scope);
  entry e;
  e.inst = &i;
  e.local = n.local;
  e.range = name_range(n);
  if (outer_ == nullptr) {
    introduce_in_module(i.name, std::move(e));
  } else {
    introduce(i.name, std::move(e));
  }
  defining_ = outer_name;
  return &i;
}

void resolver::unnamed_instance(syntax_node const& n) {
  auto& i = make_instance(n, range(n));
  i.local = n.local;
  i.frame_size = own_frame(nullptr, [&] { substitute(i, n); });
  auto const* below = i.of == nullptr ? nullptr : scope_of(s_, i.of);
  if (below == nullptr) {
    incomplete_ = true;
    return;
  }
  for (auto const& [name, known] : below->names) {
    if (known.local || (known.def == nullptr && known.inst == nullptr)) continue;
    auto e = known;
    e.local = n.local;
    if (!i.with.empty()) e.through.insert(e.through.begin(), instance_use{&i, {}});
    auto const* here = lookup(name);
    if (here == nullptr) introduce_in_module(name, std::move(e));
    if (here != nullptr && !here->same_thing(known)) already_there(name, *here, i);
  }
}

/// What stands in the module already stays when an unnamed INSTANCE brings in the same name.
void resolver::already_there(std::string_view name, entry const& here, instance const& i) {
  s_.warnings.push_back({file_.path, i.range.begin, severity::warning, "tla.hidden",
                         std::string{name} + " in " + std::string{i.of->name},
                         "a name that has no meaning here yet",
                         "the one at " + to_string(here.range) + " stays"});
}

instance& resolver::make_instance(syntax_node const& n, source_range range) {
  auto& i = s_.instances.emplace_back();
  i.owner = scope_.mod;
  i.outer = outer_;
  i.range = range;
  auto const* inner = lookup(n.text);
  auto* below = inner != nullptr && inner->mod != nullptr ? scope_of(s_, inner->mod)
                                                          : loader_.module(n.text, name_range(n));
  i.of = below == nullptr ? nullptr : below->mod;
  if (outer_ == nullptr) scope_.mod->instances.push_back(&i);
  return i;
}

void resolver::substitute(instance& i, syntax_node const& n) {
  if (i.of == nullptr) return;
  std::vector<declaration const*> wanted = i.of->constants;
  wanted.insert(wanted.end(), i.of->variables.begin(), i.of->variables.end());
  for (auto const* k : n.kids) {
    auto const what = std::ranges::find(wanted, k->text, &declaration::name);
    if (what == wanted.end()) {
      report(name_range(*k), "tla.instance", "a substitution for " + std::string{k->text},
             "a CONSTANT or VARIABLE of " + std::string{i.of->name} + ", each once");
      continue;
    }
    i.with.push_back({*what, substitution_by(**what, *k->kids[0])});
    wanted.erase(what);
  }
  for (auto const* what : wanted) {
    if (auto const* by = implicit_substitution(*what, i)) i.with.push_back({what, by});
  }
}

expr const* resolver::substitution_by(declaration const& what, syntax_node const& by) {
  auto const wanted = "the constant " + std::string{what.name};
  return what.arity == 0 ? expression(by) : operator_argument(by, what.arity, wanted);
}

expr const* resolver::implicit_substitution(declaration const& what, instance const& i) {
  auto const* known = lookup(what.name);
  if (known == nullptr || known->mod != nullptr || known->inst != nullptr) {
    bool const constant = what.what == declaration::sort::constant;
    report(i.range, "tla.instance",
           "INSTANCE " + std::string{i.of->name} + " without a value for its " +
               (constant ? "CONSTANT " : "VARIABLE ") + std::string{what.name},
           std::string{what.name} + " <- expression after WITH, or something named " +
               std::string{what.name} + " here");
    return nullptr;
  }
  syntax_node place;
  place.kind = syntax_kind::segment;
  place.begin = place.at = i.range.begin;
  place.end = i.range.end;
  auto const entry_copy = *known;
  if (what.arity == 0) return applied(entry_copy, {}, what.name, place);
  return operator_entry(entry_copy, what.arity, what.name, "the constant " + std::string{what.name}, place);
}

void resolver::assume(syntax_node const& n) {
  auto const& d = formula(n);
  if (!n.text.empty()) name_formula(d);
  scope_.mod->assumptions.push_back({d.name, &d, d.range});
}

/// A theorem's name can be used like a definition's. It says nothing to a checker otherwise, so one that does
/// not resolve (it may speak of what its proof's library defines) is left out without a word.
void resolver::theorem(syntax_node const& n) {
  if (n.text.empty() || n.kids.empty()) return;
  auto const before = loader_.error_count();
  auto const& d = formula(n);
  if (loader_.error_count() == before) {
    name_formula(d);
  } else {
    loader_.forget_errors(before);
  }
}

definition const& resolver::formula(syntax_node const& n) {
  defining_ = n.text;
  auto& d = s_.definitions.emplace_back();
  d.name = n.text;
  d.owner = scope_.mod;
  d.range = range(n);
  d.name_range = name_range(n);
  d.frame_size = own_frame(&d, [&] { d.body = expression(*n.kids[0]); });
  return d;
}

void resolver::name_formula(definition const& d) {
  entry e;
  e.def = &d;
  e.range = d.name_range;
  introduce_in_module(d.name, std::move(e));
}

}  // namespace halfopen::tla
