#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sys/socket.h>
#include <sys/uio.h>

#include <halfopen/gateway/event_socket.hpp>

namespace halfopen::gateway {

bool event_socket::open(net::unique_fd fd) {
  readable_ = false;
  writable_ = true;
  peer_closed_ = false;
  connecting_ = false;
  fd_ = std::move(fd);
  if (loop_.watch(fd_.get(), *this)) return true;
  fd_.reset();
  return false;
}

bool event_socket::open_connecting(net::unique_fd fd) {
  if (!open(std::move(fd))) return false;
  writable_ = false;
  connecting_ = true;
  return true;
}

void event_socket::close() noexcept {
  if (!fd_) return;
  send_what_waits();
  loop_.unwatch(fd_.get(), *this);
  fd_.reset();
  out_.clear();
  sent_ = 0;
  arrived_ = nullptr;
  early_.clear();
}

void event_socket::reset() noexcept {
  send_what_waits();  // who sees where a reply broke off knows more than who sees none of it
  linger const at_once{.l_onoff = 1, .l_linger = 0};
  if (fd_) ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void event_socket::finish_sending() noexcept {
  send_what_waits();
  ::shutdown(fd_.get(), SHUT_WR);
}

event_socket::read_result event_socket::read() noexcept {
  if (arrived_ != nullptr) return take(*std::exchange(arrived_, nullptr));
  auto const into = loop_.scratch();
  if (!early_.empty()) {
    auto const n = early_.copy(into.data(), into.size());
    early_.erase(0, n);
    if (early_.empty()) std::string{}.swap(early_);
    return {{into.data(), n}, read_end::data};
  }
  for (;;) {
    auto const n = ::recv(fd_.get(), into.data(), into.size(), 0);
    if (n > 0) {
      // A short read has emptied the socket: the next bytes raise a new edge. The end of the stream does not
      // when it has been told already.
      auto const bytes = static_cast<std::size_t>(n);
      if (bytes < into.size() && !peer_closed_) readable_ = false;
      return {{into.data(), bytes}, read_end::data};
    }
    if (n == 0) return {{}, read_end::closed};
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return {{}, read_end::broken};
    readable_ = false;
    return {{}, read_end::drained};
  }
}

event_socket::read_result event_socket::take(net::arrival const& a) noexcept {
  if (a.error != 0) return {{}, read_end::broken};
  if (a.bytes.empty()) return {{}, read_end::closed};
  if (a.drained && !peer_closed_) readable_ = false;
  return {{a.bytes.data(), a.bytes.size()}, read_end::data};
}

bool event_socket::write(std::string_view a, std::string_view b) {
  auto& together = loop_.sends();
  bool const free = writable_ && out_.empty();
  if (free && !waiting() && together.add(*this, fd_.get(), a, b)) return true;
  auto const before = waiting() ? together.withdraw(*this) : net::send_queue::bytes{};
  parts const bytes{before.a, before.b, a, b};
  bool broken = false;
  std::size_t taken = free ? send_now(bytes, broken) : 0;
  if (broken) return false;
  for (auto part : bytes) {
    std::size_t const gone = std::min(taken, part.size());
    out_ += part.substr(gone);
    taken -= gone;
  }
  return true;
}

bool event_socket::take_back(std::size_t size) {
  if (!waiting()) {
    if (unsent() < size) return false;
    out_.resize(out_.size() - size);
    return true;
  }
  auto held = loop_.sends().withdraw(*this);
  bool const all = held.a.size() + held.b.size() >= size;
  if (all) {
    std::size_t const of_b = std::min(size, held.b.size());
    held.b.remove_suffix(of_b);
    held.a.remove_suffix(size - of_b);
  }
  if (!held.a.empty()) (void)write(held.a, held.b);  // what came before; if that fails, on_broken will tell
  return all;
}

std::size_t event_socket::send_now(parts const& bytes, bool& broken) noexcept {
  std::array<iovec, 4> pieces;
  std::size_t count = 0;
  std::size_t size = 0;
  for (auto part : bytes) {
    if (part.empty()) continue;
    pieces[count++] = {const_cast<char*>(part.data()), part.size()};
    size += part.size();
  }
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = count;
  for (;;) {
    auto const n = count == 1 ? ::send(fd_.get(), pieces[0].iov_base, size, MSG_NOSIGNAL)
                              : ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL);
    if (n >= 0) {
      if (static_cast<std::size_t>(n) < size) writable_ = false;
      return static_cast<std::size_t>(n);
    }
    if (errno == EINTR) continue;
    broken = errno != EAGAIN && errno != EWOULDBLOCK;
    writable_ = false;
    return 0;
  }
}

// Told by the loop for what was to leave with the others.
void event_socket::on_unsent(std::string_view a, std::string_view b, int error) {
  if (error != 0) return on_broken();
  writable_ = false;
  (out_ += a) += b;
}

// Before the connection ends from this side.
void event_socket::send_what_waits() noexcept {
  if (!waiting()) return;
  bool broken = false;
  auto const bytes = loop_.sends().withdraw(*this);
  (void)send_now({bytes.a, bytes.b}, broken);
}

bool event_socket::flush() {
  bool broken = false;
  while (unsent() > 0 && writable_ && !broken)
    sent_ += send_now({std::string_view{out_}.substr(sent_)}, broken);
  if (unsent() == 0) {
    out_.clear();
    sent_ = 0;
  }
  return !broken;
}

void event_socket::connected() {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  connecting_ = false;
  writable_ = error == 0;
  on_connected(error);
}

void event_socket::on_ready(net::readiness r) {
  arrived_ = r.read;
  tell(r);
  if (arrived_ != nullptr) early_.assign(arrived_->bytes.data(), arrived_->bytes.size());  // nobody took it
  arrived_ = nullptr;
}

// Each of the calls below may close this event_socket.
void event_socket::tell(net::readiness const& r) {
  if (connecting_) {
    if (!r.writable && !r.broken) return;
    connected();
    if (!is_open()) return;
  }
  bool const newly_closed = r.peer_closed && !peer_closed_;
  if (r.peer_closed) peer_closed_ = true;
  if (r.readable) readable_ = true;
  if (r.writable) writable_ = true;
  if (r.writable && unsent() > 0) {
    if (!flush()) return on_broken();
    if (unsent() == 0) on_drained();
  }
  if (is_open() && r.readable) on_readable();
  if (is_open() && newly_closed) on_peer_closed();
}

}  // namespace halfopen::gateway
