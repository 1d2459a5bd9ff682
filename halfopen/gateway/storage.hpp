#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <halfopen/base/time.hpp>
#include <halfopen/gateway/audit_event.hpp>
#include <halfopen/gateway/health_counts.hpp>
#include <halfopen/gateway/storage_error.hpp>
#include <halfopen/gateway/storage_query.hpp>

namespace halfopen::gateway {

struct storage_config {
  std::filesystem::path file = "halfopen.db";
  duration flush_every = std::chrono::milliseconds{200};  // what a killed process loses, at most
  duration retention =
      std::chrono::hours{24 * 30};  // of audit rows and transitions; zero keeps them for ever
  std::size_t field_bytes_max = 4096;
  std::size_t backlog_rows_max = 65'536;  // waiting rows; what comes on top is dropped and counted
  std::size_t backlog_bytes_max = std::size_t{32} << 20;
  std::size_t reads_waiting_max = 64;
  duration read_limit = std::chrono::seconds{5};  // a longer question is broken off
  duration retry_first = std::chrono::milliseconds{100};
  duration retry_most = std::chrono::seconds{5};
  /// Told of each new fault, and with an empty text when writing goes on after one. On a thread of storage.
  std::function<void(std::string const& fault)> told = {};
};

struct storage_health {
  bool ok = false;  // the last write went through and nothing has failed since
  std::optional<wall_time> failing_since;
  std::optional<storage_fault> fault;  // while it is failing
  std::string last_error;              // stays readable after recovery; empty if nothing ever failed
  std::optional<wall_time> flushed_at;
  std::uint64_t rows_written = 0;
  std::uint64_t rows_dropped = 0;  // lost for ever: backlog full, row at fault, or closed
  std::uint64_t rows_waiting = 0;
  std::uint64_t rows_unreadable = 0;  // found in the file, reported and left out
  std::string moved_aside;            // where the last corrupt file went
};

/// Where counts, transitions and the audit log are kept: one writer thread, many rows a transaction, SQLite.
///
/// A database that is broken, full, corrupt or missing stops nobody: it is reported by health(), rows wait in
/// a bounded backlog, and the writer goes on by itself when it can. Counts are never queued: the board is
/// read at each flush, so a flush that failed loses no count.
///
/// Threads: any, except that nothing may run beside the destructor. Callbacks run on a thread of storage,
/// with
///          no lock held, and must not throw or wait; a loop posts to itself.
class storage {
 public:
  /// Starts the writer and returns at once, also when the database cannot be opened.
  storage(storage_config config, health_board& board);
  ~storage();
  storage(storage const&) = delete;
  storage& operator=(storage const&) = delete;

  /// Waits until the counts of earlier runs are on the board. False: not yet, and nobody needs to wait
  /// longer.
  [[nodiscard]] bool wait_until_loaded(duration limit);

  /// Hands a row over. Never waits. False: dropped, and counted.
  bool record(transition_event e);
  bool record(audit_event e);

  using done = std::function<void(stored<>)>;
  /// Like record, and tells when the row has been synced to the disk. An error comes as soon as the write has
  /// failed once; unless it is `closed` or `full backlog`, the row stays in the backlog and is written later.
  void record_durably(audit_event e, done then);
  /// Tells when everything that was recorded before is in the database (not necessarily synced).
  void flush(done then);

  /// Reads see every row that was recorded before, if the database can be written.
  void read(audit_query q, std::function<void(stored<audit_page>)> then);
  void read(transition_query q, std::function<void(stored<transition_page>)> then);

  [[nodiscard]] storage_health health() const;

  /// Writes what waits, for at most `limit`, and ends both threads. Later rows are dropped, later questions
  /// are answered with `closed`. The destructor does the same with one second.
  void close(duration limit);

 private:
  class body;
  std::unique_ptr<body> body_;
};

}  // namespace halfopen::gateway
