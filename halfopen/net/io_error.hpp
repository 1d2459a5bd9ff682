#pragma once

#include <cstdint>
#include <string_view>

namespace halfopen::net {

/// Why an operation on the network has no result. Closed.
enum class io_errc : std::uint8_t {
  timed_out,       // the operation's deadline passed
  cancelled,       // aborted from this side
  closed,          // the peer closed its half before what was awaited had come
  reset,           // the peer, or a box between, broke the connection
  refused,         // nobody listens there
  unreachable,     // no route, or the network is down
  no_descriptors,  // this process or machine is out of descriptors, ports or buffers
  name_unknown,    // the resolver says that there is no such host
  name_failed,     // the resolver could not find out
  busy,            // a bound of ours is reached (resolver queue, posted work)
  bad_address,     // not an address, or one that cannot be used here
  bad_message,     // the peer does not speak HTTP/1.1 as it must
  other,           // see io_error::system
};

[[nodiscard]] constexpr std::string_view name(io_errc e) noexcept {
  switch (e) {
    case io_errc::timed_out: return "timed_out";
    case io_errc::cancelled: return "cancelled";
    case io_errc::closed: return "closed";
    case io_errc::reset: return "reset";
    case io_errc::refused: return "refused";
    case io_errc::unreachable: return "unreachable";
    case io_errc::no_descriptors: return "no_descriptors";
    case io_errc::name_unknown: return "name_unknown";
    case io_errc::name_failed: return "name_failed";
    case io_errc::busy: return "busy";
    case io_errc::bad_address: return "bad_address";
    case io_errc::bad_message: return "bad_message";
    case io_errc::other: return "other";
  }
  return "unknown";
}

struct io_error {
  io_errc why{};
  int system = 0;  // errno where the kernel said so, else 0

  friend bool operator==(io_error, io_error) = default;
};

/// The class of a kernel's answer.
[[nodiscard]] io_error from_errno(int code) noexcept;

}  // namespace halfopen::net
