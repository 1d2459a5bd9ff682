#pragma once

#include <cstdint>

namespace halfopen::bench {

/// How often this process has called operator new, on all threads.
[[nodiscard]] std::uint64_t allocations() noexcept;

}  // namespace halfopen::bench
