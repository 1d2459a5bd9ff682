#include <algorithm>
#include <cerrno>
#include <chrono>

#include <halfopen/net/poller.hpp>

namespace halfopen::net {

expected<poller, io_error> poller::make() {
  unique_fd epoll{::epoll_create1(EPOLL_CLOEXEC)};
  if (!epoll) return unexpected{from_errno(errno)};
  return poller{std::move(epoll)};
}

expected<void, io_error> poller::add(int fd, io_source& source) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &source;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return unexpected{from_errno(errno)};
  return {};
}

void poller::remove(int fd, io_source const& source) noexcept {
  epoll_event unused{};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, &unused);
  for (std::size_t i = next_; i < count_; ++i)
    if (events_[i].data.ptr == &source) events_[i].data.ptr = nullptr;
}

std::size_t poller::collect(duration longest) noexcept {
  using std::chrono::milliseconds;
  auto const ms =
      std::chrono::ceil<milliseconds>(std::clamp<duration>(longest, duration{0}, std::chrono::hours{1}));
  int const n = ::epoll_wait(epoll_.get(), events_.data(), events_max, static_cast<int>(ms.count()));
  return static_cast<std::size_t>(
      std::max(n, 0));  // EINTR is an early wake; nothing else can happen to a valid descriptor
}

}  // namespace halfopen::net
