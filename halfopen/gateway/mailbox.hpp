#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include <halfopen/net/event_loop.hpp>

namespace halfopen::gateway {

/// A loop's address for threads that may live longer than the loop: what comes too late is dropped.
///
/// Threads: any. Held by shared_ptr.
class mailbox {
 public:
  explicit mailbox(net::event_loop& loop) noexcept : loop_{&loop} {}

  bool post(std::function<void()> work) {
    std::lock_guard const lock{mutex_};
    return loop_ != nullptr && loop_->post(std::move(work));
  }

  /// The loop is about to go.
  void close() noexcept {
    std::lock_guard const lock{mutex_};
    loop_ = nullptr;
  }

 private:
  std::mutex mutex_;
  net::event_loop* loop_;
};

}  // namespace halfopen::gateway
