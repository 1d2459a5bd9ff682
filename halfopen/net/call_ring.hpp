#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <sys/socket.h>
#include <sys/uio.h>

#include <halfopen/net/unique_fd.hpp>

struct io_uring_sqe;
struct io_uring_cqe;

namespace halfopen::net {

/// Many system calls in one: io_uring, used without anything asynchronous. run() returns when all are done.
///
/// Many hosts and containers forbid it (make() says no); nothing may depend on it but speed.
/// Threads: the first one that calls run().
class call_ring {
 public:
  static constexpr std::size_t calls_max = 256;

  enum class kind : unsigned char { send, receive };

  /// A send of one or two pieces, or a receive into one. Never waits.
  struct call {
    int fd = -1;
    int result = 0;  // out: bytes sent or received, or minus errno
    kind what = kind::send;
    std::size_t count = 0;
    std::array<iovec, 2> pieces{};
    msghdr message{};  // used where there are two

    [[nodiscard]] std::size_t size() const noexcept { return pieces[0].iov_len + pieces[1].iov_len; }
  };

  [[nodiscard]] static std::optional<call_ring> make();
  call_ring(call_ring&& other) noexcept;
  call_ring& operator=(call_ring&&) = delete;
  ~call_ring();

  /// Does them all without waiting for room or bytes. False: the ring cannot be used (any more) and nothing
  /// was done.
  [[nodiscard]] bool run(std::span<call> calls) noexcept;

 private:
  struct mapping {
    void* at = nullptr;
    std::size_t size = 0;
  };
  explicit call_ring(unique_fd fd) noexcept : fd_{static_cast<unique_fd&&>(fd)} {}
  [[nodiscard]] bool map(struct io_uring_params const& p) noexcept;
  void prepare(call& c, std::uint64_t tag) noexcept;
  [[nodiscard]] std::size_t reap(std::span<call> calls) noexcept;

  unique_fd fd_;
  mapping rings_;
  mapping entries_;
  unsigned* submit_tail_ = nullptr;
  unsigned* submit_index_ = nullptr;
  unsigned submit_mask_ = 0;
  unsigned* done_head_ = nullptr;
  unsigned* done_tail_ = nullptr;
  unsigned done_mask_ = 0;
  io_uring_sqe* submit_ = nullptr;
  io_uring_cqe* done_ = nullptr;
};

}  // namespace halfopen::net
