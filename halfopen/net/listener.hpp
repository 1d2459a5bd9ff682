#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <halfopen/base/expected.hpp>
#include <halfopen/net/channel.hpp>
#include <halfopen/net/endpoint.hpp>
#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/io_error.hpp>
#include <halfopen/net/stream.hpp>

namespace halfopen::net {

struct listen_options {
  int backlog = 4096;
  bool reuse_port = true;  // one listener for each loop on the same port; the kernel deals connections out
  bool first = false;  // fails where anyone listens already, also one that would share; others may join later
};

class listener_state;

/// Waits for a connection. See listener::accept.
class [[nodiscard]] accept_operation final : public channel::operation {
 public:
  explicit accept_operation(listener_state& from) noexcept;
  expected<unique_fd, io_error> await_resume() noexcept {
    if (failure()) return unexpected{*failure()};
    return std::move(accepted_);
  }

 private:
  bool attempt(channel& on) override;
  listener_state& from_;
  unique_fd accepted_;
};

/// A listening TCP socket on a loop. Closing or destroying it ends a waiting accept with `cancelled`.
///
/// When the process is out of descriptors, a spare one is used to take a connection and close it at once: the
/// peer learns that there is no room, instead of waiting in a queue that nobody serves. shed() counts these.
/// Threads: the loop's.
class listener {
 public:
  [[nodiscard]] static expected<listener, io_error> bind(event_loop& loop, endpoint at, listen_options = {});
  listener(listener&&) noexcept;
  listener& operator=(listener&&) noexcept;
  ~listener();

  /// The next connection, as a non-blocking socket. Ends only by a connection or by cancellation.
  [[nodiscard]] accept_operation accept() noexcept { return accept_operation{*state_}; }

  /// No more connections; those in the kernel's queue are reset.
  void close() noexcept;

  [[nodiscard]] endpoint local() const noexcept;
  [[nodiscard]] std::uint64_t shed() const noexcept;

 private:
  explicit listener(std::unique_ptr<listener_state> state) noexcept;
  std::unique_ptr<listener_state> state_;
};

}  // namespace halfopen::net
