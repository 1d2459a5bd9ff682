#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <halfopen/base/time.hpp>
#include <halfopen/gateway/log_writer.hpp>
#include <halfopen/gateway/reason.hpp>
#include <halfopen/gateway/storage_time.hpp>

namespace halfopen::gateway {

/// One request, as its log line tells it.
struct access_entry {
  instant at{};  // when it ended
  std::string_view client{};
  std::string_view method{};
  std::string_view target{};
  std::string_view tool{};
  std::string_view host{};  // of the last attempt
  reason why = reason::none;
  int status = 0;  // 0: the client went away before there was one
  std::uint32_t attempts = 0;
  bool probe = false;
  std::uint64_t bytes_in = 0;   // of the body
  std::uint64_t bytes_out = 0;  // of the whole answer
  duration took{};
};

/// One loop's access log: JSON lines, gathered and handed to the writer in large pieces.
///
/// Threads: its loop's. Cost: no allocation a line once the buffers have grown.
class access_log {
 public:
  static constexpr std::size_t chunk_size = 64 * 1024;

  /// No line is made where `writer` is null.
  access_log(log_writer* writer, wall_clock clock) : writer_{writer}, clock_{clock} {}
  ~access_log() { flush(); }
  access_log(access_log const&) = delete;
  access_log& operator=(access_log const&) = delete;

  void add(access_entry const& e);
  /// Hands over what has been gathered.
  void flush();

 private:
  void append_time(instant at);

  log_writer* writer_;
  wall_clock clock_;
  std::string buffer_;
  std::uint64_t lines_ = 0;
  std::int64_t second_ = -1;  // the one that `second_text_` shows
  std::string second_text_;
};

}  // namespace halfopen::gateway
