#pragma once

#include <cstdint>
#include <span>

#include <halfopen/gateway/storage_database.hpp>

namespace halfopen::gateway {

/// One step from a schema to the next. Each runs in a transaction of its own together with its number
/// (`PRAGMA user_version`), so a process that dies between or inside steps goes on where it stopped.
struct migration {
  std::int64_t version;
  char const* what;
  char const* sql;
};

[[nodiscard]] std::span<migration const> migrations() noexcept;

/// Brings `db` from whatever version it has to the newest.
///
/// Errors: newer (the file was written by a later program), or what SQLite said. The schema is then that of
///         the last step that went through.
[[nodiscard]] stored<> migrate(database& db);

}  // namespace halfopen::gateway
