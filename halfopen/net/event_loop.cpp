#include <algorithm>
#include <cerrno>
#include <chrono>

#include <sys/eventfd.h>
#include <unistd.h>

#include <halfopen/net/event_loop.hpp>

namespace halfopen::net {

/// Lets another thread end the loop's wait.
class event_loop::waker final : public io_source {
 public:
  waker(event_loop& loop, unique_fd fd) noexcept : loop_{loop}, fd_{std::move(fd)} {}

  void wake() noexcept {
    std::uint64_t const one = 1;
    if (!pending_.exchange(true, std::memory_order_acq_rel))
      (void)!::write(fd_.get(), &one, sizeof one);  // cannot fail but for a full counter, which wakes as well
  }

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  void on_ready(readiness) override {
    std::uint64_t count = 0;
    (void)!::read(fd_.get(), &count, sizeof count);
    pending_.store(false,
                   std::memory_order_release);  // before the queue is looked at, so that nothing is missed
    loop_.run_posted();
  }

  event_loop& loop_;
  unique_fd fd_;
  std::atomic<bool> pending_{false};
};

instant steady_now() noexcept {
  return instant{std::chrono::duration_cast<duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

expected<std::unique_ptr<event_loop>, io_error> event_loop::make(loop_options options) {
  auto made = poller::make();
  if (!made) return unexpected{made.error()};
  unique_fd wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!wake) return unexpected{from_errno(errno)};
  std::unique_ptr<event_loop> loop{new event_loop{std::move(*made), std::move(wake), options}};
  if (auto watched = loop->watch(loop->waker_->fd(), *loop->waker_); !watched)
    return unexpected{watched.error()};
  return loop;
}

event_loop::event_loop(poller p, unique_fd wake, loop_options o)
    : options_{o},
      poller_{std::move(p)},
      now_{o.clock()},
      timers_{now_},
      scratch_{o.scratch_size},
      calls_{o.ring},
      sends_{scratch_, calls_},
      ahead_{scratch_, calls_},
      waker_{std::make_unique<waker>(*this, std::move(wake))} {}

event_loop::~event_loop() {
  while (!next_.alone()) next_.next->unlink();
  while (!later_.alone()) later_.next->unlink();
}

void event_loop::run() {
  constexpr duration longest = std::chrono::seconds{60};
  while (!stop_.load(std::memory_order_acquire)) run_once(longest);
  stop_.store(false, std::memory_order_release);
}

void event_loop::run_once(duration longest) {
  auto const woken = [this] { now_ = options_.clock(); };
  auto const before_reads = [this] {  // into memory from which the sends of the last ones leave
    if (!sends_.empty()) sends_.flush();
    run_ready();
  };
  auto const after_each = [this] {
    run_ready();
    if (sends_.is_full()) sends_.flush();
  };
  poller_.wait(wait_for(longest), ahead_, woken, before_reads, after_each);
  timers_.advance(now_);
  run_ready();
  run_later_steps();
  // A send that fails may lead to another (an answer that says so); the rest waits for the next turn.
  constexpr int rounds = 4;
  for (int i = 0; i < rounds && !sends_.empty(); ++i) {
    sends_.flush();
    run_ready();
  }
}

void event_loop::run_later_steps() {
  if (later_.alone()) return;
  next_.insert_before(later_);
  later_.unlink();
  run_ready();
}

duration event_loop::wait_for(duration longest) const noexcept {
  if (!next_.alone() || !later_.alone() || !sends_.empty()) return duration{0};
  instant const due = timers_.next_wake();
  if (due.is_never()) return longest;
  return std::min(longest, due - options_.clock());
}

void event_loop::stop() noexcept {
  stop_.store(true, std::memory_order_release);
  waker_->wake();
}

bool event_loop::post(std::function<void()> work) {
  {
    std::lock_guard const lock{posted_mutex_};
    if (posted_.size() >= options_.posted_max) return false;
    posted_.push_back(std::move(work));
  }
  waker_->wake();
  return true;
}

void event_loop::run_posted() {
  {
    std::lock_guard const lock{posted_mutex_};
    running_.swap(posted_);
  }
  for (auto& work : running_) {
    work();
    work = nullptr;
    run_ready();
  }
  running_.clear();
}

void event_loop::run_next(ready_step& step) noexcept {
  step.unlink();
  step.insert_before(next_);
}

void event_loop::run_later(ready_step& step) noexcept {
  step.unlink();
  step.insert_before(later_);
}

void event_loop::run_ready() {
  while (!next_.alone()) {
    auto& step = static_cast<ready_step&>(*next_.next);
    step.unlink();
    turn_left_ = turn;
    step.run_(step);
  }
}

}  // namespace halfopen::net
