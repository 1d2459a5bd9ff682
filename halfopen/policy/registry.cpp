#include <deque>
#include <optional>
#include <set>

#include <halfopen/policy/registry.hpp>

namespace halfopen {

struct registry::entry {
  std::string name;  // the breaker's name points here
  std::optional<breaker_cells> cells;
  std::optional<circuit_breaker> breaker;
};

struct registry::named {
  std::deque<std::string> names;  // its timeouts' names point here
  std::optional<any_pipeline> pipeline;
};

namespace {

using problems = std::vector<config_problem>;

void check_layer(std::string const& where, layer_settings const& layer, problems& found) {
  if (auto const* t = std::get_if<timeout_settings>(&layer); t != nullptr && t->length <= duration::zero())
    found.push_back({where + "timeout", "is 0s; must be longer"});
  if (auto const* b = std::get_if<breaker_settings>(&layer)) {
    if (b->name.empty()) found.push_back({where + "circuit_breaker", "has no name"});
    for (auto& p : validate(b->config))
      if (p.is_error) found.push_back({where + "circuit_breaker." + p.field, p.what});
  }
}

// Two settings under one name cannot both be meant.
void check_names(std::vector<pipeline_settings> const& wanted, problems& found) {
  std::set<std::string_view> pipelines;
  std::map<std::string_view, breaker_config const*> breakers;
  for (auto const& p : wanted) {
    if (!pipelines.insert(p.name).second) found.push_back({p.name, "is there twice"});
    for (auto const& layer : p.layers) {
      auto const* b = std::get_if<breaker_settings>(&layer);
      if (b == nullptr) continue;
      auto const [first, is_new] = breakers.emplace(b->name, &b->config);
      if (!is_new && *first->second != b->config)
        found.push_back({p.name + ".circuit_breaker", "has other settings than '" + b->name + "' elsewhere"});
    }
  }
}

problems check(std::vector<pipeline_settings> const& wanted) {
  problems found;
  for (auto const& p : wanted) {
    if (p.layers.size() > any_layers_max)
      found.push_back({p.name, "has " + std::to_string(p.layers.size()) + " layers; at most " +
                                   std::to_string(any_layers_max) + " are possible"});
    for (auto const& layer : p.layers) check_layer(p.name + ".", layer, found);
  }
  check_names(wanted, found);
  return found;
}

}  // namespace

std::shared_ptr<registry::entry> registry::make_entry(breaker_settings const& s, instant now) const {
  auto made = std::make_shared<entry>();
  made->name = s.name;
  if (options_.loops != 0) made->cells.emplace(breaker_cells::each(options_.loops));
  made->breaker.emplace(s.config, breaker_options{.name = made->name,
                                                  .clock = options_.clock,
                                                  .cells = made->cells ? &*made->cells : nullptr,
                                                  .observer = options_.observer,
                                                  .now = now});
  return made;
}

std::shared_ptr<registry::named> registry::make_named(pipeline_settings const& p,
                                                      by_name<entry> const& breakers) {
  auto made = std::make_shared<named>();
  std::vector<any_policy> policies;
  for (auto const& layer : p.layers) {
    if (auto const* t = std::get_if<timeout_settings>(&layer))
      policies.emplace_back(timeout{t->length, made->names.emplace_back(t->name)});
    if (auto const* b = std::get_if<breaker_settings>(&layer)) {
      auto const& e = breakers.find(b->name)->second;
      std::shared_ptr<circuit_breaker> held{e, &*e->breaker};
      policies.emplace_back(any_breaker{std::move(held), e->cells ? &*e->cells : nullptr});
    }
    if (std::holds_alternative<choice_settings>(layer)) policies.emplace_back(any_choice{});
  }
  made->pipeline.emplace(std::move(policies));
  return made;
}

expected<void, std::vector<config_problem>> registry::apply(std::vector<pipeline_settings> const& wanted,
                                                            instant now) {
  if (auto found = check(wanted); !found.empty()) return unexpected<problems>{std::move(found)};

  // What is replaced is freed, and what lives on hears of its settings, without the lock: both may tell an
  // observer, which may look things up here.
  by_name<entry> breakers;
  by_name<named> pipelines;
  std::vector<std::pair<std::shared_ptr<entry>, breaker_config const*>> kept;
  {
    std::lock_guard const lock{mutex_};
    for (auto const& p : wanted) {
      for (auto const& layer : p.layers) {
        auto const* b = std::get_if<breaker_settings>(&layer);
        if (b == nullptr || breakers.contains(b->name)) continue;
        auto const known = breakers_.find(b->name);
        breakers.emplace(b->name, known != breakers_.end() ? known->second : make_entry(*b, now));
        if (known != breakers_.end()) kept.emplace_back(known->second, &b->config);
      }
      pipelines.emplace(p.name, make_named(p, breakers));
    }
    breakers_.swap(breakers);
    pipelines_.swap(pipelines);
  }
  for (auto const& [e, config] : kept)
    if (e->breaker->config() != *config)
      (void)e->breaker->reconfigure(*config, now);  // check() has passed it
  return {};
}

std::shared_ptr<any_pipeline const> registry::find(std::string_view name) const {
  std::lock_guard const lock{mutex_};
  auto const found = pipelines_.find(name);
  if (found == pipelines_.end()) return nullptr;
  return {found->second, &*found->second->pipeline};
}

std::shared_ptr<circuit_breaker> registry::find_breaker(std::string_view name) const {
  std::lock_guard const lock{mutex_};
  auto const found = breakers_.find(name);
  if (found == breakers_.end()) return nullptr;
  return {found->second, &*found->second->breaker};
}

std::vector<named_breaker_counts> registry::snapshot(instant now) const {
  std::lock_guard const lock{mutex_};
  std::vector<named_breaker_counts> all;
  all.reserve(breakers_.size());
  for (auto const& [name, e] : breakers_)
    all.push_back({name, e->breaker->snapshot(now), e->cells ? e->cells->sum() : breaker_totals{}});
  return all;
}

std::size_t registry::size() const {
  std::lock_guard const lock{mutex_};
  return pipelines_.size();
}

}  // namespace halfopen
