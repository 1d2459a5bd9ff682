#include <charconv>
#include <cstring>

#include <arpa/inet.h>

#include <halfopen/net/endpoint.hpp>

namespace halfopen::net {
namespace {

constexpr io_error not_an_address{io_errc::bad_address, 0};

}  // namespace

endpoint::endpoint() noexcept { address_.v4.sin_family = AF_INET; }

endpoint::endpoint(sockaddr const* address, socklen_t length) noexcept : endpoint{} {
  if (address->sa_family == AF_INET && length >= sizeof(sockaddr_in))
    std::memcpy(&address_.v4, address, sizeof(sockaddr_in));
  else if (address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6))
    std::memcpy(&address_.v6, address, sizeof(sockaddr_in6));
}

endpoint endpoint::loopback(std::uint16_t port) noexcept {
  endpoint e;
  e.address_.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  e.set_port(port);
  return e;
}

expected<endpoint, io_error> endpoint::parse(std::string_view text) {
  auto const colon = text.rfind(':');
  if (colon == text.npos) return unexpected{not_an_address};
  auto const digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  auto const [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (code != std::errc{} || end != digits.data() + digits.size()) return unexpected{not_an_address};
  auto const host = text.substr(0, colon);
  if (host.find(':') != host.npos && !host.starts_with('[')) return unexpected{not_an_address};
  return parse(host, port);
}

expected<endpoint, io_error> endpoint::parse(std::string_view host, std::uint16_t port) {
  bool const brackets = host.starts_with('[') && host.ends_with(']');
  if (brackets) host = host.substr(1, host.size() - 2);
  char text[INET6_ADDRSTRLEN + 1]{};
  if (host.empty() || host.size() >= sizeof text) return unexpected{not_an_address};
  host.copy(text, host.size());
  endpoint e;
  if (!brackets && ::inet_pton(AF_INET, text, &e.address_.v4.sin_addr) == 1) {
    e.set_port(port);
    return e;
  }
  e.address_.v6 = {};
  e.address_.v6.sin6_family = AF_INET6;
  if (::inet_pton(AF_INET6, text, &e.address_.v6.sin6_addr) != 1) return unexpected{not_an_address};
  e.set_port(port);
  return e;
}

std::uint16_t endpoint::port() const noexcept {
  return ntohs(family() == AF_INET6 ? address_.v6.sin6_port : address_.v4.sin_port);
}

void endpoint::set_port(std::uint16_t port) noexcept {
  (family() == AF_INET6 ? address_.v6.sin6_port : address_.v4.sin_port) = htons(port);
}

socklen_t endpoint::size() const noexcept {
  return family() == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

bool endpoint::is_loopback() const noexcept {
  if (family() == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&address_.v6.sin6_addr);
  return (ntohl(address_.v4.sin_addr.s_addr) >> 24) == 127;
}

std::string endpoint::host() const {
  char text[INET6_ADDRSTRLEN]{};
  void const* bytes = &address_.v4.sin_addr;
  if (family() == AF_INET6) bytes = &address_.v6.sin6_addr;
  ::inet_ntop(family(), bytes, text, sizeof text);
  return text;
}

std::string endpoint::text() const {
  auto const digits = std::to_string(port());
  return family() == AF_INET6 ? "[" + host() + "]:" + digits : host() + ":" + digits;
}

bool operator==(endpoint const& a, endpoint const& b) noexcept {
  if (a.family() != b.family() || a.port() != b.port()) return false;
  if (a.family() == AF_INET) return a.address_.v4.sin_addr.s_addr == b.address_.v4.sin_addr.s_addr;
  return IN6_ARE_ADDR_EQUAL(&a.address_.v6.sin6_addr, &b.address_.v6.sin6_addr) &&
         a.address_.v6.sin6_scope_id == b.address_.v6.sin6_scope_id;
}

endpoint local_endpoint(int fd) noexcept {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return {};
  return {reinterpret_cast<sockaddr*>(&storage), length};
}

endpoint peer_endpoint(int fd) noexcept {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return {};
  return {reinterpret_cast<sockaddr*>(&storage), length};
}

}  // namespace halfopen::net
