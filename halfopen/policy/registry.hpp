#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <halfopen/base/expected.hpp>
#include <halfopen/policy/any_pipeline.hpp>

namespace halfopen {

struct timeout_settings {
  std::string name = "timeout";
  duration length{};
};

/// A breaker that pipelines share under its name: list it in several, and they have one state.
struct breaker_settings {
  std::string name;
  breaker_config config;
};

struct choice_settings {};

/// A budget that retries share under its name, in whatever pipelines they stand.
struct retry_budget_settings {
  std::string name;
  retry_budget_config config{};
};

struct retry_settings {
  std::string name = "retry";
  retry_config config{};
  std::optional<retry_budget_settings> budget{};
};

/// Rungs that the driver knows by their numbers.
struct fallback_settings {
  std::string name = "fallback";
  std::uint8_t rungs = 1;
};

struct hedge_settings {
  std::string name = "hedge";
  hedge_config config{};
  retry_budget_settings budget;
};

/// A limit that pipelines share under its name.
struct rate_limiter_settings {
  std::string name;
  rate_limiter_config config{};
};

using layer_settings = std::variant<timeout_settings, breaker_settings, choice_settings, retry_settings,
                                    fallback_settings, hedge_settings, rate_limiter_settings>;

/// A pipeline as a file names it: first listed is outermost.
struct pipeline_settings {
  std::string name;
  std::vector<layer_settings> layers;
};

/// What the registry gives to each breaker that it makes. All of it outlives the registry.
struct registry_options {
  clock_source clock = steady_clock();
  breaker_observer* observer = nullptr;
  std::size_t loops = 0;  // exact totals in so many cells a breaker, one for each loop; 0 = none
};

struct named_breaker_counts {
  std::string name;
  breaker_snapshot now;
  breaker_totals totals;  // zero where no cells are kept
};

/// Pipelines and breakers by name, made from settings that may change while calls are in flight.
///
/// A breaker, a budget or a limiter whose name stays keeps its state when its settings change; what is no
/// longer named is freed as soon as nobody holds it. A call goes on with the pipeline that it began with.
///
/// Threads: any. A lookup takes a lock: keep what it returns for as long as the settings live.
class registry {
 public:
  explicit registry(registry_options const& options = {}) : options_{options} {}

  /// Makes these pipelines the ones that exist. All or nothing: on a problem nothing is changed, and every
  /// problem is listed, its field beginning with the pipeline's name.
  expected<void, std::vector<config_problem>> apply(std::vector<pipeline_settings> const& wanted,
                                                    instant now);

  /// Null where there is none of that name. What it points to owns its breakers.
  [[nodiscard]] std::shared_ptr<any_pipeline const> find(std::string_view name) const;
  [[nodiscard]] std::shared_ptr<circuit_breaker> find_breaker(std::string_view name) const;
  [[nodiscard]] std::shared_ptr<retry_budget> find_retry_budget(std::string_view name) const;
  [[nodiscard]] std::shared_ptr<rate_limiter> find_rate_limiter(std::string_view name) const;

  /// Every breaker, by name, at one moment.
  [[nodiscard]] std::vector<named_breaker_counts> snapshot(instant now) const;

  [[nodiscard]] std::size_t size() const;

 private:
  struct entry;          // a breaker, with what it needs to live
  struct limiter_entry;  // a rate limiter, with its name
  struct named;          // a pipeline, with the names that its timeouts point to

  template <class T>
  using by_name = std::map<std::string, std::shared_ptr<T>, std::less<>>;

  // What pipelines share by name.
  struct shared {
    by_name<entry> breakers;
    by_name<retry_budget> budgets;
    by_name<limiter_entry> limiters;
  };
  struct kept;  // what lives on, and hears of its settings

  [[nodiscard]] std::shared_ptr<entry> make_entry(breaker_settings const& s, instant now) const;
  void share_breaker(breaker_settings const& b, instant now, shared& into, kept& known) const;
  void share_budget(retry_budget_settings const& b, shared& into, kept& known) const;
  void share_limiter(rate_limiter_settings const& l, shared& into, kept& known) const;
  [[nodiscard]] static std::shared_ptr<named> make_named(pipeline_settings const& p, shared const& s);

  registry_options options_;
  mutable std::mutex mutex_;
  shared shared_;
  by_name<named> pipelines_;
};

}  // namespace halfopen
