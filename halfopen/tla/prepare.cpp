#include <algorithm>
#include <filesystem>
#include <optional>

#include <halfopen/tla/prepare.hpp>

namespace halfopen::tla {

std::string config_beside(std::string const& spec) {
  auto const dot = spec.ends_with(".tla") ? spec.size() - 4 : spec.size();
  return spec.substr(0, dot) + ".cfg";
}

report refused(refusal const& r) {
  switch (r.what) {
    case refusal::kind::config: return {.how = ending::bad_config, .message = r.message};
    case refusal::kind::semantic: return {.how = ending::bad_spec, .message = r.message};
    case refusal::kind::evaluation: return {.how = ending::cannot_evaluate, .message = r.message};
    case refusal::kind::assumption: return {.how = ending::assumption_false, .message = r.message};
  }
  return {};
}

namespace {

/// What stands for a configuration that is not there: constants are model values, and the behaviour is what
/// is usually called so.
std::string usual_config(spec const& s) {
  std::string text;
  for (auto const* c : s.root().constants) {
    if (c->arity == 0) text += "CONSTANT " + std::string{c->name} + " = " + std::string{c->name} + "\n";
  }
  if (s.find("Spec").def != nullptr) return text + "SPECIFICATION Spec\n";
  if (s.find("Init").def != nullptr && s.find("Next").def != nullptr) return text + "INIT Init\nNEXT Next\n";
  return text;
}

std::vector<std::string> files_beside(std::filesystem::path const& file, std::string const& extension) {
  std::vector<std::string> names;
  std::error_code failed;
  auto const folder = file.parent_path().empty() ? std::filesystem::path{"."} : file.parent_path();
  for (auto const& f : std::filesystem::directory_iterator{folder, failed}) {
    if (f.path().extension() == extension) names.push_back(f.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// No configuration: those that are there, or what one would have to say.
unexpected<std::vector<diagnostic>> without_config(std::string const& path, verification const& what,
                                                   spec const& s) {
  auto const there = files_beside(path, ".cfg");
  std::string hint;
  for (std::size_t i = 0; i < there.size() && i < 5; ++i) hint += (i == 0 ? "there is " : ", ") + there[i];
  if (!hint.empty()) hint += ": name one with --config, or check the module that belongs to it";
  if (what.config.empty() && there.empty()) {
    std::string text;
    for (auto const* c : s.root().constants)
      text +=
          (text.empty() ? "CONSTANTS " : " ") + std::string{c->name} + (c->arity == 0 ? " = ..." : " <- ...");
    auto const behaviour = s.find("Spec").def != nullptr ? "SPECIFICATION Spec" : "INIT Init NEXT Next";
    hint = "write one, such as: " + text + (text.empty() ? "" : " ") + behaviour + " INVARIANT ...";
  }
  return unexpected<std::vector<diagnostic>>{
      {{path, {}, severity::error, "cfg.no-file", "no file that can be read", "a configuration", hint}}};
}

expected<config, std::vector<diagnostic>> config_of(verification const& what, spec const& s) {
  auto const path = what.config.empty() ? config_beside(what.spec) : what.config;
  if (!what.config_optional && !std::filesystem::exists(path)) return without_config(path, what, s);
  if (what.config_optional && what.config.empty() && !std::filesystem::exists(path))
    return parse_config(usual_config(s), "(no configuration)");
  return read_config(path);
}

}  // namespace

std::optional<diagnostic> wrong_kind_of_file(std::string const& path) {
  std::filesystem::path const file{path};
  std::error_code failed;
  auto const wrong = [&](std::string found, std::string hint) {
    return diagnostic{path,           {}, severity::error, "tla.no-file", std::move(found), "a TLA+ module",
                      std::move(hint)};
  };
  if (std::filesystem::is_directory(file, failed))
    return wrong("a folder",
                 "name one of its modules, or check every configuration in it with --all " + path);
  if (file.extension() == ".cfg")
    return wrong("a configuration", "name the module, and this with --config " + path);
  if (std::filesystem::exists(file, failed)) return std::nullopt;
  auto const near = nearest(file.filename().string(), files_beside(file, ".tla"));
  auto const with_end = file.extension() == ".tla" ? std::string{} : file.filename().string() + ".tla";
  if (!with_end.empty() && std::filesystem::exists(path + ".tla", failed))
    return wrong("no file that can be read", "did you mean " + with_end + "?");
  return wrong("no file that can be read", near.empty() ? "" : "did you mean " + near + "?");
}

expected<std::unique_ptr<prepared>, report> prepare(verification const& what) {
  using failed = unexpected<report>;
  if (auto const wrong = wrong_kind_of_file(what.spec))
    return failed{{.how = ending::bad_spec, .diagnostics = {*wrong}}};
  auto s = load(what.spec, {.search_path = what.search_path});
  if (!s) return failed{{.how = ending::bad_spec, .diagnostics = s.error()}};
  auto p = std::make_unique<prepared>(std::move(*s));
  auto const c = config_of(what, p->spec);
  if (!c) return failed{{.how = ending::bad_config, .diagnostics = c.error()}};
  auto b = bind(*c, p->spec);
  if (!b) return failed{{.how = ending::bad_config, .diagnostics = b.error()}};
  p->binding = std::move(*b);
  try {
    p->model = std::make_unique<model>(p->spec, p->binding, what.stack_bytes, what.coverage);
  } catch (refusal const& r) {
    return failed{refused(r)};
  }
  return p;
}

}  // namespace halfopen::tla
