#include <cerrno>
#include <utility>

#include <sys/socket.h>

#include <halfopen/net/call_batch.hpp>

namespace halfopen::net {
namespace {

ssize_t try_once(call_ring::call& c) noexcept {
  if (c.what == call_ring::kind::receive)
    return ::recv(c.fd, c.pieces[0].iov_base, c.pieces[0].iov_len, MSG_DONTWAIT);
  constexpr int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
  if (c.count == 1) return ::send(c.fd, c.pieces[0].iov_base, c.pieces[0].iov_len, flags);
  c.message.msg_iov = c.pieces.data();
  c.message.msg_iovlen = c.count;
  return ::sendmsg(c.fd, &c.message, flags);
}

int make_now(call_ring::call& c) noexcept {
  for (;;) {
    ssize_t const n = try_once(c);
    if (n >= 0) return static_cast<int>(n);
    if (errno != EINTR) return -errno;
  }
}

}  // namespace

void call_batch::run(std::span<call_ring::call> calls) noexcept {
  if (calls.size() >= worth_a_ring && wants_ring_) {
    if (!ring_)
      if (auto made = call_ring::make()) ring_.emplace(std::move(*made));
    if (ring_ && ring_->run(calls)) return;
    ring_.reset();
    wants_ring_ = false;  // it will not be allowed later either
  }
  for (auto& call : calls) call.result = make_now(call);
}

}  // namespace halfopen::net
