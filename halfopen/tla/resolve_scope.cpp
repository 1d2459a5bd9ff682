#include <algorithm>
#include <array>

#include <halfopen/tla/operators.hpp>
#include <halfopen/tla/resolver.hpp>

namespace halfopen::tla {
namespace {

std::string kind_of(entry const& e) {
  if (e.decl != nullptr)
    return e.decl->what == declaration::sort::constant ? "declared as a CONSTANT" : "declared as a VARIABLE";
  if (e.bind != nullptr) return "bound";
  if (e.mod != nullptr) return "a module";
  return "defined";
}

std::string place(entry const& e) {
  return e.range.known()
             ? kind_of(e) + " at " + to_string(e.range)
             : std::string{e.def != nullptr && e.def->owner == nullptr ? "part of the language"
                                                                       : "defined in a standard module"};
}

bool defines(syntax_node const& unit, std::string_view name) {
  switch (unit.kind) {
    case syntax_kind::definition:
    case syntax_kind::function_definition:
    case syntax_kind::instance_definition:
    case syntax_kind::assumption:
    case syntax_kind::theorem: return unit.text == name;
    case syntax_kind::constants:
    case syntax_kind::variables:
      return std::ranges::any_of(unit.kids, [&](syntax_node const* k) { return k->text == name; });
    default: return false;
  }
}

}  // namespace

resolver::resolver(loader& l, module_scope& scope, source_file const& file)
    : loader_{l}, s_{l.storage()}, scope_{scope}, file_{file} {}

entry const* resolver::lookup(std::string_view name) const {
  for (auto it = local_.rbegin(); it != local_.rend(); ++it) {
    if (it->first == name) return &it->second;
  }
  for (auto const* scope = &scope_; scope != nullptr; scope = scope->outer) {
    if (auto const it = scope->names.find(name); it != scope->names.end()) return &it->second;
  }
  auto const it = s_.language.find(name);
  return it == s_.language.end() ? nullptr : &it->second;
}

/// A name that only a part of a definition sees.
void resolver::introduce(std::string_view name, entry e) {
  refuse_duplicate(name, e);
  local_.emplace_back(name, std::move(e));
}

void resolver::introduce_in_module(std::string_view name, entry e) {
  if (refuse_duplicate(name, e)) return;
  scope_.names.insert_or_assign(name, std::move(e));
}

bool resolver::refuse_duplicate(std::string_view name, entry const& e) {
  auto const* known = lookup(name);
  if (known == nullptr || known->same_thing(e)) return false;
  auto const twice = e.bind != nullptr ? "the bound name " : "a second meaning for ";
  report(e.range.known() ? e.range : source_range{&file_, scope_.mod->range.begin, scope_.mod->range.begin},
         "tla.duplicate", twice + std::string{name}, "a name that has no meaning here yet",
         std::string{name} + " is " + place(*known));
  return true;
}

void resolver::undefined(std::string_view name, source_range const& where) {
  if (incomplete_) return;  // what is missing has been reported, so the whole fails anyway
  std::string hint;
  auto const later = [&](syntax_node const* unit) {
    return defines(*unit, name) && unit->begin.line >= where.begin.line;
  };
  if (name == defining_) {
    hint = "an operator that uses itself is announced with RECURSIVE " + std::string{name};
  } else if (auto const module = standard_module_with(name); !module.empty()) {
    hint = "it comes with EXTENDS " + std::string{module};
  } else if (tree_ != nullptr && std::ranges::any_of(tree_->kids, later)) {
    hint = "it is defined further down; a name can be used only below its definition";
  } else if (auto const near = nearest(std::string{name}, visible_names()); !near.empty()) {
    hint = "did you mean " + near + "?";
  }
  auto const what = canonical_operator(name).empty() ? "the name " : "the operator ";
  report(where, "tla.undefined", what + std::string{name} + ", which nothing defines",
         "something that is declared or defined above", hint);
}

std::vector<std::string> resolver::visible_names() const {
  std::vector<std::string> names;
  for (auto const& [name, e] : local_) names.emplace_back(name);
  for (auto const* scope = &scope_; scope != nullptr; scope = scope->outer) {
    for (auto const& [name, e] : scope->names) {
      if (canonical_operator(name).empty()) names.emplace_back(name);
    }
  }
  for (auto const* word : {"TRUE", "FALSE", "BOOLEAN", "STRING"}) names.emplace_back(word);
  std::ranges::sort(names);
  return names;
}

binder const* resolver::bind(syntax_node const& name, std::uint32_t arity) {
  auto& b = s_.binders.emplace_back(binder{name.text, arity, frame_++, range(name)});
  entry e;
  e.bind = &b;
  e.range = b.range;
  introduce(name.text, std::move(e));
  return &b;
}

source_range resolver::name_range(syntax_node const& n) const noexcept {
  auto end = n.at;
  end.column += static_cast<std::uint32_t>(n.text.empty() ? 0 : n.text.size() - 1);
  return {&file_, n.at, end};
}

void resolver::report(source_range const& where, std::string code, std::string found, std::string expected,
                      std::string hint) {
  if (auto const in = in_definition(); !in.empty()) hint += (hint.empty() ? "" : "; ") + in;
  loader_.report(where, std::move(code), std::move(found), std::move(expected), std::move(hint));
}

std::string resolver::in_definition() const {
  return defining_.empty() ? "" : "in the definition of " + std::string{defining_};
}

}  // namespace halfopen::tla
