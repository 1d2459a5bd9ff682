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

struct registry::limiter_entry {
  limiter_entry(rate_limiter_settings const& s) : name{s.name}, limiter{s.config, name} {}

  std::string name;  // the limiter's name points here
  rate_limiter limiter;
};

struct registry::kept {
  std::vector<std::pair<std::shared_ptr<entry>, breaker_config const*>> breakers;
  std::vector<std::pair<std::shared_ptr<retry_budget>, retry_budget_config const*>> budgets;
  std::vector<std::pair<std::shared_ptr<limiter_entry>, rate_limiter_config const*>> limiters;
};

struct registry::named {
  std::deque<std::string> names;  // its policies' names point here
  std::optional<any_pipeline> pipeline;
};

namespace {

using problems = std::vector<config_problem>;

retry_budget_settings const* budget_of(layer_settings const& layer) noexcept {
  if (auto const* r = std::get_if<retry_settings>(&layer)) return r->budget ? &*r->budget : nullptr;
  auto const* h = std::get_if<hedge_settings>(&layer);
  return h == nullptr ? nullptr : &h->budget;
}

template <class Config>
void check_config(std::string const& where, Config const& c, problems& found) {
  for (auto& p : validate(c))
    if (p.is_error) found.push_back({where + p.field, p.what});
}

void check_layer(std::string const& where, layer_settings const& layer, problems& found) {
  if (auto const* t = std::get_if<timeout_settings>(&layer); t != nullptr && t->length <= duration::zero())
    found.push_back({where + "timeout", "is 0s; must be longer"});
  if (auto const* b = std::get_if<breaker_settings>(&layer)) {
    if (b->name.empty()) found.push_back({where + "circuit_breaker", "has no name"});
    check_config(where + "circuit_breaker.", b->config, found);
  }
  if (auto const* l = std::get_if<rate_limiter_settings>(&layer)) {
    if (l->name.empty()) found.push_back({where + "rate_limiter", "has no name"});
    check_config(where + "rate_limiter.", l->config, found);
  }
  if (auto const* r = std::get_if<retry_settings>(&layer)) check_config(where + "retry.", r->config, found);
  if (auto const* h = std::get_if<hedge_settings>(&layer)) check_config(where + "hedge.", h->config, found);
  if (auto const* b = budget_of(layer)) {
    if (b->name.empty()) found.push_back({where + "budget", "has no name"});
    check_config(where + "budget.", b->config, found);
  }
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
  settings_by_name<rate_limiter_config> limiters;
  for (auto const& p : wanted) {
    if (!pipelines.insert(p.name).second) found.push_back({p.name, "is there twice"});
    for (auto const& layer : p.layers) {
      if (auto const* b = std::get_if<breaker_settings>(&layer))
        breakers.note(p.name + ".circuit_breaker", b->name, b->config, found);
      if (auto const* l = std::get_if<rate_limiter_settings>(&layer))
        limiters.note(p.name + ".rate_limiter", l->name, l->config, found);
      if (auto const* b = budget_of(layer)) budgets.note(p.name + ".budget", b->name, b->config, found);
    }
  }
}

// Layers inside a hedge are there twice.
void check_size(pipeline_settings const& p, problems& found) {
  std::size_t needed = p.layers.size();
  std::size_t hedges = 0;
  for (std::size_t i = 0; i < p.layers.size(); ++i) {
    if (!std::holds_alternative<hedge_settings>(p.layers[i])) continue;
    ++hedges;
    needed += p.layers.size() - i - 1;
  }
  if (hedges > 1) found.push_back({p.name + ".hedge", "is there twice"});
  if (needed > any_layers_max)
    found.push_back({p.name, "has " + std::to_string(needed) + " layers; at most " +
                                 std::to_string(any_layers_max) + " are possible" +
                                 (hedges > 0 ? " (those inside a hedge count twice)" : "")});
}

problems check(std::vector<pipeline_settings> const& wanted) {
  problems found;
  for (auto const& p : wanted) {
    check_size(p, found);
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
    if (auto const* h = std::get_if<hedge_settings>(&layer)) {
      auto const& budget = s.budgets.find(h->budget.name)->second;
      policies.emplace_back(
          any_hedge{std::make_shared<hedge>(h->config, *budget, made->names.emplace_back(h->name)), budget});
    }
    if (auto const* l = std::get_if<rate_limiter_settings>(&layer)) {
      auto const& e = s.limiters.find(l->name)->second;
      policies.emplace_back(any_rate_limiter{std::shared_ptr<rate_limiter>{e, &e->limiter}});
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
      for (auto const& layer : p.layers) {
        if (auto const* b = std::get_if<breaker_settings>(&layer)) share_breaker(*b, now, fresh, known);
        if (auto const* budget = budget_of(layer)) share_budget(*budget, fresh, known);
        if (auto const* l = std::get_if<rate_limiter_settings>(&layer)) share_limiter(*l, fresh, known);
      }
      pipelines.emplace(p.name, make_named(p, fresh));
    }
    std::swap(shared_, fresh);
    pipelines_.swap(pipelines);
  }
  for (auto const& [e, config] : known.breakers)
    if (e->breaker->config() != *config)
      (void)e->breaker->reconfigure(*config, now);  // check() has passed it
  for (auto const& [budget, config] : known.budgets) budget->reconfigure(*config);
  for (auto const& [e, config] : known.limiters) e->limiter.reconfigure(*config, now);
  return {};
}

// Under its name as before, or new.
void registry::share_breaker(breaker_settings const& b, instant now, shared& into, kept& known) const {
  if (into.breakers.contains(b.name)) return;
  auto const found = shared_.breakers.find(b.name);
  bool const is_known = found != shared_.breakers.end();
  into.breakers.emplace(b.name, is_known ? found->second : make_entry(b, now));
  if (is_known) known.breakers.emplace_back(found->second, &b.config);
}

void registry::share_budget(retry_budget_settings const& b, shared& into, kept& known) const {
  if (into.budgets.contains(b.name)) return;
  auto const found = shared_.budgets.find(b.name);
  bool const is_known = found != shared_.budgets.end();
  into.budgets.emplace(b.name, is_known ? found->second : std::make_shared<retry_budget>(b.config));
  if (is_known) known.budgets.emplace_back(found->second, &b.config);
}

void registry::share_limiter(rate_limiter_settings const& l, shared& into, kept& known) const {
  if (into.limiters.contains(l.name)) return;
  auto const found = shared_.limiters.find(l.name);
  bool const is_known = found != shared_.limiters.end();
  into.limiters.emplace(l.name, is_known ? found->second : std::make_shared<limiter_entry>(l));
  if (is_known) known.limiters.emplace_back(found->second, &l.config);
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

std::shared_ptr<rate_limiter> registry::find_rate_limiter(std::string_view name) const {
  std::lock_guard const lock{mutex_};
  auto const found = shared_.limiters.find(name);
  if (found == shared_.limiters.end()) return nullptr;
  return {found->second, &found->second->limiter};
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
