#include <cerrno>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <halfopen/gateway/exchange.hpp>
#include <halfopen/gateway/upstream_connection.hpp>
#include <halfopen/gateway/upstream_pool.hpp>

namespace halfopen::gateway {
namespace {

net::unique_fd new_socket(net::endpoint const& to) {
  net::unique_fd fd{::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  int const on = 1;
  if (fd) ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

bool out_of_descriptors(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS; }

}  // namespace

upstream_connection::upstream_connection(net::event_loop& loop) noexcept
    : event_socket{loop},
      timer{[](net::timer& self, instant) { static_cast<upstream_connection&>(self).dial_failed(); }} {}

void upstream_connection::dial(upstream_pool& pool, exchange& user, net::resolver& resolver,
                               std::string const& host, std::uint16_t port, instant deadline) {
  pool_ = &pool;
  user_ = &user;
  no_descriptors_ = false;
  addresses_.clear();
  loop().timers().arm(*this, deadline);
  user.dialling(*this);
  resolving_.emplace(resolver.resolve(loop(), host, port, deadline), resolved{this});
}

void upstream_connection::on_resolved(net::resolver::answer answer) {
  if (!answer) return dial_failed();
  addresses_ = *std::move(answer);
  next_address_ = 0;
  try_next();
}

void upstream_connection::try_next() {
  while (next_address_ < addresses_.size()) {
    auto const& to = addresses_[next_address_++];
    auto fd = new_socket(to);
    if (!fd) {
      no_descriptors_ = out_of_descriptors(errno);
      continue;
    }
    int const result = ::connect(fd.get(), to.data(), to.size());
    if (result != 0 && errno != EINPROGRESS) continue;
    if (open_connecting(std::move(fd))) return;
  }
  dial_failed();
}

void upstream_connection::on_connected(int error) {
  if (error != 0) {
    close();
    return try_next();
  }
  timer::cancel();
  user_->connected(*this, false);
}

void upstream_connection::dial_failed() {
  auto* const user = std::exchange(user_, nullptr);
  auto const why = no_descriptors_ ? reason::upstream_full : reason::unreachable;
  pool_->drop(*this);
  if (user != nullptr) user->not_connected(why);
}

void upstream_connection::stop() noexcept {
  timer::cancel();
  resolving_.reset();  // an answer that comes later must not find somebody else's connection
  close();
  user_ = nullptr;
}

bool upstream_connection::wants_bytes() const noexcept { return user_ != nullptr && user_->reads(); }

void upstream_connection::on_readable() {
  if (user_ != nullptr) return user_->on_readable();
  pool_->kept_one_died(
      *this);  // a kept connection has nothing to say: it has been closed, or talks out of turn
}

void upstream_connection::on_drained() {
  if (user_ != nullptr) user_->on_sent();
}

void upstream_connection::on_broken() {
  if (user_ != nullptr) return user_->on_broken();
  pool_->kept_one_died(*this);
}

}  // namespace halfopen::gateway
