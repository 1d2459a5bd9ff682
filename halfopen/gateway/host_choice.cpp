#include <algorithm>

#include <halfopen/gateway/host_choice.hpp>
#include <halfopen/gateway/wiring_fault.hpp>

namespace halfopen::gateway {
namespace {

// A breaker that is passed over has refused: one that is only looked at would never leave a half-open that
// neutral results have used up.
bool admits(guard* gate, instant now) noexcept {
  if (gate == nullptr) return true;
  return may_ask(gate) && gate->breaker().consult(now);
}

errc why_closed(breaker_state s) noexcept {
  switch (s) {
    case breaker_state::open: return errc::open;
    case breaker_state::half_open: return errc::probe_in_flight;
    case breaker_state::forced_open: return errc::forced_open;
    case breaker_state::closed:
    case breaker_state::disabled:
    case breaker_state::metrics_only: return errc::ramping;  // the only reason that is left to these
  }
  return errc::open;
}

}  // namespace

bool may_ask(guard const* gate) noexcept {
  if constexpr (wired_with == wiring_fault::recovery_not_asked)
    return gate == nullptr || gate->breaker().state() != breaker_state::open;
  return true;
}

std::optional<std::size_t> next_host(tool_plan const& tool, std::uint32_t& turn, std::uint64_t tried,
                                     instant now) noexcept {
  auto const n = tool.hosts.size();
  std::size_t const first = turn++ % n;
  for (bool const again : {false, true}) {
    for (std::size_t k = 0; k < n; ++k) {
      auto const i = (first + k) % n;
      bool const was_tried = (tried >> (i % 64) & 1) != 0;
      if (was_tried == again && admits(tool.hosts[i].gate.get(), now)) return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> host_to_keep(tool_plan const& tool, instant now, ended& why_not) noexcept {
  std::optional<std::size_t> best;
  breaker_status soonest{breaker_state::forced_open, 0, duration::max()};
  for (std::size_t i = 0; i < tool.hosts.size(); ++i) {
    auto const s = tool.hosts[i].gate->breaker().status(now);
    bool const forced = s.state == breaker_state::forced_open;
    bool const better =
        forced ? !best && s.retry_after < soonest.retry_after : !best || s.retry_after < soonest.retry_after;
    if (!better) continue;
    soonest = s;
    if (!forced) best = i;
  }
  why_not = {.result = result_class::refused,
             .why = why_closed(soonest.state),
             .who = "hosts",
             .retry_after = soonest.retry_after};
  return tool.config.last_host == config::last_host_rule::keep ? best : std::nullopt;
}

bool refuses_now(tool_plan const& tool, std::size_t loop, instant now, ended& why_not) noexcept {
  if (!tool.refuses_outright) return false;
  if (tool.gate && may_ask(tool.gate.get()) && !tool.gate->breaker().would_admit(now)) {
    // asked for real, so that it is counted; a permit that came free meanwhile goes back
    auto const asked = tool.gate->breaker().try_acquire(now, tool.gate->cells()[loop]);
    if (asked) return false;
    auto const& no = asked.error();
    why_not = {.result = result_class::refused, .why = no.why, .who = no.who, .retry_after = no.retry_after};
    return true;
  }
  if (!tool.host_gates) return false;
  for (auto const& h : tool.hosts)
    if (admits(h.gate.get(), now)) return false;
  return !host_to_keep(tool, now, why_not);
}

}  // namespace halfopen::gateway
