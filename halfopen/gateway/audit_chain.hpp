#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <halfopen/gateway/audit_event.hpp>
#include <halfopen/gateway/storage_error.hpp>

namespace halfopen::gateway {

/// The hash that `row` must carry: SHA-256 over `row.previous` and every field, each with its length, so that
/// no two different rows are written alike.
[[nodiscard]] digest chain_hash(audit_row const& row);

struct chain_fault {
  std::int64_t id = 0;
  std::string what;
};

struct chain_report {
  std::uint64_t rows = 0;
  std::int64_t first_id = 0;  // rows before it were removed by retention, which is recorded
  std::int64_t last_id = 0;
  std::vector<chain_fault> faults;  // the first hundred

  [[nodiscard]] bool holds() const noexcept { return faults.empty(); }
};

/// Reads the whole audit log and finds rows that were edited, removed, added or moved.
///
/// Does not find: a log rewritten as a whole by someone who may write the file (keep a copy of the last hash
/// elsewhere against that).
/// Threads: any; may run while a gateway writes.
[[nodiscard]] stored<chain_report> verify_chain(std::filesystem::path const& database);

}  // namespace halfopen::gateway
