#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <halfopen/tla/loader.hpp>
#include <halfopen/tla/parser.hpp>
#include <halfopen/tla/resolver.hpp>

namespace halfopen::tla {
namespace {

constexpr std::size_t errors_max = 50;

std::optional<std::string> read_file(std::string const& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream in{path, std::ios::binary};
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::string folder_of(std::string const& path) {
  auto const folder = std::filesystem::path{path}.parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string beside(std::string const& folder, std::string_view module) {
  auto const file = std::string{module} + ".tla";
  return folder == "." ? file : (std::filesystem::path{folder} / file).string();
}

}  // namespace

loader::loader(spec::storage& s) : s_{s} {
  if (s_.language.empty()) add_language();
}

void loader::add_language() {
  for (auto const& op : language_operators()) {
    entry e;
    e.def = add_primitive(op, nullptr);
    s_.language.emplace(op.name, std::move(e));
  }
}

definition const* loader::add_primitive(standard_operator const& op, tla::module const* owner) {
  auto& d = s_.definitions.emplace_back();
  d.name = op.name;
  d.owner = owner;
  d.primitive = op.primitive;
  for (auto arity : op.arities) {
    auto& p = s_.binders.emplace_back();
    p.arity = static_cast<std::uint32_t>(arity - '0');
    d.params.push_back(&p);
  }
  return &d;
}

module_scope* loader::root(std::string text, std::string path) {
  auto const& file = s_.files.emplace_back(source_file{std::move(path), std::move(text)});
  auto const stem = s_.keep(std::filesystem::path{file.path}.stem().string());
  s_.root = from_text(file, stem, false);
  return s_.root;
}

module_scope* loader::module(std::string_view name, source_range const& where) {
  if (auto const it = s_.by_name.find(name); it != s_.by_name.end()) return it->second;
  if (auto* found = circle(name, where)) return found;
  if (std::ranges::find(in_progress_, name, &opened::name) != in_progress_.end()) return nullptr;
  auto const* standard = find_standard_module(name);
  if (standard != nullptr && !standard->replaceable) return built_in(*standard, where);
  auto const before = errors_.size();
  if (auto* found = from_file(name, where)) return found;
  if (errors_.size() > before) return nullptr;
  if (standard != nullptr) return built_in(*standard, where);
  report(where, "tla.module-missing", "the module " + std::string{name} + ", of which there is no file",
         std::string{name} + ".tla in " + folder_of(where.file->path) + " or on the search path",
         "a folder of modules can be named with --library");
  return nullptr;
}

/// Reports modules that extend or instance one another. Always null.
module_scope* loader::circle(std::string_view name, source_range const& where) {
  auto const first = std::ranges::find(in_progress_, name, &opened::name);
  if (first == in_progress_.end()) return nullptr;
  std::string way;
  for (auto it = first; it != in_progress_.end(); ++it) way += std::string{it->name} + " -> ";
  report(where, "tla.module-circle", "the module " + std::string{name} + ", which is being read already",
         "modules that do not need one another in a circle", way + std::string{name});
  return nullptr;
}

module_scope* loader::built_in(standard_module const& m, source_range const& where) {
  if (!m.text.empty()) {
    auto const& file =
        s_.files.emplace_back(source_file{"(built in) " + std::string{m.name}, std::string{m.text}});
    return from_text(file, m.name, true);
  }
  auto& scope = s_.scopes.emplace_back();
  auto& mod = s_.modules.emplace_back();
  scope.mod = &mod;
  mod.name = m.name;
  mod.standard = true;
  for (auto const& extended : m.extends) {
    auto* below = module(extended, where);
    mod.extends.push_back(below->mod);
    for (auto const& [name, e] : below->names) scope.names.emplace(name, e);
    mod.definitions.insert(mod.definitions.end(), below->mod->definitions.begin(),
                           below->mod->definitions.end());
  }
  for (auto const& op : m.operators) {
    entry e;
    e.def = add_primitive(op, &mod);
    mod.definitions.push_back(e.def);
    scope.names.emplace(op.name, std::move(e));
  }
  s_.by_name.emplace(mod.name, &scope);
  return &scope;
}

module_scope* loader::from_file(std::string_view name, source_range const& where) {
  std::vector<std::string> folders{folder_of(where.file->path)};
  if (!in_progress_.empty()) folders.push_back(folder_of(in_progress_.front().file->path));
  folders.insert(folders.end(), s_.search_path.begin(), s_.search_path.end());
  for (auto const& folder : folders) {
    auto path = beside(folder, name);
    if (auto text = read_file(path)) {
      auto const& file = s_.files.emplace_back(source_file{std::move(path), std::move(*text)});
      return from_text(file, name, false);
    }
  }
  return nullptr;
}

module_scope* loader::from_text(source_file const& file, std::string_view wanted, bool standard) {
  auto parsed = parse_module(file, s_.syntax);
  bool const sound = parsed.errors.empty() && parsed.tree != nullptr;
  for (auto& e : parsed.errors) {
    if (errors_.size() < errors_max) errors_.push_back(std::move(e));
  }
  if (!sound) {
    s_.by_name.emplace(wanted, nullptr);
    return nullptr;
  }
  auto const& tree = *parsed.tree;
  if (tree.text != wanted) {
    report({&file, tree.at, tree.at}, "tla.module-name", "the module " + std::string{tree.text},
           "the module " + std::string{wanted} + ", as the file is " + file.path,
           "a module's name is its file's name");
    return nullptr;
  }
  in_progress_.push_back({tree.text, &file});
  auto& scope = s_.scopes.emplace_back();
  auto& mod = s_.modules.emplace_back();
  mod.standard = standard;
  scope.mod = &mod;
  auto const before = errors_.size();
  resolver{*this, scope, file}.module(tree);
  in_progress_.pop_back();
  auto* const result = errors_.size() > before ? nullptr : &scope;
  s_.by_name.emplace(mod.name, result);
  return result;
}

void loader::report(source_range const& where, std::string code, std::string found, std::string expected,
                    std::string hint) {
  if (errors_.size() >= errors_max) return;
  errors_.push_back({where.known() ? where.file->path : "", where.begin, severity::error, std::move(code),
                     std::move(found), std::move(expected), std::move(hint)});
}

}  // namespace halfopen::tla
