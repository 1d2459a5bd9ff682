#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include <sys/socket.h>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/send_queue.hpp>

namespace halfopen::net {
namespace {

int send_now(call_ring::send const& s) noexcept {
  for (;;) {
    ssize_t const n = ::send(s.fd, s.bytes, s.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return static_cast<int>(n);
    if (errno != EINTR) return -errno;
  }
}

}  // namespace

send_queue::~send_queue() {
  while (!waiting_.alone()) waiting_.next->unlink();
}

bool send_queue::add(entry& e, int fd, std::string_view a, std::string_view b) noexcept {
  invariant(!e.waiting(), "one send of a socket waits at a time");
  std::size_t const size = a.size() + b.size();
  if (size > bytes_max || count_ == entries_max || used_ + size > storage_size) return false;
  if (storage_ == nullptr) storage_.reset(new char[storage_size]);
  char* const to = storage_.get() + used_;
  if (!a.empty()) std::memcpy(to, a.data(), a.size());
  if (!b.empty()) std::memcpy(to + a.size(), b.data(), b.size());
  e.fd_ = fd;
  e.at_ = static_cast<std::uint32_t>(used_);
  e.size_ = static_cast<std::uint32_t>(size);
  e.insert_before(waiting_);
  used_ += size;
  ++count_;
  return true;
}

std::string_view send_queue::withdraw(entry& e) noexcept {
  e.unlink();
  return {storage_.get() + e.at_, e.size_};
}

void send_queue::send_all(std::size_t count) noexcept {
  auto const calls = std::span{calls_}.first(count);
  if (count >= worth_a_ring && wants_ring_) {
    if (!ring_)
      if (auto made = call_ring::make()) ring_.emplace(std::move(*made));
    if (ring_ && ring_->run(calls)) return;
    ring_.reset();
    wants_ring_ = false;  // it will not be allowed later either
  }
  for (auto& call : calls) call.result = send_now(call);
}

void send_queue::flush() {
  std::size_t count = 0;
  list_link troubled;
  for (auto* link = waiting_.next; link != &waiting_; link = link->next) {
    auto& e = static_cast<entry&>(*link);
    owners_[count] = &e;
    calls_[count++] = {e.fd_, storage_.get() + e.at_, e.size_, 0};
  }
  send_all(count);
  for (std::size_t i = 0; i < count; ++i) {
    owners_[i]->unlink();
    owners_[i]->result_ = calls_[i].result;
    if (calls_[i].result != static_cast<int>(calls_[i].size)) owners_[i]->insert_before(troubled);
  }
  // From here on entries may be added, and come and go; the bytes of those in trouble stay where they are.
  count_ = 0;
  while (!troubled.alone()) {
    auto& e = static_cast<entry&>(*troubled.next);
    e.unlink();
    bool const refused = e.result_ < 0 && e.result_ != -EAGAIN && e.result_ != -EWOULDBLOCK;
    auto const sent = static_cast<std::size_t>(e.result_ > 0 ? e.result_ : 0);
    e.on_unsent({storage_.get() + e.at_ + sent, e.size_ - sent}, refused ? -e.result_ : 0);
  }
  if (count_ == 0) used_ = 0;
}

}  // namespace halfopen::net
