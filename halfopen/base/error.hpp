#pragma once

#include <cstdint>
#include <exception>
#include <string_view>

#include <halfopen/base/time.hpp>

namespace halfopen {

/// Why a call has no result. Closed: a new policy adds its reasons here.
enum class errc : std::uint8_t {
  open,             // circuit breaker: open, come back after retry_after
  probe_in_flight,  // circuit breaker: half-open, and every probe is out
  ramping,          // circuit breaker: just closed, and this call is past the ramp's share
  forced_open,      // circuit breaker: an operator said so
  rate_limited,     // rate limiter: no token, now or within the wait
  timed_out,        // a deadline passed
  cancelled,        // the caller, or an outer layer, no longer wants the answer
  threw,            // the user's callable threw; see error::cause
  failed,           // the user's callable returned a failure
};

/// The reason's stable code, as logs, metrics and response headers show it.
[[nodiscard]] constexpr std::string_view name(errc e) noexcept {
  switch (e) {
    case errc::open: return "open";
    case errc::probe_in_flight: return "probe_in_flight";
    case errc::ramping: return "ramping";
    case errc::forced_open: return "forced_open";
    case errc::rate_limited: return "rate_limited";
    case errc::timed_out: return "timed_out";
    case errc::cancelled: return "cancelled";
    case errc::threw: return "threw";
    case errc::failed: return "failed";
  }
  return "unknown";
}

/// Whether the answer came from a policy here rather than from the thing that was called.
[[nodiscard]] constexpr bool is_refusal(errc e) noexcept {
  switch (e) {
    case errc::open:
    case errc::probe_in_flight:
    case errc::ramping:
    case errc::forced_open:
    case errc::rate_limited: return true;
    case errc::timed_out:
    case errc::cancelled:
    case errc::threw:
    case errc::failed: return false;
  }
  return false;
}

/// What a caller gets instead of a result.
struct error {
  errc why{};
  std::string_view who{};      // the policy's name; lives as long as the policy
  duration retry_after{};      // >= 0; zero where nothing is known
  std::exception_ptr cause{};  // what the user's callable threw, else null
};

}  // namespace halfopen
