#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <halfopen/gateway/storage.hpp>
#include <halfopen/gateway/storage_queue.hpp>
#include <halfopen/gateway/storage_session.hpp>

namespace halfopen::gateway {

/// The thread that writes: wakes each flush interval, takes what has come, and puts it into one transaction
/// with the counts of that moment. A failed write keeps the rows and is tried again with back-off.
class storage_writer {
 public:
  storage_writer(storage_config const& config, health_board& board);
  storage_writer(storage_writer const&) = delete;
  storage_writer& operator=(storage_writer const&) = delete;
  ~storage_writer() { close({}); }

  bool record(transition_event e);
  bool record(audit_event e);
  void record_durably(audit_event e, storage::done then);
  void flush(storage::done then);
  [[nodiscard]] bool wait_until_loaded(duration limit);
  /// Someone who read the file found it damaged: the writer checks it, and replaces it if it is.
  void suspect();
  /// Held by whoever reads the file: it is not moved aside meanwhile. (A connection that closes removes the
  /// log by its name, which would then be the new file's.)
  [[nodiscard]] std::unique_lock<std::mutex> hold_file() { return std::unique_lock{file_mutex_}; }
  void note_unreadable(std::vector<std::string> const& problems);
  [[nodiscard]] storage_health health() const;
  void close(duration limit);

 private:
  using clock = std::chrono::steady_clock;
  using item_ptr = std::unique_ptr<storage_item>;

  // from any thread
  [[nodiscard]] item_ptr make_item(audit_event e) const;
  bool push(item_ptr item);
  void push_with_waiter(item_ptr item);
  [[nodiscard]] bool reserve(storage_item const& item);
  void release(storage_item const& item);
  void wake();

  // on the writer's thread
  void run();
  [[nodiscard]] bool wait_for_work();
  void attempt_if_due();
  void attempt();
  [[nodiscard]] stored<> try_once();
  [[nodiscard]] stored<> open();
  [[nodiscard]] stored<> write_pending();
  [[nodiscard]] stored<> settle_unsure();
  [[nodiscard]] storage_item const* last_row(std::size_t count) const;
  [[nodiscard]] stored<> remove_old_rows();
  [[nodiscard]] bool set_aside(storage_error const& e);
  void append_own(std::string what, std::string detail);
  void forget(std::size_t count, stored<> const& answer);
  void succeeded();
  void failed(storage_error const& e);
  void note_error(std::string const& message);
  void answer_waiters(storage_error const& e);
  void finish();

  storage_config const& config_;
  health_board& board_;
  storage_queue queue_;
  std::atomic<std::size_t> rows_waiting_{0}, bytes_waiting_{0};
  std::atomic<bool> suspected_{false};
  std::atomic<std::uint64_t> rows_dropped_{0}, rows_unreadable_{0};

  // the writer's own
  std::optional<storage_session> session_;
  std::vector<item_ptr> pending_;
  bool counts_loaded_ = false;
  struct batch {
    std::int64_t number;
    storage_item const* last;  // its last row; still in pending_
  };
  std::optional<batch> unsure_;  // ended in an error, and may be in the file all the same
  duration retry_after_{};
  storage_error last_error_;
  clock::time_point flush_at_{}, attempt_at_{};
  clock::time_point retention_at_{};
  std::uint64_t dropped_told_ = 0;
  std::uint64_t removed_untold_ = 0;

  std::mutex file_mutex_;     // the file as a whole: questions and its replacement, never calls
  mutable std::mutex mutex_;  // guards what follows; held for moments, never during I/O
  std::condition_variable woken_, loaded_;
  bool urgent_ = false;
  bool closing_ = false;
  bool tried_ = false;  // the first attempt to open has ended, one way or the other
  clock::time_point close_by_{};
  storage_health health_;

  std::mutex join_mutex_;
  std::thread thread_;  // last: it uses everything above
};

}  // namespace halfopen::gateway
