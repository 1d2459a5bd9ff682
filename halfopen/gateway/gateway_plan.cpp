#include <algorithm>
#include <utility>

#include <halfopen/gateway/gateway_plan.hpp>

namespace halfopen::gateway {
namespace {

using config::breaker_scope;
using config::circuit_breaker_spec;
using config::layer_spec;
using config::timeout_spec;

bool is_timeout(layer_spec const& l) { return std::holds_alternative<timeout_spec>(l); }

/// The breaker that a policy lists for this scope, or null.
circuit_breaker_spec const* breaker_for(config::policy_config const* policy, breaker_scope scope) {
  if (policy == nullptr) return nullptr;
  for (auto const& l : policy->layers) {
    auto const* b = std::get_if<circuit_breaker_spec>(&l);
    if (b != nullptr && (b->per == scope || b->per == breaker_scope::both)) return b;
  }
  return nullptr;
}

template <class State, class Meter>
void add_meters(State& state, health_key const& key, plan_parts const& parts) {
  state.meters = std::vector<Meter>(parts.loops);
  for (auto& m : state.meters) m.health = &parts.board.add_cell(key);
}

std::shared_ptr<tool_state> make_tool(std::string const& name, plan_parts const& parts, instant now) {
  auto made = std::make_shared<tool_state>(tool_state{
      name, {}, circuit_breaker{breaker_config{}, breaker_options{.name = "open_door", .now = now}}});
  made->open_door.disable(now);
  add_meters<tool_state, tool_meter>(*made, {name, {}}, parts);
  return made;
}

std::string authority_of(config::upstream_host const& where) {
  bool const v6 = where.host.find(':') != std::string::npos;
  auto text = v6 ? '[' + where.host + ']' : where.host;
  return where.port == 80 ? text : text + ':' + std::to_string(where.port);
}

std::shared_ptr<host_state> make_host(std::string const& tool, config::upstream_host const& where,
                                      plan_parts const& parts) {
  auto made = std::make_shared<host_state>(host_state{where, authority_of(where), {}});
  add_meters<host_state, host_meter>(*made, {tool, where.url}, parts);
  return made;
}

/// A living breaker with its new settings, a new one, or none, as the policy says.
std::shared_ptr<guard> gate_for(circuit_breaker_spec const* spec, std::shared_ptr<guard> before,
                                std::string const& tool, std::string const& host, plan_parts const& parts,
                                instant now) {
  if (spec == nullptr) return nullptr;
  if (before == nullptr) return std::make_shared<guard>(tool, host, spec->settings, parts.loops, parts.sink);
  before->reconfigure(spec->settings, now);
  return before;
}

host_plan const* find_host(tool_plan const* before, std::string const& url) {
  if (before == nullptr) return nullptr;
  auto const at = std::ranges::find(before->hosts, url, &host_plan::name);
  return at == before->hosts.end() ? nullptr : &*at;
}

host_plan make_host_plan(config::upstream_host const& where, tool_plan const& tool, tool_plan const* before,
                         circuit_breaker_spec const* spec, plan_parts const& parts, instant now) {
  auto const* was = find_host(before, where.url);
  host_plan made;
  made.state = was != nullptr ? was->state : make_host(tool.config.name, where, parts);
  made.gate = gate_for(spec, was != nullptr ? was->gate : nullptr, tool.config.name, where.url, parts, now);
  return made;
}

bool lets_a_refusal_stand(any_policy const& p) {
  return std::holds_alternative<timeout>(p) || std::holds_alternative<any_breaker>(p) ||
         std::holds_alternative<any_choice>(p);
}

any_breaker breaker_of(guard& gate) { return {gate.shared(), &gate.cells()}; }

/// The policy's layers, with what the gateway adds: a bound on every call, and the choice of a host.
///
/// The host is chosen right outside the attempt, whose own timeouts stay inside: they count for the host too.
/// Where no timeout stands inside a breaker the bound of the call goes there, since a call that is cancelled
/// from outside is neutral and would never trip it.
std::vector<any_policy> layers_of(config::policy_config const* policy, tool_plan const& tool, duration call) {
  std::vector<any_policy> made;
  std::vector<layer_spec> const none;
  auto const& listed = policy == nullptr ? none : policy->layers;
  auto const late = tool.config.classify.timeout;
  auto const attempt = std::find_if_not(listed.rbegin(), listed.rend(), is_timeout).base();
  bool const bounded = attempt != listed.end();
  if (bounded) made.emplace_back(timeout{call, "call", late});
  for (auto at = listed.begin(); at != listed.end(); ++at) {
    if (at == attempt && tool.host_gates) made.emplace_back(any_choice{});
    if (auto const* t = std::get_if<timeout_spec>(&*at))
      made.emplace_back(timeout{t->length, "timeout", late});
    else if (&std::get<circuit_breaker_spec>(*at) == breaker_for(policy, breaker_scope::tool))
      made.emplace_back(breaker_of(*tool.gate));
  }
  if (attempt == listed.end() && tool.host_gates) made.emplace_back(any_choice{});
  if (!bounded) made.emplace_back(timeout{call, "call", late});
  return made;
}

tool_plan make_tool_plan(config::tool_config const& config, config::gateway_config const& all,
                         tool_plan const* before, plan_parts const& parts, instant now) {
  auto const* policy = all.policy(config.policy);
  auto const* for_tool = breaker_for(policy, breaker_scope::tool);
  auto const* for_host = breaker_for(policy, breaker_scope::host);
  tool_plan made{config, nullptr, nullptr, {}, any_pipeline{{}}, for_host != nullptr};
  made.state = before != nullptr ? before->state : make_tool(config.name, parts, now);
  made.gate = gate_for(for_tool, before != nullptr ? before->gate : nullptr, config.name, {}, parts, now);
  for (auto const& where : config.hosts)
    made.hosts.push_back(make_host_plan(where, made, before, for_host, parts, now));
  made.pipeline = any_pipeline{layers_of(policy, made, all.timeouts.call)};
  made.refuses_outright = std::ranges::all_of(made.pipeline.policies(), lets_a_refusal_stand);
  return made;
}

}  // namespace

gateway_plan::gateway_plan(config::gateway_config config) : config_{std::move(config)}, routes_{config_} {}

std::shared_ptr<gateway_plan const> gateway_plan::make(config::gateway_config config,
                                                       gateway_plan const* before, plan_parts parts,
                                                       instant now) {
  std::shared_ptr<gateway_plan> made{new gateway_plan{std::move(config)}};
  for (auto const& t : made->config_.tools) {
    auto const* was = before == nullptr ? nullptr : before->tool(t.name);
    made->tools_.push_back(make_tool_plan(t, made->config_, was, parts, now));
  }
  return made;
}

tool_plan const* gateway_plan::tool(std::string_view name) const noexcept {
  auto const i = routes_.tool(name);
  return i == route_table::none ? nullptr : &tools_[i];
}

}  // namespace halfopen::gateway
