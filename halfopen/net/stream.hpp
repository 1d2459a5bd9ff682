#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include <halfopen/base/expected.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/net/channel.hpp>
#include <halfopen/net/endpoint.hpp>
#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/io_error.hpp>
#include <halfopen/net/task.hpp>

namespace halfopen::net {

/// Waits for bytes and reads them. See stream::receive.
class [[nodiscard]] receive_operation final : public channel::operation {
 public:
  receive_operation(channel* on, std::span<char> into, instant deadline) noexcept
      : operation{on, side::read, deadline}, into_{into} {}

  expected<std::span<char>, io_error> await_resume() noexcept {
    if (failure()) return unexpected{*failure()};
    return into_;
  }

 private:
  bool attempt(channel& on) override;
  std::span<char> into_;
};

/// Writes bytes, all of them. See stream::send.
class [[nodiscard]] send_operation final : public channel::operation {
 public:
  static constexpr std::size_t pieces_max = 16;

  send_operation(channel* on, std::span<iovec const> pieces, instant deadline) noexcept;
  ~send_operation();

  expected<void, io_error> await_resume() noexcept {
    if (failure()) return unexpected{*failure()};
    return {};
  }

 private:
  bool attempt(channel& on) override;
  void before_waiting() override;

  std::span<iovec> left_;
  std::array<iovec, pieces_max> pieces_;
  std::unique_ptr<char[]> kept_;
};

/// A connected TCP socket on a loop. At most one receive and one send at a time wait on it.
///
/// Destroying or aborting it ends what waits on it with `cancelled`. After a failed send nothing more can be
/// sent. Threads: the loop's.
class stream {
 public:
  stream() noexcept = default;

  /// Takes a connected non-blocking socket.
  [[nodiscard]] static expected<stream, io_error> adopt(event_loop& loop, unique_fd fd);

  [[nodiscard]] explicit operator bool() const noexcept { return channel_ != nullptr; }

  /// Bytes that have arrived, in the loop's scratch buffer: they are gone when you next suspend, unless the
  /// operation is a send of these very bytes. Empty: the peer has closed its half.
  [[nodiscard]] receive_operation receive(instant deadline) noexcept {
    return {channel_.get(), channel_ ? channel_->loop().scratch() : std::span<char>{}, deadline};
  }

  /// The same, into memory of yours (not empty), which must live until then.
  [[nodiscard]] receive_operation receive(std::span<char> into, instant deadline) noexcept {
    return {channel_.get(), into, deadline};
  }

  /// Sends every byte, or fails. Bytes in the loop's scratch buffer are copied if it has to wait; all others
  /// must stay until then. At most send_operation::pieces_max pieces.
  [[nodiscard]] send_operation send(std::span<iovec const> pieces, instant deadline) noexcept {
    return {channel_.get(), pieces, deadline};
  }
  [[nodiscard]] send_operation send(std::string_view bytes, instant deadline) noexcept {
    iovec const piece{const_cast<char*>(bytes.data()),
                      bytes.size()};  // iovec knows no const; send only reads
    return {channel_.get(), {&piece, 1}, deadline};
  }

  /// Nothing more will be sent; the peer sees the end, and may go on sending.
  void shutdown_send() noexcept {
    if (channel_) channel_->shutdown_send();
  }

  /// Ends what waits here with `cancelled` and closes the socket. Harmless when done twice.
  void abort() noexcept {
    if (channel_) channel_->close(io_errc::cancelled);
  }

  [[nodiscard]] bool peer_closed() const noexcept { return channel_ && channel_->peer_closed(); }
  [[nodiscard]] bool broken() const noexcept { return !channel_ || channel_->broken(); }

  /// Nothing has arrived that was not read, and both halves stand: fit to be used for a request. No system
  /// call.
  [[nodiscard]] bool quiet() const noexcept {
    return channel_ && !channel_->readable() && !channel_->broken();
  }

  /// Told when bytes, the peer's end or a break arrive while nobody reads: for connections that idle in a
  /// pool and for callers who hang up. The stream may be destroyed from inside. Null = nobody is told.
  void listen(channel::listener told, void* context) noexcept {
    if (channel_) channel_->listen(told, context);
  }

  [[nodiscard]] event_loop& loop() const noexcept { return channel_->loop(); }
  [[nodiscard]] int fd() const noexcept { return channel_ ? channel_->fd() : -1; }

 private:
  friend task<expected<stream, io_error>> connect(event_loop&, endpoint, instant);
  explicit stream(std::unique_ptr<channel> c) noexcept : channel_{std::move(c)} {}

  std::unique_ptr<channel> channel_;
};

/// Connects, or tells why not.
[[nodiscard]] task<expected<stream, io_error>> connect(event_loop& loop, endpoint to, instant deadline);

/// Ends a connection so that the peer can read what was sent last: sends the end, then reads and drops until
/// the peer has closed too, at most `bytes_max` and until `deadline`. (Closing with unread bytes would reset
/// it.)
[[nodiscard]] task<> linger(stream& s, std::size_t bytes_max, instant deadline);

/// Waits until `at`.
class [[nodiscard]] sleep_until : private timer {
 public:
  sleep_until(event_loop& loop, instant at) noexcept
      : timer{[](timer& self, instant) { static_cast<sleep_until&>(self).waiting_.resume(); }},
        loop_{loop},
        at_{at} {}

  [[nodiscard]] bool await_ready() const noexcept { return at_ <= loop_.now(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    loop_.timers().arm(*this, at_);
  }
  void await_resume() const noexcept {}

 private:
  event_loop& loop_;
  instant at_;
  std::coroutine_handle<> waiting_;
};

}  // namespace halfopen::net
