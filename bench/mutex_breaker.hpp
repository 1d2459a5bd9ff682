#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace halfopen::bench {

/// A breaker as it is often written: one mutex around a ring of the last hundred results. The yardstick for
/// what sharing costs; it has no half-open state worth the name.
class mutex_breaker {
 public:
  bool allow() {
    std::lock_guard const lock{mutex_};
    return !open_;
  }

  void report(bool success) {
    std::lock_guard const lock{mutex_};
    failures_ += (success ? 0U : 1U);
    failures_ -= ring_[next_];
    ring_[next_] = success ? 0 : 1;
    next_ = (next_ + 1) % ring_.size();
    if (calls_ < ring_.size()) ++calls_;
    open_ = calls_ >= 20 && failures_ * 100 >= std::uint32_t{50} * calls_;
  }

 private:
  std::mutex mutex_;
  std::array<std::uint8_t, 100> ring_{};
  std::size_t next_ = 0;
  std::uint32_t calls_ = 0;
  std::uint32_t failures_ = 0;
  bool open_ = false;
};

}  // namespace halfopen::bench
