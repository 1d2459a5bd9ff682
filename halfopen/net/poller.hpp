#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <sys/epoll.h>

#include <halfopen/base/expected.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/net/io_error.hpp>
#include <halfopen/net/read_ahead.hpp>
#include <halfopen/net/unique_fd.hpp>

namespace halfopen::net {

/// What has become possible on a descriptor. Edges: each is told once.
struct readiness {
  bool readable = false;
  bool writable = false;
  bool peer_closed = false;  // the peer will send no more
  bool broken = false;       // reset, or both halves closed
  arrival const* read =
      nullptr;  // what has been read already, where the source wanted that; dies with the call
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

  /// Whether the poller may read before it tells. Only one who would read first thing, and until then from
  /// nowhere else: what is read ahead is told at the source's turn, and lost if the source is removed before.
  [[nodiscard]] virtual bool reads_ahead() const noexcept { return false; }

  int fd_ = -1;
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

  /// Waits for at most `longest` (rounded up to 1 ms) and tells each ready source; calls `before` before it
  /// reads ahead, and `between` after each source.
  template <class Woken, class Before, class Between>
  void wait(duration longest, read_ahead& ahead, Woken&& woken, Before&& before, Between&& between) {
    count_ = collect(longest);
    woken();
    for (next_ = 0; next_ < count_;) {
      before();
      for (std::size_t const end = read_some(ahead); next_ < end;) {
        tell(ahead);
        between();
      }
    }
    next_ = count_ = 0;
  }

 private:
  static constexpr int events_max = 256;

  explicit poller(unique_fd epoll) noexcept : epoll_{std::move(epoll)} {}
  [[nodiscard]] std::size_t collect(duration longest) noexcept;
  [[nodiscard]] std::size_t read_some(read_ahead& ahead) noexcept;
  void tell(read_ahead const& ahead);
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
  static constexpr std::uint8_t not_read = 0xFF;
  std::array<std::uint8_t, events_max> read_as_{};  // its number in the read_ahead
};

}  // namespace halfopen::net
