#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <halfopen/gateway/health_counts.hpp>
#include <halfopen/gateway/storage_database.hpp>
#include <halfopen/gateway/storage_queue.hpp>
#include <halfopen/gateway/storage_rows.hpp>

namespace halfopen::gateway {

/// A file that nobody else writes while this lives; another process that tries is told.
class file_claim {
 public:
  [[nodiscard]] static stored<file_claim> take(std::filesystem::path const& file);
  file_claim(file_claim&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  file_claim& operator=(file_claim&&) = delete;
  ~file_claim();

 private:
  explicit file_claim(int fd) : fd_{fd} {}
  int fd_;
};

/// The writer's open database: statements at hand, and where the audit chain ends.
///
/// Threads: the writer's.
class storage_session {
 public:
  [[nodiscard]] static stored<storage_session> open(std::filesystem::path const& file);

  /// What earlier runs counted. Rows that make no sense are left out and told.
  [[nodiscard]] stored<std::vector<health_row>> load_counts(std::vector<row_problem>& problems);

  struct written {
    std::uint64_t rows = 0;
    std::uint64_t rows_refused = 0;  // rows that SQLite will never take
    std::string refusal;             // what it said to the last of them
  };
  /// Writes every row of `items` and every count that has changed, in one transaction: all or nothing.
  ///
  /// After an error it may be either: a commit whose last sync failed can still be found in the file when
  /// that is opened again. last_batch() then tells.
  [[nodiscard]] stored<written> write(std::span<std::unique_ptr<storage_item> const> items,
                                      std::vector<health_row> const& counts);

  /// How many transactions with rows the file has taken, over all its life.
  [[nodiscard]] stored<std::int64_t> last_batch();
  /// The number that write() gives to its next transaction.
  [[nodiscard]] std::int64_t next_batch() const noexcept { return batch_ + 1; }

  /// Removes up to `rows_max` audit rows, and as many transitions, that are older than `cutoff`: always the
  /// oldest first, so what stays is one piece. Returns how many audit rows went.
  [[nodiscard]] stored<std::uint64_t> remove_older(wall_time cutoff, std::uint32_t rows_max);

  /// False if the path no longer leads to the file that is open.
  [[nodiscard]] bool is_in_place() const;

 private:
  struct chain_end {
    std::int64_t id = 0;
    digest hash{};
  };
  struct words {  // every statement the writer speaks
    statement insert_audit, insert_transition, upsert_health, set_state, set_removed, old_audit, remove_audit,
        remove_transitions;
  };
  struct file_identity {
    std::uint64_t device = 0, inode = 0;
    friend bool operator==(file_identity, file_identity) = default;
  };
  storage_session(std::filesystem::path file, file_claim claim, database db, words w, chain_end end,
                  std::int64_t batch);
  [[nodiscard]] static stored<> check(database& db);
  [[nodiscard]] static stored<words> prepare(database& db);
  [[nodiscard]] static stored<chain_end> read_chain_end(database& db);
  [[nodiscard]] static stored<std::int64_t> read_last_batch(database& db);
  [[nodiscard]] static std::optional<file_identity> identity(std::filesystem::path const& file);
  [[nodiscard]] bool is_news(health_row const& row) const;
  [[nodiscard]] bool has_news(std::vector<health_row> const& counts) const;
  [[nodiscard]] stored<> write_rows(std::span<std::unique_ptr<storage_item> const> items, chain_end& end,
                                    written& w);
  [[nodiscard]] stored<> write_row(storage_item const& item, chain_end& end);
  [[nodiscard]] stored<> write_counts(std::vector<health_row> const& counts);
  [[nodiscard]] stored<> remove_audit_prefix(std::string const& cutoff, std::uint32_t rows_max,
                                             std::uint64_t& removed);

  std::filesystem::path file_;
  file_claim claim_;
  database db_;
  words words_;
  chain_end end_;
  std::int64_t batch_;
  std::optional<file_identity> identity_;
  std::map<health_key, health_counts> counts_written_;
};

/// Moves a database that cannot be read out of the way, with its journal files, under a name that says so.
[[nodiscard]] stored<std::filesystem::path> move_aside(std::filesystem::path const& file, wall_time now);

}  // namespace halfopen::gateway
