#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <halfopen/base/time.hpp>
#include <halfopen/gateway/storage_time.hpp>

namespace halfopen::gateway {

/// Which counts: those of one host behind one tool. An empty host stands for the tool as a whole.
struct health_key {
  std::string tool{};
  std::string host{};

  friend auto operator<=>(health_key const&, health_key const&) = default;
};

/// What has happened so far, as counts. Rates are computed when read and stored nowhere, so that they cannot
/// drift from what they describe.
struct health_counts {
  std::uint64_t success = 0;
  std::uint64_t failure = 0;
  std::uint64_t ignored = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t slow = 0;  // of the successes, those that were slower than slow_after
  std::uint64_t late = 0;  // results of an older epoch; counted here and nowhere else
  std::uint64_t rejected = 0;
  std::optional<wall_time> last_success_at{};
  std::optional<wall_time> last_failure_at{};

  [[nodiscard]] std::uint64_t total_invocations() const noexcept;
  /// Empty while nothing has been counted: then there is no rate. Both rates add up to 1.
  [[nodiscard]] std::optional<double> success_rate() const noexcept;
  [[nodiscard]] std::optional<double> failure_rate() const noexcept;

  health_counts& operator+=(health_counts const& other) noexcept;
  friend bool operator==(health_counts const&, health_counts const&) = default;
};

/// One loop's counts for one key.
///
/// Threads: written by one thread at a time (its loop), read by any.
/// Cost:    a load and a store a call; nothing shared is contended.
class health_cell {
 public:
  void success(instant now) noexcept;
  void failure(instant now) noexcept;
  void ignored() noexcept { add(ignored_); }
  void abandoned() noexcept { add(abandoned_); }
  void slow() noexcept { add(slow_); }  // beside success()
  void late() noexcept { add(late_); }
  void rejected() noexcept { add(rejected_); }

  [[nodiscard]] health_counts read(wall_clock const& clock) const noexcept;

 private:
  using count = std::atomic<std::uint64_t>;
  static void add(count& c) noexcept {
    c.store(c.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  count success_{0}, failure_{0}, ignored_{0}, abandoned_{0}, slow_{0}, late_{0}, rejected_{0};
  std::atomic<std::int64_t> last_success_ns_{never}, last_failure_ns_{never};
  static constexpr std::int64_t never = INT64_MIN;
};

struct health_row {
  health_key key;
  health_counts counts;
};

/// All counts of the gateway: what earlier runs left behind, plus every loop's cells.
///
/// Threads: any. A loop asks for its cells when a configuration is loaded and keeps the references; the lock
///          is not taken on the way of a call.
class health_board {
 public:
  explicit health_board(wall_clock clock = {}) : clock_{clock} {}

  /// A new cell for the caller alone. Lives as long as the board, also when a reload drops its tool.
  [[nodiscard]] health_cell& add_cell(health_key const& key);
  /// What storage found from earlier runs; replaces what was set for this key before.
  void set_base(health_key const& key, health_counts const& counts);

  [[nodiscard]] std::vector<health_row> read() const;
  [[nodiscard]] health_counts read(health_key const& key) const;

 private:
  struct entry {
    health_counts base;
    std::deque<health_cell> cells;  // a deque never moves what it holds
  };
  [[nodiscard]] health_counts sum(entry const& e) const;

  wall_clock clock_;
  mutable std::mutex mutex_;
  std::map<health_key, entry> entries_;
};

}  // namespace halfopen::gateway
