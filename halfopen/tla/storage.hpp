#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <halfopen/tla/spec.hpp>
#include <halfopen/tla/syntax.hpp>

/// What a spec owns. For the front end's own files; everybody else sees `spec`.
namespace halfopen::tla {

/// What a name means somewhere.
struct entry {
  definition const* def = nullptr;
  declaration const* decl = nullptr;
  instance const* inst = nullptr;
  tla::module const* mod = nullptr;
  binder const* bind = nullptr;
  std::vector<instance_use> through;
  bool local = false;
  source_range range;

  [[nodiscard]] bool same_thing(entry const& e) const noexcept {
    return def == e.def && decl == e.decl && inst == e.inst && mod == e.mod && bind == e.bind;
  }
};

/// A module and the names that stand in it: its own, those it extends and those that an unnamed INSTANCE
/// brought in.
struct module_scope {
  tla::module* mod = nullptr;
  module_scope* outer = nullptr;
  std::unordered_map<std::string_view, entry> names;
};

/// A label inside of a definition, for `Def!label`.
struct label_info {
  std::string_view name;
  std::vector<std::string_view> params;
};

struct spec::storage {
  std::deque<source_file> files;
  std::deque<std::string> strings;
  syntax_arena syntax;
  std::deque<expr> exprs;
  std::deque<binder> binders;
  std::deque<definition> definitions;
  std::deque<declaration> declarations;
  std::deque<instance> instances;
  std::deque<module> modules;
  std::deque<module_scope> scopes;
  std::unordered_map<std::string_view, module_scope*> by_name;  // not the inner modules
  std::unordered_map<std::string_view, entry> language;
  std::unordered_map<expr const*, label_info> labels;
  std::unordered_map<binder const*, level> level_max;  // the highest level that an argument may have
  module_scope* root = nullptr;
  std::vector<diagnostic> warnings;
  std::vector<std::string> search_path;

  [[nodiscard]] module_scope* scope_of(module const* m) noexcept {
    auto const it = std::ranges::find(scopes, m, &module_scope::mod);
    return it == scopes.end() ? nullptr : &*it;
  }
  std::string_view keep(std::string s) { return strings.emplace_back(std::move(s)); }
};

}  // namespace halfopen::tla
