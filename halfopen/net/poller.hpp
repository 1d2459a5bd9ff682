#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <sys/epoll.h>

#include <halfopen/base/expected.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/net/io_error.hpp>
#include <halfopen/net/unique_fd.hpp>

namespace halfopen::net {

/// What has become possible on a descriptor. Edges: each is told once.
struct readiness {
  bool readable = false;
  bool writable = false;
  bool peer_closed = false;  // the peer will send no more
  bool broken = false;       // reset, or both halves closed
};

/// Something whose descriptor is watched.
class io_source {
 public:
  io_source() noexcept = default;
  io_source(io_source const&) = delete;
  io_source& operator=(io_source const&) = delete;

 protected:
  ~io_source() = default;

 private:
  friend class poller;
  /// May destroy this source, and any other.
  virtual void on_ready(readiness) = 0;
};

/// Tells which descriptors have become ready: the part of the loop that knows the kernel.
///
/// One edge-triggered registration for each descriptor, none for each request. Today epoll; another backend
/// (io_uring) needs these four members and nothing from its users.
class poller {
 public:
  [[nodiscard]] static expected<poller, io_error> make();

  [[nodiscard]] expected<void, io_error> add(int fd, io_source& source);

  /// Nothing is told to the source any more, not even what the current wait has already found.
  void remove(int fd, io_source const& source) noexcept;

  /// Waits for at most `longest` (rounded up to 1 ms) and tells each ready source; calls `between` after
  /// each.
  template <class Woken, class Between>
  void wait(duration longest, Woken&& woken, Between&& between) {
    count_ = collect(longest);
    woken();
    for (next_ = 0; next_ < count_;) {
      epoll_event const event = events_[next_++];
      if (event.data.ptr == nullptr) continue;
      static_cast<io_source*>(event.data.ptr)->on_ready(translate(event.events));
      between();
    }
    next_ = count_ = 0;
  }

 private:
  static constexpr int events_max = 256;

  explicit poller(unique_fd epoll) noexcept : epoll_{std::move(epoll)} {}
  [[nodiscard]] std::size_t collect(duration longest) noexcept;
  [[nodiscard]] static readiness translate(std::uint32_t events) noexcept {
    return {.readable = (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0,
            .writable = (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0,
            .peer_closed = (events & (EPOLLRDHUP | EPOLLHUP)) != 0,
            .broken = (events & (EPOLLHUP | EPOLLERR)) != 0};
  }

  unique_fd epoll_;
  std::size_t count_ = 0;  // of events_, what this wait has found
  std::size_t next_ = 0;   // and what of it is still to be told
  std::array<epoll_event, events_max> events_{};
};

}  // namespace halfopen::net
