#pragma once

#include <cstddef>

namespace halfopen::net {

/// Storage for coroutine frames, recycled by the thread that freed them: a request costs no malloc.
///
/// Threads: any; a frame may be freed by another thread than the one that allocated it.
[[nodiscard]] void* allocate_frame(std::size_t size);
void free_frame(void* frame, std::size_t size) noexcept;

}  // namespace halfopen::net
