#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halfopen::gateway {

/// A SHA-256 value.
using digest = std::array<std::uint8_t, 32>;

[[nodiscard]] digest sha256(std::string_view bytes);
[[nodiscard]] std::string to_hex(std::span<std::uint8_t const> bytes);

}  // namespace halfopen::gateway
