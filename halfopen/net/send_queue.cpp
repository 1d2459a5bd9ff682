#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/send_queue.hpp>

namespace halfopen::net {
send_queue::~send_queue() {
  while (!waiting_.alone()) waiting_.next->unlink();
}

bool send_queue::add(entry& e, int fd, std::string_view a, std::string_view b) noexcept {
  invariant(!e.waiting(), "one send of a socket waits at a time");
  if (count_ == entries_max || a.size() + b.size() == 0) return false;
  std::size_t used = used_;
  if (!place(a, used) || !place(b, used)) return false;
  if (a.data() + a.size() == b.data() || b.empty()) {
    e.a_ = {a.data(), a.size() + b.size()};
    e.b_ = {};
  } else {
    e.a_ = a.empty() ? b : a;
    e.b_ = a.empty() ? std::string_view{} : b;
  }
  used_ = used;
  e.fd_ = fd;
  e.insert_before(waiting_);
  ++count_;
  return true;
}

/// Where the piece lies until it has left. What is kept of the scratch area for nothing is released with the
/// rest.
bool send_queue::place(std::string_view& piece, std::size_t& used) noexcept {
  if (piece.empty()) return true;
  if (scratch_.holds(piece.data()) && scratch_.keep(piece)) return true;
  if (piece.size() > copy_max || used + piece.size() > storage_size) return false;
  if (storage_ == nullptr) storage_.reset(new (std::nothrow) char[storage_size]);
  if (storage_ == nullptr) return false;
  char* const to = storage_.get() + used;
  std::memcpy(to, piece.data(), piece.size());
  piece = {to, piece.size()};
  used += piece.size();
  return true;
}

send_queue::bytes send_queue::withdraw(entry& e) noexcept {
  e.unlink();
  return {e.a_, e.b_};
}

void send_queue::call_for(entry& e, call_ring::call& call) noexcept {
  call.fd = e.fd_;
  call.count = e.b_.empty() ? 1 : 2;
  call.pieces[0] = {const_cast<char*>(e.a_.data()), e.a_.size()};
  call.pieces[1] = {const_cast<char*>(e.b_.data()), e.b_.size()};
}

void send_queue::flush() {
  std::size_t count = 0;
  list_link troubled;
  for (auto* link = waiting_.next; link != &waiting_; link = link->next) {
    owners_[count] = static_cast<entry*>(link);
    call_for(*owners_[count], calls_[count]);
    ++count;
  }
  together_.run(std::span{calls_}.first(count));
  for (std::size_t i = 0; i < count; ++i) {
    auto& e = *owners_[i];
    e.unlink();
    int const result = calls_[i].result;
    if (result == static_cast<int>(calls_[i].size())) continue;
    bool const refused = result < 0 && result != -EAGAIN;
    auto const sent = static_cast<std::size_t>(result > 0 ? result : 0);
    std::size_t const of_a = std::min(sent, e.a_.size());
    e.a_.remove_prefix(of_a);
    e.b_.remove_prefix(sent - of_a);
    e.error_ = refused ? -result : 0;
    e.insert_before(troubled);
  }
  // From here on entries may be added, and come and go; the bytes of those in trouble stay where they are.
  count_ = 0;
  while (!troubled.alone()) {
    auto& e = static_cast<entry&>(*troubled.next);
    e.unlink();
    e.on_unsent(e.a_, e.b_, e.error_);
  }
  if (count_ != 0) return;
  used_ = 0;
  scratch_.release();
}

}  // namespace halfopen::net
