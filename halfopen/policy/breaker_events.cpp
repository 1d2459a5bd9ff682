#include <halfopen/policy/breaker_events.hpp>

namespace halfopen {

void breaker_events::push(breaker_event const& e) noexcept {
  std::uint64_t const at = pushed_.load(std::memory_order_relaxed);
  if (at - told_.load(std::memory_order_acquire) == capacity_) {
    lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  ring_[at % capacity_] = e;
  pushed_.store(at + 1, std::memory_order_release);
}

void breaker_events::tell() noexcept {
  while (!is_empty()) {
    if (telling_.exchange(true, std::memory_order_acq_rel)) return;
    tell_all();
    // An exchange, not a store: whoever found us telling, and left, wrote before it; so the look at the queue
    // that follows sees the event that it left to us.
    telling_.exchange(false, std::memory_order_acq_rel);
  }
}

bool breaker_events::is_empty() const noexcept {
  return told_.load(std::memory_order_relaxed) == pushed_.load(std::memory_order_acquire);
}

void breaker_events::tell_all() noexcept {
  while (!is_empty()) {
    std::uint64_t const at = told_.load(std::memory_order_relaxed);
    breaker_event const e = ring_[at % capacity_];
    told_.store(at + 1, std::memory_order_release);
    try {
      observer_.on_event(e);
    } catch (...) {
      threw_.store(threw_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  }
}

}  // namespace halfopen
