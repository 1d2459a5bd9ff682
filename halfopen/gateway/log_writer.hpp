#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <halfopen/base/expected.hpp>

namespace halfopen::gateway {

/// Writes chunks of log lines to a file, on a thread of its own: a slow disk or a full pipe never stops a
/// loop.
///
/// A chunk that finds no room is dropped as a whole and its lines are counted. The destructor writes what
/// waits, but gives up after a second on a pipe that takes no more. Threads: submit, take and dropped from
/// any.
class log_writer {
 public:
  static constexpr std::size_t chunks_max = 64;

  /// "stdout", "stderr", or a file that is appended to.
  [[nodiscard]] static expected<std::unique_ptr<log_writer>, std::string> open(
      std::filesystem::path const& where);
  explicit log_writer(int fd, bool owned, std::size_t chunks = chunks_max);
  ~log_writer();
  log_writer(log_writer const&) = delete;
  log_writer& operator=(log_writer const&) = delete;

  /// Hands over a chunk of whole lines.
  void submit(std::string chunk, std::uint64_t lines);
  /// An empty string with room: one that has been written, if there is one.
  [[nodiscard]] std::string take();

  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  struct chunk {
    std::string text;
    std::uint64_t lines;
  };
  void run();
  void write(chunk const& c);
  [[nodiscard]] bool takes_more();

  int fd_;
  bool owned_;
  bool may_block_;  // no file: a write waits for whoever reads
  std::size_t chunks_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<chunk> waiting_;
  std::vector<std::string> spare_;
  bool ending_ = false;
  std::chrono::steady_clock::time_point end_by_{};
  std::atomic<std::uint64_t> dropped_{0};
  std::thread thread_;
};

}  // namespace halfopen::gateway
