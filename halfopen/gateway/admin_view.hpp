#pragma once

#include <nlohmann/json_fwd.hpp>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/gateway/gateway_plan.hpp>
#include <halfopen/gateway/health_counts.hpp>
#include <halfopen/gateway/storage.hpp>

namespace halfopen::gateway {

/// How the admin API shows things as JSON. Lengths of time end in _ms; dates are UTC.

[[nodiscard]] nlohmann::json view(guard const& gate, instant now);
[[nodiscard]] nlohmann::json view(health_counts const& counts);
[[nodiscard]] nlohmann::json view(tool_plan const& tool, health_board const& board, instant now);
[[nodiscard]] nlohmann::json view(storage_health const& health);
[[nodiscard]] nlohmann::json view(diagnostic const& d);
[[nodiscard]] nlohmann::json view(audit_row const& row);
[[nodiscard]] nlohmann::json view(transition_row const& row);

/// JSON text of any value: bytes that are not UTF-8 are replaced, never thrown on.
[[nodiscard]] std::string text_of(nlohmann::json const& value);

}  // namespace halfopen::gateway
