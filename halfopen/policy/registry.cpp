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

struct registry::kept {
  std::vector<std::pair<std::shared_ptr<entry>, breaker_config const*>> breakers;
  std::vector<std::pair<std::shared_ptr<retry_budget>, retry_budget_config const*>> budgets;
};

struct registry::named {
  std::deque<std::string> names;  // its policies' names point here
  std::optional<any_pipeline> pipeline;
};

namespace {

using problems = std::vector<config_problem>;

void check_retry(std::string const& where, retry_settings const& r, problems& found) {
  for (auto& p : validate(r.config))
    if (p.is_error) found.push_back({where + "retry." + p.field, p.what});
  if (!r.budget) return;
  if (r.budget->name.empty()) found.push_back({where + "retry.budget", "has no name"});
  for (auto& p : validate(r.budget->config)) found.push_back({where + "retry.budget." + p.field, p.what});
}

void check_layer(std::string const& where, layer_settings const& layer, problems& found) {
  if (auto const* t = std::get_if<timeout_settings>(&layer); t != nullptr && t->length <= duration::zero())
    found.push_back({where + "timeout", "is 0s; must be longer"});
  if (auto const* b = std::get_if<breaker_settings>(&layer)) {
    if (b->name.empty()) found.push_back({where + "circuit_breaker", "has no name"});
    for (auto& p : validate(b->config))
      if (p.is_error) found.push_back({where + "circuit_breaker." + p.field, p.what});
  }
  if (auto const* r = std::get_if<retry_settings>(&layer)) check_retry(where, *r, found);
  if (auto const* f = std::get_if<fallback_settings>(&layer); f != nullptr && f->rungs == 0)
    found.push_back({where + "fallback", "has no rungs"});
}

// Two settings under one name cannot both be meant.
template <class Config>
class settings_by_name {
 public:
  void note(std::string const& where, std::string_view name, Config const& config, problems& found) {
    auto const [first, is_new] = seen_.emplace(name, &config);
    if (!is_new && *first->second != config)
      found.push_back({where, "has other settings than '" + std::string{name} + "' elsewhere"});
  }

 private:
  std::map<std::string_view, Config const*> seen_;
};

void check_names(std::vector<pipeline_settings> const& wanted, problems& found) {
  std::set<std::string_view> pipelines;
  settings_by_name<breaker_config> breakers;
  settings_by_name<retry_budget_config> budgets;
  for (auto const& p : wanted) {
    if (!pipelines.insert(p.name).second) found.push_back({p.name, "is there twice"});
    for (auto const& layer : p.layers) {
      if (auto const* b = std::get_if<breaker_settings>(&layer))
        breakers.note(p.name + ".circuit_breaker", b->name, b->config, found);
      if (auto const* r = std::get_if<retry_settings>(&layer); r != nullptr && r->budget)
        budgets.note(p.name + ".retry.budget", r->budget->name, r->budget->config, found);
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

std::shared_ptr<registry::named> registry::make_named(pipeline_settings const& p, shared const& s) {
  auto made = std::make_shared<named>();
  std::vector<any_policy> policies;
  for (auto const& layer : p.layers) {
    if (auto const* t = std::get_if<timeout_settings>(&layer))
      policies.emplace_back(timeout{t->length, made->names.emplace_back(t->name)});
    if (auto const* b = std::get_if<breaker_settings>(&layer)) {
      auto const& e = s.breakers.find(b->name)->second;
      std::shared_ptr<circuit_breaker> held{e, &*e->breaker};
      policies.emplace_back(any_breaker{std::move(held), e->cells ? &*e->cells : nullptr});
    }
    if (std::holds_alternative<choice_settings>(layer)) policies.emplace_back(any_choice{});
    if (auto const* r = std::get_if<retry_settings>(&layer)) {
      auto const budget = r->budget ? s.budgets.find(r->budget->name)->second : nullptr;
      auto const& name = made->names.emplace_back(r->name);
      policies.emplace_back(any_retry{budget == nullptr ? std::make_shared<retry>(r->config, name)
                                                        : std::make_shared<retry>(r->config, *budget, name),
                                      budget});
    }
    if (auto const* f = std::get_if<fallback_settings>(&layer))
      policies.emplace_back(any_fallback{f->rungs, {.name = made->names.emplace_back(f->name)}});
  }
  made->pipeline.emplace(std::move(policies));
  return made;
}

expected<void, std::vector<config_problem>> registry::apply(std::vector<pipeline_settings> const& wanted,
                                                            instant now) {
  if (auto found = check(wanted); !found.empty()) return unexpected<problems>{std::move(found)};

  // What is replaced is freed, and what lives on hears of its settings, without the lock: both may tell an
  // observer, which may look things up here.
  shared fresh;
  by_name<named> pipelines;
  kept known;
  {
    std::lock_guard const lock{mutex_};
    for (auto const& p : wanted) {
      for (auto const& layer : p.layers) share(layer, now, fresh, known);
      pipelines.emplace(p.name, make_named(p, fresh));
    }
    std::swap(shared_, fresh);
    pipelines_.swap(pipelines);
  }
  for (auto const& [e, config] : known.breakers)
    if (e->breaker->config() != *config)
      (void)e->breaker->reconfigure(*config, now);  // check() has passed it
  for (auto const& [budget, config] : known.budgets) budget->reconfigure(*config);
  return {};
}

// Under its name as before, or new.
void registry::share(layer_settings const& layer, instant now, shared& into, kept& known) const {
  if (auto const* b = std::get_if<breaker_settings>(&layer);
      b != nullptr && !into.breakers.contains(b->name)) {
    auto const found = shared_.breakers.find(b->name);
    bool const is_known = found != shared_.breakers.end();
    into.breakers.emplace(b->name, is_known ? found->second : make_entry(*b, now));
    if (is_known) known.breakers.emplace_back(found->second, &b->config);
  }
  auto const* r = std::get_if<retry_settings>(&layer);
  if (r == nullptr || !r->budget || into.budgets.contains(r->budget->name)) return;
  auto const found = shared_.budgets.find(r->budget->name);
  bool const is_known = found != shared_.budgets.end();
  into.budgets.emplace(r->budget->name,
                       is_known ? found->second : std::make_shared<retry_budget>(r->budget->config));
  if (is_known) known.budgets.emplace_back(found->second, &r->budget->config);
}

std::shared_ptr<any_pipeline const> registry::find(std::string_view name) const {
  std::lock_guard const lock{mutex_};
  auto const found = pipelines_.find(name);
  if (found == pipelines_.end()) return nullptr;
  return {found->second, &*found->second->pipeline};
}

std::shared_ptr<circuit_breaker> registry::find_breaker(std::string_view name) const {
  std::lock_guard const lock{mutex_};
  auto const found = shared_.breakers.find(name);
  if (found == shared_.breakers.end()) return nullptr;
  return {found->second, &*found->second->breaker};
}

std::shared_ptr<retry_budget> registry::find_retry_budget(std::string_view name) const {
  std::lock_guard const lock{mutex_};
  auto const found = shared_.budgets.find(name);
  return found == shared_.budgets.end() ? nullptr : found->second;
}

std::vector<named_breaker_counts> registry::snapshot(instant now) const {
  std::lock_guard const lock{mutex_};
  std::vector<named_breaker_counts> all;
  all.reserve(shared_.breakers.size());
  for (auto const& [name, e] : shared_.breakers)
    all.push_back({name, e->breaker->snapshot(now), e->cells ? e->cells->sum() : breaker_totals{}});
  return all;
}

std::size_t registry::size() const {
  std::lock_guard const lock{mutex_};
  return pipelines_.size();
}

}  // namespace halfopen
