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

}  // namespace

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
  auto* below = inner != nullptr && inner->mod != nullptr ? s_.scope_of(inner->mod)
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
  if (!named && top) {
    introduce_in_module(d.name, std::move(e));
  } else if (!named && !is_function) {
    introduce(d.name, std::move(e));
  }
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
