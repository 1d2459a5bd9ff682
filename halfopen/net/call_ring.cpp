#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/call_ring.hpp>

// Not in every distribution's headers yet; the kernel's numbers are fixed.
#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif

namespace halfopen::net {
namespace {

int setup(unsigned entries, io_uring_params& p) noexcept {
  return static_cast<int>(::syscall(__NR_io_uring_setup, entries, &p));
}

int enter(int fd, unsigned submit, unsigned wait_for) noexcept {
  return static_cast<int>(
      ::syscall(__NR_io_uring_enter, fd, submit, wait_for, IORING_ENTER_GETEVENTS, nullptr, 0));
}

}  // namespace

std::optional<call_ring> call_ring::make() {
  for (unsigned flags : {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0U}) {
    io_uring_params p{};
    p.flags = flags;
    unique_fd fd{setup(calls_max, p)};
    if (!fd && errno == EINVAL) continue;  // an older kernel, which does not know the flags
    if (!fd) return std::nullopt;
    bool const fit = (p.features & IORING_FEAT_SINGLE_MMAP) != 0 && (p.features & IORING_FEAT_FAST_POLL) != 0;
    call_ring made{std::move(fd)};
    if (!fit || !made.map(p)) return std::nullopt;
    return made;
  }
  return std::nullopt;
}

bool call_ring::map(io_uring_params const& p) noexcept {
  auto const map_at = [&](std::size_t size, std::uint64_t offset) {
    void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_.get(),
                            static_cast<off_t>(offset));
    return at == MAP_FAILED ? mapping{} : mapping{at, size};
  };
  rings_ = map_at(std::max<std::size_t>(p.sq_off.array + p.sq_entries * sizeof(unsigned),
                                        p.cq_off.cqes + p.cq_entries * sizeof(io_uring_cqe)),
                  IORING_OFF_SQ_RING);
  entries_ = map_at(p.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES);
  if (rings_.at == nullptr || entries_.at == nullptr) return false;
  auto* const base = static_cast<char*>(rings_.at);
  auto const at = [&](std::uint32_t offset) { return reinterpret_cast<unsigned*>(base + offset); };
  submit_tail_ = at(p.sq_off.tail);
  submit_mask_ = *at(p.sq_off.ring_mask);
  submit_index_ = at(p.sq_off.array);
  done_head_ = at(p.cq_off.head);
  done_tail_ = at(p.cq_off.tail);
  done_mask_ = *at(p.cq_off.ring_mask);
  submit_ = static_cast<io_uring_sqe*>(entries_.at);
  done_ = reinterpret_cast<io_uring_cqe*>(base + p.cq_off.cqes);
  return true;
}

call_ring::call_ring(call_ring&& other) noexcept
    : fd_{std::move(other.fd_)},
      rings_{std::exchange(other.rings_, {})},
      entries_{std::exchange(other.entries_, {})},
      submit_tail_{other.submit_tail_},
      submit_index_{other.submit_index_},
      submit_mask_{other.submit_mask_},
      done_head_{other.done_head_},
      done_tail_{other.done_tail_},
      done_mask_{other.done_mask_},
      submit_{other.submit_},
      done_{other.done_} {}

call_ring::~call_ring() {
  if (rings_.at != nullptr) ::munmap(rings_.at, rings_.size);
  if (entries_.at != nullptr) ::munmap(entries_.at, entries_.size);
}

void call_ring::prepare(call& c, std::uint64_t tag) noexcept {
  unsigned const tail = *submit_tail_;
  unsigned const index = tail & submit_mask_;
  io_uring_sqe& entry = submit_[index];
  entry = {};
  entry.fd = c.fd;
  if (c.count == 1) {
    entry.opcode = c.what == kind::send ? IORING_OP_SEND : IORING_OP_RECV;
    entry.addr = reinterpret_cast<std::uint64_t>(c.pieces[0].iov_base);
    entry.len = static_cast<std::uint32_t>(c.pieces[0].iov_len);
  } else {
    c.message.msg_iov = c.pieces.data();
    c.message.msg_iovlen = c.count;
    entry.opcode = IORING_OP_SENDMSG;
    entry.addr = reinterpret_cast<std::uint64_t>(&c.message);
    entry.len = 1;
  }
  entry.msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL;  // so that each ends within the call
  entry.user_data = tag;
  submit_index_[index] = index;
  std::atomic_ref{*submit_tail_}.store(tail + 1, std::memory_order_release);
}

std::size_t call_ring::reap(std::span<call> calls) noexcept {
  unsigned head = *done_head_;
  unsigned const tail = std::atomic_ref{*done_tail_}.load(std::memory_order_acquire);
  std::size_t const found = tail - head;
  for (; head != tail; ++head) {
    io_uring_cqe const& done = done_[head & done_mask_];
    calls[done.user_data].result = done.res;
  }
  std::atomic_ref{*done_head_}.store(head, std::memory_order_release);
  return found;
}

bool call_ring::run(std::span<call> calls) noexcept {
  invariant(calls.size() <= calls_max, "a batch fits the ring");
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].result = -EIO;  // of one that never comes back
    prepare(calls[i], i);
  }
  auto submit = static_cast<unsigned>(calls.size());
  bool begun = false;
  for (std::size_t done = 0; done < calls.size();) {
    int const n = enter(fd_.get(), submit, static_cast<unsigned>(calls.size() - done));
    if (n < 0 && errno != EINTR && errno != EAGAIN && errno != EBUSY) return begun;
    if (n > 0) submit -= static_cast<unsigned>(n);
    begun = begun || n > 0;
    done += reap(calls);
  }
  return true;
}

}  // namespace halfopen::net
