#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <halfopen/app/route_process_fixture.hpp>

/// Sockets and HTTP for tests, written apart from the gateway's own so that the two cannot share a mistake.
/// Sends any bytes it is told to.
namespace halfopen::route {

/// A connected TCP socket.
class connection {
 public:
  connection() = default;
  explicit connection(int fd) : fd_{fd} {}
  connection(connection&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  connection& operator=(connection&& other) noexcept;
  ~connection() { close(); }

  [[nodiscard]] static connection to(std::uint16_t port);

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  /// False once the other side no longer listens.
  bool send(std::string_view bytes) const;
  /// Sends them and the end of the stream together: whoever reads the one has the other, too.
  bool send_last(std::string_view bytes) const;
  /// What is there, up to 64 kB; empty at the end, after an error, or when nothing came within `limit`.
  [[nodiscard]] std::string receive(std::chrono::milliseconds limit = long_enough) const;
  /// Everything up to the end.
  [[nodiscard]] std::string receive_all(std::chrono::milliseconds limit = long_enough) const;
  /// Whether the other side has closed; waits for it.
  [[nodiscard]] bool is_closed_by_peer(std::chrono::milliseconds limit = long_enough) const;
  void end_sending() const;
  void close();
  /// So that the other side sees a reset instead of an end, once this is closed.
  void reset_on_close() const;

 private:
  int fd_ = -1;
};

/// A message's head lines and body. Names of fields are kept in lower case.
struct message {
  std::string first_line;
  std::multimap<std::string, std::string> fields;
  std::string body;
  bool whole = false;  // false: the body was cut, or did not come in time

  [[nodiscard]] std::string field(std::string const& name) const;  // the first; empty if absent
  [[nodiscard]] bool has(std::string const& name) const { return fields.contains(name); }
};

/// Takes messages off a connection, one after another.
class message_reader {
 public:
  explicit message_reader(connection const& c) : connection_{c} {}
  /// A message, or nothing if no whole head came in time. `to_end`: a body without a length reaches to the
  /// end of the connection (replies); else there is none (requests).
  [[nodiscard]] std::optional<message> next(bool to_end, bool head_only = false,
                                            std::chrono::milliseconds limit = long_enough);
  /// What has come and is not yet part of a message.
  [[nodiscard]] std::string const& rest() const { return buffer_; }

 private:
  [[nodiscard]] bool more();
  [[nodiscard]] bool read_body(message& m, bool to_end);
  [[nodiscard]] bool read_chunks(std::string& body);
  [[nodiscard]] std::optional<std::string> line();

  connection const& connection_;
  std::string buffer_;
  std::chrono::steady_clock::time_point until_{};
};

struct reply : message {
  int status = 0;  // 0: not even a head came
};

using field_lines = std::vector<std::string>;  // "Name: value"

/// A client that keeps its connection.
class client {
 public:
  explicit client(std::uint16_t port) : connection_{connection::to(port)} {}

  void start(std::string const& method, std::string const& target, std::string const& body = {},
             field_lines const& fields = {});
  [[nodiscard]] reply finish(std::chrono::milliseconds limit = long_enough);
  reply call(std::string const& method, std::string const& target, std::string const& body = {},
             field_lines const& fields = {});
  [[nodiscard]] connection& socket() { return connection_; }

 private:
  connection connection_;
  message_reader reader_{connection_};
  bool head_only_ = false;
};

/// One call on a connection of its own.
reply call(std::uint16_t port, std::string const& method, std::string const& target,
           std::string const& body = {}, field_lines const& fields = {});
/// Bytes as they are, then the reply to them.
reply send_raw(std::uint16_t port, std::string_view bytes);

}  // namespace halfopen::route
