#include <cerrno>
#include <cstring>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/stream.hpp>

namespace halfopen::net {
namespace {

/// Waits until a connect has ended. The kernel says so by making the socket writable.
class [[nodiscard]] connect_operation final : public channel::operation {
 public:
  connect_operation(channel* on, instant deadline) noexcept : operation{on, side::write, deadline} {}

  expected<void, io_error> await_resume() noexcept {
    if (failure()) return unexpected{*failure()};
    return {};
  }

 private:
  bool attempt(channel& on) override {
    if (auto const failed = on.failed()) {
      fail(*failed);
      return true;
    }
    int code = 0;
    socklen_t length = sizeof code;
    if (::getsockopt(on.fd(), SOL_SOCKET, SO_ERROR, &code, &length) != 0) code = errno;
    if (code != 0) fail(from_errno(code));
    return true;
  }
};

}  // namespace

bool receive_operation::attempt(channel& on) {
  auto const t = on.read(into_);
  if (t.how == t.again) return false;
  if (t.how == t.failed) fail(t.error);
  into_ = into_.first(t.bytes);
  return true;
}

send_operation::send_operation(channel* on, std::span<iovec const> pieces, instant deadline) noexcept
    : operation{on, side::write, deadline} {
  invariant(pieces.size() <= pieces_max, "a send has at most pieces_max pieces");
  std::size_t count = 0;
  for (iovec const& piece : pieces)
    if (piece.iov_len != 0) pieces_[count++] = piece;
  left_ = {pieces_.data(), count};
}

send_operation::~send_operation() = default;

bool send_operation::attempt(channel& on) {
  auto const t = on.write(left_);
  if (t.how == t.again) return false;
  if (t.how == t.failed) fail(t.error);
  return true;
}

void send_operation::before_waiting() {
  auto const& scratch = loop().scratch_memory();
  std::size_t size = 0;
  for (iovec const& piece : left_)
    if (scratch.holds(piece.iov_base)) size += piece.iov_len;
  if (size == 0) return;
  kept_.reset(new char[size]);
  char* to = kept_.get();
  for (iovec& piece : left_) {
    if (!scratch.holds(piece.iov_base)) continue;
    std::memcpy(to, piece.iov_base, piece.iov_len);
    piece.iov_base = to;
    to += piece.iov_len;
  }
}

expected<stream, io_error> stream::adopt(event_loop& loop, unique_fd fd) {
  int const on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on,
               sizeof on);  // fails for Unix sockets, which need none
  auto c = std::make_unique<channel>(loop, std::move(fd));
  if (auto watched = loop.watch(c->fd(), *c); !watched) return unexpected{watched.error()};
  return stream{std::move(c)};
}

task<expected<stream, io_error>> connect(event_loop& loop, endpoint to, instant deadline) {
  unique_fd fd{::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!fd) co_return unexpected{from_errno(errno)};
  int const number = fd.get();
  int const answer = ::connect(number, to.data(), to.size());
  if (answer != 0 && errno != EINPROGRESS && errno != EINTR) co_return unexpected{from_errno(errno)};
  auto made = stream::adopt(loop, std::move(fd));
  if (!made) co_return unexpected{made.error()};
  if (answer != 0) {
    auto const ended = co_await connect_operation{made->channel_.get(), deadline};
    if (!ended) co_return unexpected{ended.error()};
  }
  co_return std::move(*made);
}

task<> linger(stream& s, std::size_t bytes_max, instant deadline) {
  s.shutdown_send();
  for (std::size_t read = 0; read < bytes_max;) {
    auto const bytes = co_await s.receive(deadline);
    if (!bytes || bytes->empty()) co_return;
    read += bytes->size();
  }
}

}  // namespace halfopen::net
