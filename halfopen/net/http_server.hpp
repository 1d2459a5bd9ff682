#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <halfopen/base/expected.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/net/endpoint.hpp>
#include <halfopen/net/io_error.hpp>

namespace halfopen::net {

using field_list = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] std::optional<std::string_view> find_field(field_list const& fields, std::string_view name);

/// A whole request, copied: for tests, demos and fault upstreams, not for the data path.
struct whole_request {
  std::string method{};
  std::string target{};
  field_list fields{};
  std::string body{};
  std::uint64_t connection = 0;  // counts from 1 as they are accepted
  std::uint64_t number = 0;      // on its connection, from 1

  [[nodiscard]] std::optional<std::string_view> field(std::string_view name) const;
};

/// What a server sends, and how it goes wrong where that is wanted.
struct whole_reply {
  int status = 200;
  field_list fields{};
  std::string body{};
  bool chunked = false;
  bool close = false;                // after this reply
  std::optional<std::string> raw{};  // sent instead of everything above

  duration delay{};                        // before the first byte
  duration pause{};                        // between the head and each `slice` bytes of the body
  std::size_t slice = 0;                   // 0 = the body in one go
  std::optional<std::size_t> cut_after{};  // bytes of head and body; then the connection is closed
  bool reset = false;                      // close with RST instead of FIN (at once, or after cut_after)
  bool hang = false;                       // never answer; the connection stays open
};

/// A small HTTP/1.1 server on a thread and a loop of its own.
class http_server {
 public:
  using handler = std::function<whole_reply(whole_request const&)>;  // on the server's thread

  /// Port 0 picks one.
  [[nodiscard]] static expected<std::unique_ptr<http_server>, io_error> start(
      handler h, endpoint at = endpoint::loopback(0));
  ~http_server();  // closes every connection
  http_server(http_server const&) = delete;
  http_server& operator=(http_server const&) = delete;

  [[nodiscard]] endpoint local() const noexcept;
  [[nodiscard]] std::uint16_t port() const noexcept { return local().port(); }
  [[nodiscard]] std::uint64_t requests() const noexcept;     // heads read so far
  [[nodiscard]] std::uint64_t connections() const noexcept;  // accepted so far
  [[nodiscard]] std::size_t open_connections() const noexcept;

 private:
  class connection;
  struct state;
  explicit http_server(std::unique_ptr<state> s) noexcept;
  std::unique_ptr<state> state_;
};

}  // namespace halfopen::net
