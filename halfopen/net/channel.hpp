#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>
#include <span>

#include <sys/uio.h>

#include <halfopen/base/time.hpp>
#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/io_error.hpp>
#include <halfopen/net/unique_fd.hpp>

namespace halfopen::net {

/// What a stream shares with the operations that wait on it: the descriptor and what is known about it.
///
/// Not for users; see stream.hpp. Its address is what the poller knows, so it never moves.
class channel final : public io_source {
 public:
  class operation;

  channel(event_loop& loop, unique_fd fd) noexcept : loop_{loop}, fd_{std::move(fd)} {}
  ~channel() { close(io_errc::cancelled); }

  [[nodiscard]] event_loop& loop() const noexcept { return loop_; }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] bool readable() const noexcept { return readable_ || failed_.has_value(); }
  [[nodiscard]] bool writable() const noexcept { return writable_ || failed_.has_value(); }
  [[nodiscard]] bool peer_closed() const noexcept { return peer_closed_; }
  [[nodiscard]] bool broken() const noexcept { return broken_ || failed_.has_value(); }
  [[nodiscard]] std::optional<io_error> failed() const noexcept { return failed_; }

  struct transfer {
    enum { done, again, failed } how;
    std::size_t bytes = 0;
    io_error error{};
  };

  /// Reads what is there. `done` with 0 bytes: the peer has closed its half.
  [[nodiscard]] transfer read(std::span<char> into) noexcept;

  /// Writes what fits; moves the pieces forward past what was written.
  [[nodiscard]] transfer write(std::span<iovec>& pieces) noexcept;

  void shutdown_send() noexcept;

  void drained() noexcept { readable_ = false; }  // nothing is there until the next edge
  void poke() noexcept;                           // as if an edge had come: to try again

  /// Ends what waits here with `why`, and what comes later too; closes the descriptor.
  void close(io_errc why) noexcept;

  /// Told when something arrives, or the connection breaks, while nobody reads. May destroy the channel.
  using listener = void (*)(void* context, readiness);
  void listen(listener told, void* context) noexcept {
    told_ = told;
    context_ = context;
  }

 private:
  void on_ready(readiness) override;

  event_loop& loop_;
  unique_fd fd_;
  bool readable_ = false;  // no edge is lost: the poller tells what is ready when it is added
  bool writable_ = false;
  bool peer_closed_ = false;
  bool broken_ = false;
  std::optional<io_error> failed_;
  operation* reader_ = nullptr;
  operation* writer_ = nullptr;
  listener told_ = nullptr;
  void* context_ = nullptr;
};

/// One operation of one coroutine, in that coroutine's frame. It tries at once, and waits only if it must.
///
/// A derived class gives `bool attempt()`: true = ended, the answer is stored. Destroying it calls it off.
class channel::operation : private ready_step, private timer {
 public:
  operation(operation const&) = delete;
  operation& operator=(operation const&) = delete;

  [[nodiscard]] bool await_ready();
  void await_suspend(std::coroutine_handle<> waiting) noexcept;

 protected:
  enum class side : bool { read, write };

  operation(channel* on, side s, instant deadline) noexcept
      : ready_step{[](ready_step& self) { static_cast<operation&>(self).resume(); }},
        timer{[](timer& self, instant) { static_cast<operation&>(self).end(io_errc::timed_out); }},
        channel_{on},
        side_{s},
        deadline_{deadline} {}
  ~operation() { leave(); }

  virtual bool attempt(channel& on) = 0;
  virtual void before_waiting() {}

  [[nodiscard]] std::optional<io_error> const& failure() const noexcept { return failure_; }
  void fail(io_error why) noexcept { failure_ = why; }
  [[nodiscard]] event_loop& loop() const noexcept { return *loop_; }

 private:
  friend class channel;
  void end(io_errc why) noexcept;
  void resume();
  void leave() noexcept;
  [[nodiscard]] bool ready(channel const& c) const noexcept {
    return side_ == side::read ? c.readable() : c.writable();
  }
  [[nodiscard]] operation*& place(channel& c) const noexcept {
    return side_ == side::read ? c.reader_ : c.writer_;
  }

  channel* channel_;
  event_loop* loop_ = nullptr;
  side side_;
  bool parked_ = false;
  instant deadline_;
  std::optional<io_error> failure_;
  std::coroutine_handle<> waiting_;
};

}  // namespace halfopen::net
