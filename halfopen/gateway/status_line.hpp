#pragma once

#include <string>
#include <string_view>

namespace halfopen::gateway {

/// The phrase that goes with a status (RFC 9110, section 15), or an empty string.
[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

/// Appends "HTTP/1.1 503 Service Unavailable" and its line end.
void append_status_line(std::string& out, int status);

}  // namespace halfopen::gateway
