#pragma once

#include <filesystem>

#include <halfopen/base/time.hpp>
#include <halfopen/gateway/storage_error.hpp>
#include <halfopen/gateway/storage_query.hpp>

namespace halfopen::gateway {

/// Answers one question from the file, over a connection of its own: a writer is never held up, and a file
/// that was replaced is seen.
///
/// Errors:  refused if the question took longer than `limit`.
/// Threads: any. May wait for the disk; not for an event loop.
[[nodiscard]] stored<audit_page> read_page(std::filesystem::path const& file, audit_query const& q,
                                           duration limit);
[[nodiscard]] stored<transition_page> read_page(std::filesystem::path const& file, transition_query const& q,
                                                duration limit);

}  // namespace halfopen::gateway
