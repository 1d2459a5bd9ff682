#pragma once

#include <cstddef>

namespace halfopen::app {

inline constexpr std::size_t stack_bytes = std::size_t{1}
                                           << 30;  // of addresses; touched as deep as a spec recurses
inline constexpr std::size_t stack_reserve = std::size_t{16} << 20;

}  // namespace halfopen::app
