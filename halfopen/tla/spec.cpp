#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <halfopen/tla/levels.hpp>
#include <halfopen/tla/operators.hpp>
#include <halfopen/tla/parser.hpp>
#include <halfopen/tla/resolver.hpp>
#include <halfopen/tla/spec.hpp>

namespace halfopen::tla {
namespace {

template <class Declarations>
void number_declarations(spec::storage& s, Declarations const& all) {
  std::uint32_t index = 0;
  for (auto const* d : all) {
    auto const it = std::ranges::find_if(s.declarations, [&](declaration const& x) { return &x == d; });
    it->index = index++;
  }
}

}  // namespace

spec::spec(std::unique_ptr<storage> s) noexcept : s_{std::move(s)} {}
spec::spec(spec&&) noexcept = default;
spec& spec::operator=(spec&&) noexcept = default;
spec::~spec() = default;

module const& spec::root() const noexcept { return *s_->root->mod; }

std::vector<module const*> spec::modules() const {
  std::vector<module const*> all;
  for (auto const& m : s_->modules) all.push_back(&m);
  return all;
}

std::vector<diagnostic> const& spec::warnings() const noexcept { return s_->warnings; }

std::vector<std::string_view> spec::texts() const {
  std::vector<std::string_view> all;
  for (auto const& f : s_->files) all.emplace_back(f.text);
  return all;
}

symbol spec::find(std::string_view name) const {
  symbol found;
  auto const* scope = s_->root;
  while (scope != nullptr) {
    auto const bang = name.find('!');
    auto const it = scope->names.find(name.substr(0, bang));
    if (it == scope->names.end()) return {};
    auto const& e = it->second;
    found.through.insert(found.through.end(), e.through.begin(), e.through.end());
    if (bang == std::string_view::npos) {
      found.def = e.def;
      found.decl = e.decl;
      return found;
    }
    if (e.inst == nullptr || !e.inst->params.empty()) return {};
    if (!e.inst->with.empty()) found.through.push_back({e.inst, {}});
    auto const below = std::ranges::find(s_->scopes, e.inst->of, &module_scope::mod);
    scope = below == s_->scopes.end() ? nullptr : &*below;
    name.remove_prefix(bang + 1);
  }
  return {};
}

module const* spec::find_module(std::string_view name) const {
  auto const it = std::ranges::find(s_->modules, name, &module::name);
  return it == s_->modules.end() ? nullptr : &*it;
}

symbol spec::find_in(module const& m, std::string_view name) const {
  auto const scope = std::ranges::find(s_->scopes, &m, &module_scope::mod);
  if (scope == s_->scopes.end()) return {};
  auto const it = scope->names.find(name);
  if (it == scope->names.end()) return {};
  return {it->second.def, it->second.decl, it->second.through};
}

std::vector<std::string> spec::names() const {
  std::vector<std::string> all;
  for (auto const& [name, e] : s_->root->names) {
    if ((e.def != nullptr || e.decl != nullptr) && canonical_operator(name).empty()) all.emplace_back(name);
  }
  std::ranges::sort(all);
  return all;
}

expected<definition const*, std::vector<diagnostic>> spec::parse_expression(std::string text) {
  auto const& file = s_->files.emplace_back(source_file{"(expression)", std::move(text)});
  auto parsed = tla::parse_expression(file, s_->syntax);
  if (!parsed.errors.empty()) return unexpected<std::vector<diagnostic>>{std::move(parsed.errors)};
  loader l{*s_};
  auto const* d = resolver{l, *s_->root, file}.bare_expression(*parsed.tree);
  if (l.error_count() == 0) check_levels(l, *d);
  if (l.error_count() != 0) return unexpected<std::vector<diagnostic>>{l.take_errors()};
  return d;
}

expected<spec, std::vector<diagnostic>> load_text(std::string text, std::string path,
                                                  load_options const& options) {
  auto s = std::make_unique<spec::storage>();
  s->search_path = options.search_path;
  loader l{*s};
  auto const* root = l.root(std::move(text), std::move(path));
  if (root == nullptr || l.error_count() != 0) return unexpected<std::vector<diagnostic>>{l.take_errors()};
  number_declarations(*s, root->mod->constants);
  number_declarations(*s, root->mod->variables);
  return spec{std::move(s)};
}

expected<spec, std::vector<diagnostic>> load(std::string const& path, load_options const& options) {
  std::error_code ignored;
  std::ifstream in{path, std::ios::binary};
  if (!in || std::filesystem::is_directory(path, ignored)) {
    return unexpected<std::vector<diagnostic>>{std::vector<diagnostic>{
        {path, {}, severity::error, "tla.no-file", "no file that can be read", "a TLA+ module", ""}}};
  }
  std::ostringstream text;
  text << in.rdbuf();
  return load_text(std::move(text).str(), path, options);
}

}  // namespace halfopen::tla
