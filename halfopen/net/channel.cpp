#include <cerrno>

#include <sys/socket.h>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/channel.hpp>

namespace halfopen::net {

channel::transfer channel::read(std::span<char> into) noexcept {
  if (failed_) return {transfer::failed, 0, *failed_};
  for (;;) {
    ssize_t const n = ::recv(fd_.get(), into.data(), into.size(), 0);
    if (n >= 0) {
      auto const bytes = static_cast<std::size_t>(n);
      // A short read has emptied the socket: no second call to learn so. What comes later is a new edge; only
      // the peer's end may have been told already.
      if (bytes < into.size() && bytes != 0 && !peer_closed_) readable_ = false;
      return {transfer::done, bytes, {}};
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN) {
      readable_ = false;
      return {transfer::again, 0, {}};
    }
    failed_ = from_errno(errno);
    return {transfer::failed, 0, *failed_};
  }
}

channel::transfer channel::write(std::span<iovec>& pieces) noexcept {
  if (failed_) return {transfer::failed, 0, *failed_};
  std::size_t written = 0;
  while (!pieces.empty()) {
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    ssize_t const n = pieces.size() == 1
                          ? ::send(fd_.get(), pieces[0].iov_base, pieces[0].iov_len, MSG_NOSIGNAL)
                          : ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      writable_ = false;
      return {transfer::again, written, {}};
    }
    if (n < 0) {
      failed_ = from_errno(errno);
      return {transfer::failed, written, *failed_};
    }
    auto left = static_cast<std::size_t>(n);
    written += left;
    while (!pieces.empty() && left >= pieces[0].iov_len) {
      left -= pieces[0].iov_len;
      pieces = pieces.subspan(1);
    }
    if (left != 0) {
      pieces[0].iov_base = static_cast<char*>(pieces[0].iov_base) + left;
      pieces[0].iov_len -= left;
    }
  }
  return {transfer::done, written, {}};
}

void channel::shutdown_send() noexcept {
  if (fd_) ::shutdown(fd_.get(), SHUT_WR);
}

void channel::poke() noexcept {
  readable_ = true;
  if (reader_ != nullptr) loop_.run_next(*reader_);
}

void channel::close(io_errc why) noexcept {
  if (!failed_) failed_ = io_error{why, 0};
  if (reader_ != nullptr) reader_->end(why);
  if (writer_ != nullptr) writer_->end(why);
  if (!fd_) return;
  loop_.unwatch(fd_.get(), *this);
  fd_.reset();
}

void channel::on_ready(readiness r) {
  readable_ |= r.readable;
  writable_ |= r.writable;
  peer_closed_ |= r.peer_closed;
  broken_ |= r.broken;
  if (writer_ != nullptr && writable()) loop_.run_next(*writer_);
  if (reader_ != nullptr && readable()) {
    loop_.run_next(*reader_);
  } else if (told_ != nullptr && r.readable) {
    told_(context_, r);  // last: this channel may be gone now
  }
}

bool channel::operation::await_ready() {
  if (channel_ == nullptr) {
    failure_ = io_error{io_errc::closed, 0};
    return true;
  }
  loop_ = &channel_->loop_;
  return ready(*channel_) && loop_->may_go_on() && attempt(*channel_);
}

void channel::operation::await_suspend(std::coroutine_handle<> waiting) noexcept {
  invariant(place(*channel_) == nullptr, "one operation at a time reads, and one writes");
  waiting_ = waiting;
  parked_ = true;
  place(*channel_) = this;
  before_waiting();
  loop_->timers().arm(*this, deadline_);
  if (ready(*channel_)) loop_->run_later(*this);  // could go on, but the others have waited long enough
}

void channel::operation::resume() {
  if (parked_ && !attempt(*channel_)) return;
  leave();
  timer::cancel();
  waiting_.resume();
}

void channel::operation::end(io_errc why) noexcept {
  leave();
  timer::cancel();
  failure_ = io_error{why, 0};
  loop_->run_next(*this);
}

void channel::operation::leave() noexcept {
  if (!parked_) return;
  parked_ = false;
  place(*channel_) = nullptr;
}

}  // namespace halfopen::net
