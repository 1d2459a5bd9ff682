#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <halfopen/policy/breaker_event.hpp>

namespace halfopen {

/// A bounded queue of events to one observer.
///
/// Threads: push() only under the breaker's lock, in the step that makes the transition: so the queue is in
/// epoch order. tell() outside of it, from any thread: one at a time drains, the others leave their events to
/// it.
class breaker_events {
 public:
  breaker_events(breaker_observer& observer, std::uint32_t capacity)
      : observer_{observer}, capacity_{capacity}, ring_{new breaker_event[capacity]} {}

  void push(breaker_event const& e) noexcept;

  /// Returns at once if another thread, or an observer further up this stack, is telling already.
  void tell() noexcept;

  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t threw() const noexcept { return threw_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] bool is_empty() const noexcept;
  void tell_all() noexcept;

  breaker_observer& observer_;
  std::uint32_t const capacity_;
  std::unique_ptr<breaker_event[]> ring_;
  std::atomic<std::uint64_t> pushed_{0};  // written under the breaker's lock
  std::atomic<std::uint64_t> told_{0};    // written by whoever tells
  std::atomic<bool> telling_{false};
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> threw_{0};
};

}  // namespace halfopen
