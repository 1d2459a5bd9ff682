#include <cerrno>

#include <fcntl.h>
#include <sys/socket.h>

#include <halfopen/net/listener.hpp>

namespace halfopen::net {

class listener_state : private timer {
 public:
  listener_state(event_loop& loop, unique_fd fd, endpoint at) noexcept
      : timer{[](timer& self, instant) { static_cast<listener_state&>(self).watched.poke(); }},
        watched{loop, std::move(fd)},
        local{at} {
    keep_spare();
  }

  /// True with a connection; false when there is none, or none can be taken now.
  bool take(unique_fd& accepted) noexcept {
    for (int tries = 0; tries < tries_max; ++tries) {
      accepted.reset(::accept4(watched.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (accepted) return true;
      if (errno == EAGAIN) {
        watched.drained();
        return false;
      }
      if (errno == EMFILE || errno == ENFILE) shed_one();
    }
    // A shortage that shedding does not cure, or a row of connections that broke in the queue. No edge will
    // tell when it is over, so ask again.
    watched.drained();
    watched.loop().timers().arm(*this, watched.loop().now() + retry_after);
    return false;
  }

  channel watched;
  endpoint local;
  std::uint64_t shed = 0;

 private:
  static constexpr int tries_max = 16;
  static constexpr duration retry_after = std::chrono::milliseconds{50};

  void keep_spare() noexcept { spare_.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

  void shed_one() noexcept {
    spare_.reset();
    unique_fd unwanted{::accept4(watched.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (unwanted) ++shed;
    unwanted.reset();
    keep_spare();
  }

  unique_fd spare_;
};

accept_operation::accept_operation(listener_state& from) noexcept
    : operation{&from.watched, side::read, instant::max()}, from_{from} {}

bool accept_operation::attempt(channel& on) {
  if (auto const failed = on.failed()) {
    fail(*failed);
    return true;
  }
  return from_.take(accepted_);
}

expected<listener, io_error> listener::bind(event_loop& loop, endpoint at, listen_options options) {
  unique_fd fd{::socket(at.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!fd) return unexpected{from_errno(errno)};
  int const on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  auto const share = [&] {
    return !options.reuse_port || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0;
  };
  if (!options.first && !share()) return unexpected{from_errno(errno)};
  if (::bind(fd.get(), at.data(), at.size()) != 0) return unexpected{from_errno(errno)};
  if (options.first && !share()) return unexpected{from_errno(errno)};
  if (::listen(fd.get(), options.backlog) != 0) return unexpected{from_errno(errno)};
  auto const local = local_endpoint(fd.get());
  auto state = std::make_unique<listener_state>(loop, std::move(fd), local);
  if (auto watched = loop.watch(state->watched.fd(), state->watched); !watched)
    return unexpected{watched.error()};
  return listener{std::move(state)};
}

listener::listener(std::unique_ptr<listener_state> state) noexcept : state_{std::move(state)} {}
listener::listener(listener&&) noexcept = default;
listener& listener::operator=(listener&&) noexcept = default;
listener::~listener() = default;

void listener::close() noexcept { state_->watched.close(io_errc::cancelled); }
endpoint listener::local() const noexcept { return state_->local; }
std::uint64_t listener::shed() const noexcept { return state_->shed; }

}  // namespace halfopen::net
