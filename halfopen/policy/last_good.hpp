#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include <halfopen/base/time.hpp>
#include <halfopen/policy/runtime.hpp>

namespace halfopen {

/// The latest live value of one thing, for as long as it is fresh enough: a rung of a fallback.
///
/// Written by live answers only, never by a rung: a degraded answer that is taken for live stays for ever.
/// One value: for answers that depend on a key keep one for each key, and make the pipeline where you call.
///
///   A writer takes a slot that nobody reads, writes it, makes it the current one, and lets go. A reader pins
///   the current slot and copies. Nobody waits for anybody, and no copy runs under a lock. Where more readers
///   are slow than there are slots, a value is not remembered: the one before it stays.
///
/// Threads: any. Cost: a copy of T to remember, one to recall. Memory: slots of T.
/// Source:  specs/degradation/Degradation.tla.
template <class T, class Runtime = std_runtime>
class last_good {
  template <class U>
  using atomic = typename Runtime::template atomic<U>;
  static constexpr std::uint32_t slots_max = 4;
  static constexpr std::uint32_t writing = 1U << 31;
  static constexpr int tries_max = 16;

 public:
  /// A value is given up to `age_max` after it was live.
  explicit last_good(duration age_max) noexcept : age_max_{age_max} {}

  /// Requires: this value is live. Whether it is kept; an older one than what is kept is not.
  bool remember(T const& value, instant now) {
    for (std::uint32_t i = 0; i < slots_max; ++i) {
      if (!claim(i)) continue;
      bool const newer = write(i, value, now);
      slots_[i].users.fetch_sub(writing, std::memory_order_release);
      return newer;
    }
    return false;
  }

  /// The latest value, if it is not older than age_max.
  [[nodiscard]] std::optional<T> recall(instant now) const {
    for (int left = tries_max; left > 0; --left) {
      std::uint32_t const at = current_.load(std::memory_order_acquire);
      if (at == 0) return std::nullopt;
      pin const held{slots_[at - 1]};
      if (held.is_whole()) return fresh(slots_[at - 1], now);
    }
    return std::nullopt;
  }

 private:
  struct slot {
    mutable atomic<std::uint32_t> users{0};  // readers, and `writing`
    atomic<std::int64_t> at{0};
    std::optional<T> value;
  };

  class pin {
   public:
    explicit pin(slot const& s) noexcept
        : slot_{s}, before_{s.users.fetch_add(1, std::memory_order_acquire)} {}
    ~pin() { slot_.users.fetch_sub(1, std::memory_order_release); }
    pin(pin const&) = delete;
    pin& operator=(pin const&) = delete;
    [[nodiscard]] bool is_whole() const noexcept { return (before_ & writing) == 0; }

   private:
    slot const& slot_;
    std::uint32_t before_;
  };

  // A slot that nobody reads and that is not the current one. Its last writer made it current, if at all,
  // before it let go: who claims it sees that.
  bool claim(std::uint32_t i) noexcept {
    std::uint32_t nobody = 0;
    auto& users = slots_[i].users;
    if (current_.load(std::memory_order_relaxed) == i + 1) return false;
    if (!users.compare_exchange_strong(nobody, writing, std::memory_order_acquire, std::memory_order_relaxed))
      return false;
    if (current_.load(std::memory_order_relaxed) != i + 1) return true;
    users.fetch_sub(writing, std::memory_order_release);
    return false;
  }

  bool write(std::uint32_t i, T const& value, instant now) {
    try {
      slots_[i].value = value;
    } catch (...) {
      slots_[i].value.reset();
      return false;
    }
    slots_[i].at.store(now.since_start().count(), std::memory_order_relaxed);
    std::uint32_t before = current_.load(std::memory_order_acquire);
    do {
      if (before != 0 && slots_[before - 1].at.load(std::memory_order_relaxed) > now.since_start().count())
        return false;
    } while (
        !current_.compare_exchange_weak(before, i + 1, std::memory_order_acq_rel, std::memory_order_acquire));
    return true;
  }

  std::optional<T> fresh(slot const& s, instant now) const {
    instant const at{duration{s.at.load(std::memory_order_relaxed)}};
    if (!s.value || now - at > age_max_) return std::nullopt;
    return s.value;
  }

  duration age_max_;
  std::array<slot, slots_max> slots_;
  atomic<std::uint32_t> current_{0};  // the slot of the latest value, from 1; 0 = none yet
};

}  // namespace halfopen
