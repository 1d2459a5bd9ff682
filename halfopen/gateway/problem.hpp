#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <halfopen/base/time.hpp>
#include <halfopen/gateway/reason.hpp>

namespace halfopen::gateway {

/// How one attempt came out, for the people who ask "why 503?".
struct attempt_note {
  std::uint32_t number = 1;
  std::string_view host{};  // its name in the configuration; empty where none was chosen
  reason why = reason::none;
  int status = 0;  // of the tool's reply; 0 where there was none
  bool probe = false;
  duration took{};
};

/// What the gateway says instead of a tool.
struct problem {
  reason why{};
  std::string_view tool{};    // empty where no tool was found yet
  std::string_view detail{};  // for this occurrence; may be empty
  std::span<attempt_note const> attempts{};
  duration retry_after{};  // whatever is known; see retry_after_seconds
};

/// Retry-After as it is sent: whole seconds, rounded up, at least 1 and never more than a day.
[[nodiscard]] std::int64_t retry_after_seconds(duration d) noexcept;

/// Appends the problem document (RFC 9457, application/problem+json).
void append_document(std::string& out, problem const& p);

/// How an answer of the gateway's own is framed.
struct reply_frame {
  bool keep_alive = true;
  bool head_only = false;      // the request was HEAD
  bool reason_header = false;  // tell each attempt's reason in a header
  std::string_view allow{};    // of a 405
};

/// Appends a whole answer: status line, header fields, document.
void append_reply(std::string& out, problem const& p, reply_frame frame);

/// Appends "1=timed_out, 2=open": each attempt's reason, the way the reason header shows it.
void append_reasons(std::string& out, std::span<attempt_note const> attempts);

}  // namespace halfopen::gateway
