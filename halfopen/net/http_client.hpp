#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <halfopen/base/expected.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/net/endpoint.hpp>
#include <halfopen/net/http_server.hpp>
#include <halfopen/net/io_error.hpp>
#include <halfopen/net/unique_fd.hpp>

namespace halfopen::net {

/// A whole reply as a client sees it.
struct received_reply {
  int status = 0;
  field_list fields{};
  std::string body{};  // decoded
  bool keeps_alive = false;

  [[nodiscard]] std::optional<std::string_view> field(std::string_view name) const;
};

/// A blocking HTTP/1.1 client for commands and tests: one connection, kept alive between requests.
///
/// Every call has a limit of time. After an error the connection is closed; the next call dials anew.
/// Threads: one at a time.
class http_client {
 public:
  explicit http_client(endpoint to) noexcept : to_{to} {}

  [[nodiscard]] expected<received_reply, io_error> get(std::string_view target, duration limit) {
    return send("GET", target, {}, {}, limit);
  }

  /// Host and Content-Length are added where they are missing.
  [[nodiscard]] expected<received_reply, io_error> send(std::string_view method, std::string_view target,
                                                        field_list const& fields, std::string_view body,
                                                        duration limit);

  /// Bytes as they are; then reads one reply (`method` tells whether it may have a body).
  [[nodiscard]] expected<received_reply, io_error> send_raw(std::string_view bytes, duration limit,
                                                            std::string_view method = "GET");

  /// The pieces apart, for tests that cut and stall.
  [[nodiscard]] expected<void, io_error> open(duration limit);
  [[nodiscard]] expected<void, io_error> write(std::string_view bytes, duration limit);
  [[nodiscard]] expected<received_reply, io_error> read_reply(duration limit,
                                                              std::string_view method = "GET");
  void shutdown_send() noexcept;
  void reset() noexcept;  // closes with RST
  void close() noexcept;
  [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(fd_); }

 private:
  [[nodiscard]] expected<received_reply, io_error> read_whole(instant end, std::string_view method);
  [[nodiscard]] expected<void, io_error> fill(
      instant end);  // more bytes behind arrived_; `closed` at the end

  endpoint to_;
  unique_fd fd_;
  std::string arrived_;
};

}  // namespace halfopen::net
