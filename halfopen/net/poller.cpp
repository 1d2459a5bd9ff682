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
  source.fd_ = fd;
  return {};
}

void poller::remove(int fd, io_source const& source) noexcept {
  epoll_event unused{};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, &unused);
  for (std::size_t i = next_; i < count_; ++i)
    if (events_[i].data.ptr == &source) events_[i].data.ptr = nullptr;
}

/// How far the events may be told before the next reads.
std::size_t poller::read_some(read_ahead& ahead) noexcept {
  ahead.clear();
  std::size_t i = next_;
  for (; i < count_ && !ahead.full(); ++i) {
    auto const* const source = static_cast<io_source const*>(events_[i].data.ptr);
    bool const reads = source != nullptr && translate(events_[i].events).readable && source->reads_ahead();
    read_as_[i] = reads ? static_cast<std::uint8_t>(ahead.add(source->fd_)) : not_read;
  }
  ahead.run();
  return i;
}

void poller::tell(read_ahead const& ahead) {
  epoll_event const event = events_[next_];
  auto const number = read_as_[next_++];
  if (event.data.ptr == nullptr) return;
  auto r = translate(event.events);
  auto const read = number == not_read ? std::optional<arrival>{} : ahead.of(number);
  if (number != not_read && !read) r.readable = false;
  r.read = read ? &*read : nullptr;
  static_cast<io_source*>(event.data.ptr)->on_ready(r);
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
