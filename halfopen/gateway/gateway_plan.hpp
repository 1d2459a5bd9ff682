#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <halfopen/config/gateway_config.hpp>
#include <halfopen/gateway/counter.hpp>
#include <halfopen/gateway/guard.hpp>
#include <halfopen/gateway/health_counts.hpp>
#include <halfopen/gateway/reason.hpp>
#include <halfopen/gateway/route_table.hpp>
#include <halfopen/policy/any_pipeline.hpp>

namespace halfopen::gateway {

/// What one loop counts about one host of one tool.
struct alignas(64) host_meter {
  health_cell* health = nullptr;
  std::array<counter, reason_count> ended;  // attempts, by how they ended; `none` = with a reply
  counter probes;
  counter orphans;
};

/// What one loop counts about one tool.
struct alignas(64) tool_meter {
  health_cell* health = nullptr;
  std::array<counter, 6> by_status;           // calls answered 1xx..5xx; [0] = nobody was left to answer
  std::array<counter, reason_count> answers;  // by the gateway itself
  counter last_host_kept;                     // attempts to an open host because no other was left
  histogram took;
};

/// A host behind a tool, as long as some configuration names it: its counts survive reloads.
struct host_state {
  config::upstream_host where;
  std::string authority;           // as a Host field names it
  std::vector<host_meter> meters;  // one for each loop
};

/// A tool, as long as some configuration names it.
struct tool_state {
  std::string name;
  std::vector<tool_meter> meters;  // one for each loop
  circuit_breaker open_door;  // disabled: for an attempt to a host that is kept in spite of its own breaker
};

/// A host of a tool under one configuration.
struct host_plan {
  std::shared_ptr<host_state> state;
  std::shared_ptr<guard> gate;  // null: no breaker for each host

  [[nodiscard]] std::string const& name() const noexcept { return state->where.url; }
};

/// A tool under one configuration.
struct tool_plan {
  config::tool_config config;
  std::shared_ptr<tool_state> state;
  std::shared_ptr<guard> gate;   // null: no breaker for the tool as a whole
  std::vector<host_plan> hosts;  // in the configuration's order
  any_pipeline pipeline;
  bool host_gates = false;       // a breaker for each host stands in the pipeline
  bool refuses_outright = true;  // what a breaker says is the answer: no layer tries again or answers instead
};

/// What a plan is made with.
struct plan_parts {
  health_board& board;
  transition_sink& sink;
  std::size_t loops = 1;
};

/// One configuration in force: routes, tools and pipelines. Immutable; what lives on in it is shared with the
/// plans before and after it.
class gateway_plan {
 public:
  /// `before`: the one whose breakers and counts go on; null at the start.
  [[nodiscard]] static std::shared_ptr<gateway_plan const> make(config::gateway_config config,
                                                                gateway_plan const* before, plan_parts parts,
                                                                instant now);

  [[nodiscard]] config::gateway_config const& config() const noexcept { return config_; }
  [[nodiscard]] route_table const& routes() const noexcept { return routes_; }
  [[nodiscard]] std::vector<tool_plan> const& tools() const noexcept { return tools_; }
  [[nodiscard]] tool_plan const* tool(std::string_view name) const noexcept;

 private:
  explicit gateway_plan(config::gateway_config config);

  config::gateway_config config_;
  route_table routes_;
  std::vector<tool_plan> tools_;
};

}  // namespace halfopen::gateway
