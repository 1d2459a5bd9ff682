#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <halfopen/gateway/gateway_plan.hpp>

namespace halfopen::gateway {

class upstream_pool;

/// A plan as one loop uses it: with the loop's pools at hand, and a count of the calls that still need
/// it.
///
/// Threads: its loop's.
struct generation {
  std::shared_ptr<gateway_plan const> in_force;
  std::vector<std::vector<upstream_pool*>> pools;  // by tool and host
  std::vector<std::uint32_t> turns;                // by tool: which host comes first
  std::size_t users = 0;

  [[nodiscard]] tool_plan const& tool(std::size_t i) const noexcept { return in_force->tools()[i]; }
};

}  // namespace halfopen::gateway
