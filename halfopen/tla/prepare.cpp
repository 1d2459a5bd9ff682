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

expected<std::unique_ptr<prepared>, report> prepare(verification const& what) {
  using failed = unexpected<report>;
  auto s = load(what.spec, {.search_path = what.search_path});
  if (!s) return failed{{.how = ending::bad_spec, .diagnostics = s.error()}};
  auto p = std::make_unique<prepared>(std::move(*s));
  auto const c = read_config(what.config.empty() ? config_beside(what.spec) : what.config);
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
