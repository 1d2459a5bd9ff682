#include <halfopen/gateway/forwarding.hpp>
#include <halfopen/gateway/outcome.hpp>
#include <halfopen/gateway/wiring_fault.hpp>

namespace halfopen::gateway {
namespace {

ended with(result_class result, errc why) {
  if constexpr (wired_with == wiring_fault::result_not_reported) result = result_class::cancelled;
  return {.result = result, .why = why};
}

result_class class_of(config::classification const& by, reason why) {
  switch (why) {
    case reason::timed_out: return by.timeout;
    case reason::unreachable: return by.unreachable;
    case reason::reset: return by.reset;
    case reason::bad_reply: return by.bad_reply;
    default: return result_class::cancelled;
  }
}

void count(health_cell& cell, guard const* gate, std::uint32_t began_in, result_class result, duration took,
           instant now) noexcept {
  if (gate != nullptr && gate->epoch() != began_in) return cell.late();
  switch (result) {
    case result_class::success:
    case result_class::slow:
      cell.success(now);
      if (gate != nullptr && took > gate->slow_after()) cell.slow();
      return;
    case result_class::failure:
    case result_class::throttled: return cell.failure(now);
    case result_class::ignored: return cell.ignored();
    case result_class::refused:
    case result_class::cancelled: return cell.abandoned();
  }
}

}  // namespace

ended outcome_of(config::classification const& by, net::response_head const& head) {
  auto e = with(by.of_status(head.status()), errc::failed);
  e.retry_after = std::chrono::seconds{retry_after_of(head)};
  return e;
}

ended outcome_of(config::classification const& by, reason why, bool stale) {
  return with(stale ? result_class::cancelled : class_of(by, why),
              why == reason::timed_out ? errc::timed_out : errc::failed);
}

attempt_epochs epochs_of(tool_plan const& tool, host_plan const& host, instant now) noexcept {
  return {now, tool.gate ? tool.gate->epoch() : 0, host.gate ? host.gate->epoch() : 0};
}

void count_health(tool_plan const& tool, host_plan const& host, std::size_t loop, attempt_epochs const& began,
                  result_class result, instant now) noexcept {
  auto const took = now - began.at;
  count(*tool.state->meters[loop].health, tool.gate.get(), began.tool, result, took, now);
  count(*host.state->meters[loop].health, host.gate.get(), began.host, result, took, now);
}

}  // namespace halfopen::gateway
