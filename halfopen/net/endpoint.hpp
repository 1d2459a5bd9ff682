#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>

#include <halfopen/base/expected.hpp>
#include <halfopen/net/io_error.hpp>

namespace halfopen::net {

/// A numeric address and port, IPv4 or IPv6.
class endpoint {
 public:
  endpoint() noexcept;  // 0.0.0.0:0
  endpoint(sockaddr const* address,
           socklen_t length) noexcept;  // anything but IPv4 and IPv6 becomes 0.0.0.0:0

  static endpoint loopback(std::uint16_t port) noexcept;  // 127.0.0.1

  /// "127.0.0.1:80", "[::1]:80". No names: those are the resolver's.
  [[nodiscard]] static expected<endpoint, io_error> parse(std::string_view text);

  /// "127.0.0.1" or "::1" (brackets allowed) with the port apart.
  [[nodiscard]] static expected<endpoint, io_error> parse(std::string_view host, std::uint16_t port);

  [[nodiscard]] std::uint16_t port() const noexcept;
  void set_port(std::uint16_t port) noexcept;
  [[nodiscard]] int family() const noexcept { return address_.any.sa_family; }
  [[nodiscard]] sockaddr const* data() const noexcept { return &address_.any; }
  [[nodiscard]] socklen_t size() const noexcept;
  [[nodiscard]] bool is_loopback() const noexcept;

  [[nodiscard]] std::string host() const;  // "127.0.0.1", "::1"
  [[nodiscard]] std::string text() const;  // "127.0.0.1:80", "[::1]:80"

  friend bool operator==(endpoint const& a, endpoint const& b) noexcept;

 private:
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  } address_{};
};

/// Where a bound or connected socket stands.
[[nodiscard]] endpoint local_endpoint(int fd) noexcept;
[[nodiscard]] endpoint peer_endpoint(int fd) noexcept;

}  // namespace halfopen::net
