#pragma once

#include <halfopen/config/gateway_config.hpp>
#include <halfopen/gateway/gateway_plan.hpp>
#include <halfopen/gateway/reason.hpp>
#include <halfopen/net/http_head.hpp>
#include <halfopen/policy/layer.hpp>

namespace halfopen::gateway {

/// A reply, as the policies see it.
[[nodiscard]] ended outcome_of(config::classification const& by, net::response_head const& head);

/// An attempt without a reply, as the policies see it. What was not the tool's doing is neutral.
[[nodiscard]] ended outcome_of(config::classification const& by, reason why, bool stale);

/// Whether the policies see it as good, so that the reply may be sent on while it still comes.
[[nodiscard]] constexpr bool is_good(result_class r) noexcept {
  return r == result_class::success || r == result_class::slow || r == result_class::ignored;
}

/// When an attempt began, and in which epochs of its breakers: a result of an older one counts as late.
struct attempt_epochs {
  instant at;
  std::uint32_t tool = 0;
  std::uint32_t host = 0;
};
[[nodiscard]] attempt_epochs epochs_of(tool_plan const& tool, host_plan const& host, instant now) noexcept;

/// Counts an attempt's end for the tool and for the host.
void count_health(tool_plan const& tool, host_plan const& host, std::size_t loop, attempt_epochs const& began,
                  result_class result, instant now) noexcept;

}  // namespace halfopen::gateway
