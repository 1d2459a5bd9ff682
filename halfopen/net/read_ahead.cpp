#include <cerrno>

#include <halfopen/net/read_ahead.hpp>

namespace halfopen::net {

std::size_t read_ahead::add(int fd) noexcept {
  auto const slot = scratch_.slot(count_);
  auto& call = reads_[count_];
  call.fd = fd;
  call.what = call_ring::kind::receive;
  call.count = 1;
  call.pieces[0] = {slot.data(), slot.size()};
  return count_++;
}

std::optional<arrival> read_ahead::of(std::size_t number) const noexcept {
  int const result = reads_[number].result;
  if (result == -EAGAIN || result == -EINTR) return {};
  if (result < 0) return arrival{.bytes = {}, .error = -result};
  auto const slot = scratch_.slot(number);
  auto const size = static_cast<std::size_t>(result);
  return arrival{.bytes = slot.first(size), .drained = size < slot.size()};
}

}  // namespace halfopen::net
