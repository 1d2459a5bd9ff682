#pragma once

#include <string_view>

namespace halfopen::net {

/// The phrase that goes with a status (RFC 9110, section 15): "Not Found" for 404. Empty where none is known.
[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

}  // namespace halfopen::net
