#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <halfopen/gateway/gateway_plan.hpp>
#include <halfopen/policy/layer.hpp>

namespace halfopen::gateway {

/// Whether a breaker may be asked for a permit at all: always. (Null: there is no breaker.)
///
/// To ask is what makes an expired `open` half-open; a gateway that looks at the state first never recovers.
[[nodiscard]] bool may_ask(guard const* gate) noexcept;

/// The host of the next attempt: in turn, those whose breakers would admit it, those not tried yet first. An
/// open host whose time has come would admit a probe, and so gets it in its turn. Nothing where none would.
///
/// `turn` is the loop's and moves on; `tried` has a bit for each host.
[[nodiscard]] std::optional<std::size_t> next_host(tool_plan const& tool, std::uint32_t& turn,
                                                   std::uint64_t tried, instant now) noexcept;

/// When no host's breaker admits: the host to go to all the same (the one that is due first), unless the
/// tool's `last_host` says reject or an operator has forced them open. Then `why_not` says so.
[[nodiscard]] std::optional<std::size_t> host_to_keep(tool_plan const& tool, instant now,
                                                      ended& why_not) noexcept;

/// Whether the breakers would refuse a call that begins now; then `why_not` says so, and it has been counted
/// as a refusal of theirs. Asked before a body has come: what will be refused need not be read.
[[nodiscard]] bool refuses_now(tool_plan const& tool, std::size_t loop, instant now, ended& why_not) noexcept;

}  // namespace halfopen::gateway
