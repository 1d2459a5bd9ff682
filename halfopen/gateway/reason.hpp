#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <halfopen/base/error.hpp>

namespace halfopen::gateway {

/// Why a client gets an answer of the gateway's own instead of the tool's, or why an attempt failed.
/// The code of each is what the access log, the metrics, the audit and the problem document show.
enum class reason : std::uint8_t {
  none,
  // the client's doing
  malformed,
  target_too_long,
  unsupported_version,
  unknown_coding,
  body_too_large,
  head_too_large,
  request_timeout,
  invalid_json,
  expectation_failed,
  method_not_allowed,
  no_route,
  unknown_tool,
  client_gone,
  client_slow,
  // ours
  draining,
  overloaded,
  upstream_full,
  internal,
  // a policy's
  open,
  probe_in_flight,
  ramping,
  forced_open,
  // the tool's
  timed_out,
  unreachable,
  reset,
  bad_reply,
  count_  // not a reason
};
inline constexpr std::size_t reason_count = static_cast<std::size_t>(reason::count_);

/// One row of the one table that says how a reason looks from outside.
struct reason_row {
  reason why;
  int status;              // of the answer; 0 = nobody is left to answer
  std::string_view code;   // stable: for scripts
  std::string_view title;  // RFC 9457: the same for every occurrence
  bool retry_after;  // whether the answer says when to come back (a second, where nothing better is known)
};

inline constexpr std::array<reason_row, reason_count> reason_table{{
    {reason::none, 200, "", "OK", false},
    {reason::malformed, 400, "malformed", "The request is not well-formed HTTP/1.1", false},
    {reason::target_too_long, 414, "target_too_long", "The request's target is longer than allowed here",
     false},
    {reason::unsupported_version, 505, "unsupported_version", "This version of HTTP is not spoken here",
     false},
    {reason::unknown_coding, 501, "unknown_coding", "This transfer coding is not spoken here", false},
    {reason::body_too_large, 413, "body_too_large", "The request's body is larger than allowed here", false},
    {reason::head_too_large, 431, "head_too_large", "The request's head is larger than allowed here", false},
    {reason::request_timeout, 408, "request_timeout", "The request did not arrive in time", false},
    {reason::invalid_json, 400, "invalid_json", "The body is not valid JSON", false},
    {reason::expectation_failed, 417, "expectation_failed", "This expectation cannot be met", false},
    {reason::method_not_allowed, 405, "method_not_allowed", "The method is not allowed here", false},
    {reason::no_route, 404, "no_route", "No route matches", false},
    {reason::unknown_tool, 404, "unknown_tool", "There is no tool of this name", false},
    {reason::client_gone, 0, "client_gone", "The client went away", false},
    {reason::client_slow, 0, "client_slow", "The client did not take its reply in time", false},
    {reason::draining, 503, "draining", "The gateway is about to stop", true},
    {reason::overloaded, 503, "overloaded", "The gateway has no room for another connection", true},
    {reason::upstream_full, 503, "upstream_full", "No connection to the tool is free", true},
    {reason::internal, 500, "internal", "The gateway made a mistake", false},
    {reason::open, 503, "open", "The circuit breaker is open", true},
    {reason::probe_in_flight, 503, "probe_in_flight", "The circuit breaker waits for its probe", true},
    {reason::ramping, 503, "ramping", "The tool has just recovered and takes part of the load", true},
    {reason::forced_open, 503, "forced_open", "An operator has opened the circuit breaker", true},
    {reason::timed_out, 504, "timed_out", "The tool did not answer in time", false},
    {reason::unreachable, 502, "unreachable", "The tool cannot be reached", false},
    {reason::reset, 502, "reset", "The tool's connection broke before its reply was whole", false},
    {reason::bad_reply, 502, "bad_reply", "The tool's reply is not well-formed HTTP/1.1", false},
}};

[[nodiscard]] constexpr reason_row const& row(reason r) noexcept {
  return reason_table[static_cast<std::size_t>(r)];
}
[[nodiscard]] constexpr std::string_view code(reason r) noexcept { return row(r).code; }

static_assert(
    [] {
      for (std::size_t i = 0; i < reason_count; ++i)
        if (reason_table[i].why != static_cast<reason>(i)) return false;
      return true;
    }(),
    "the table stands in the order of the enum");

/// A policy's word in the gateway's vocabulary.
[[nodiscard]] reason from(errc e) noexcept;

/// Whether a policy said no, so that the tool was never asked.
[[nodiscard]] constexpr bool is_refusal(reason r) noexcept {
  return r == reason::open || r == reason::probe_in_flight || r == reason::ramping ||
         r == reason::forced_open;
}

}  // namespace halfopen::gateway
