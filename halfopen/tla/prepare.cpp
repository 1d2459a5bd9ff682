#include <filesystem>

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

expected<config, std::vector<diagnostic>> config_of(verification const& what, spec const& s) {
  auto const path = what.config.empty() ? config_beside(what.spec) : what.config;
  if (what.config_optional && what.config.empty() && !std::filesystem::exists(path))
    return parse_config(usual_config(s), "(no configuration)");
  return read_config(path);
}

}  // namespace

expected<std::unique_ptr<prepared>, report> prepare(verification const& what) {
  using failed = unexpected<report>;
  auto s = load(what.spec, {.search_path = what.search_path});
  if (!s) return failed{{.how = ending::bad_spec, .diagnostics = s.error()}};
  auto p = std::make_unique<prepared>(std::move(*s));
  auto const c = config_of(what, p->spec);
  if (!c) return failed{{.how = ending::bad_config, .diagnostics = c.error()}};
  auto b = bind(*c, p->spec);
  if (!b) return failed{{.how = ending::bad_config, .diagnostics = b.error()}};
  p->binding = std::move(*b);
  try {
    p->model = std::make_unique<model>(p->spec, p->binding, what.stack_bytes);
  } catch (refusal const& r) {
    return failed{refused(r)};
  }
  return p;
}

}  // namespace halfopen::tla
