#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include <halfopen/policy/checked_config.hpp>
#include <halfopen/policy/layer.hpp>
#include <halfopen/policy/retry_budget_machine.hpp>
#include <halfopen/policy/runtime.hpp>

namespace halfopen {

template <class Runtime>
class basic_retry_budget;

/// The right to one retry or hedge, held until it ends. Dropped, it is given back as never sent.
template <class Runtime>
class basic_retry_charge {
 public:
  basic_retry_charge() noexcept = default;
  basic_retry_charge(basic_retry_charge&& other) noexcept : budget_{std::exchange(other.budget_, nullptr)} {}
  basic_retry_charge& operator=(basic_retry_charge&& other) noexcept {
    if (this != &other) {
      give_back();
      budget_ = std::exchange(other.budget_, nullptr);
    }
    return *this;
  }
  ~basic_retry_charge() { give_back(); }

  [[nodiscard]] explicit operator bool() const noexcept { return budget_ != nullptr; }

  /// It was sent, and has ended, or nobody waits for it any more.
  void end() noexcept {
    if (auto* const b = std::exchange(budget_, nullptr)) b->end();
  }
  /// It was never sent.
  void give_back() noexcept {
    if (auto* const b = std::exchange(budget_, nullptr)) b->give_back();
  }

 private:
  friend basic_retry_budget<Runtime>;
  explicit basic_retry_charge(basic_retry_budget<Runtime>& b) noexcept : budget_{&b} {}

  basic_retry_budget<Runtime>* budget_ = nullptr;
};

struct retry_budget_snapshot {
  std::uint32_t saved_hundredths = 0;
  std::uint32_t out = 0;
  std::uint64_t charged = 0;  // since the start, what was given back included
  std::uint64_t refused = 0;  // retries and hedges that were not made for want of budget
};

/// Bounds retries and hedges to a share of the calls, over all pipelines that are given it.
///
/// Threads: any, all members; lock-free. Charges do not outlive it.
/// Cost:    a call, where as much is saved up as may be: one load; else one compare-and-swap. 64 bytes.
/// Source:  retry_budget_machine.hpp, which decides; here are only the words that threads share.
template <class Runtime>
class basic_retry_budget {
  template <class T>
  using atomic = typename Runtime::template atomic<T>;

 public:
  using charge_type = basic_retry_charge<Runtime>;

  /// Throws std::invalid_argument with every problem, a line each.
  explicit basic_retry_budget(retry_budget_config const& config = {}) : config_{packed(checked(config))} {}

  basic_retry_budget(basic_retry_budget const&) = delete;
  basic_retry_budget& operator=(basic_retry_budget const&) = delete;

  /// A call has begun: it adds its share.
  void on_call() noexcept {
    auto const c = config();
    (void)update([&c](retry_budget_state& s) {
      s.save(c);
      return true;
    });
  }

  /// The same where an attempt passes a layer: once for each call, however many of its layers share this
  /// budget.
  void on_call(attempt& a) noexcept {
    if (a.number != 1 || a.budget == this) return;
    a.budget = this;
    on_call();
  }

  /// Asks for one retry or hedge. An empty charge: there is no budget.
  [[nodiscard]] charge_type charge(instant now) noexcept {
    if (update(&retry_budget_state::charge) || charge_minimum(now)) {
      charged_.fetch_add(1, std::memory_order_relaxed);
      return charge_type{*this};
    }
    refused_.fetch_add(1, std::memory_order_relaxed);
    return {};
  }

  [[nodiscard]] retry_budget_config config() const noexcept {
    auto const w = config_.load(std::memory_order_relaxed);
    return {.ratio = percent{static_cast<std::uint8_t>(w & 0xFF)},
            .minimum_per_second = static_cast<std::uint32_t>(w >> 8 & 0xFF'FFFF),
            .burst = static_cast<std::uint32_t>(w >> 32)};
  }

  /// New settings; what is out stays out. Throws as the constructor does, and then changes nothing.
  void reconfigure(retry_budget_config const& c) {
    config_.store(packed(checked(c)), std::memory_order_relaxed);
  }

  [[nodiscard]] retry_budget_snapshot snapshot() const noexcept {
    auto const s = retry_budget_state::from(word_.load(std::memory_order_acquire));
    return {s.saved, s.out, charged_.load(std::memory_order_relaxed),
            refused_.load(std::memory_order_relaxed)};
  }

 private:
  friend charge_type;

  void end() noexcept {
    (void)update([](retry_budget_state& s) {
      s.end();
      return true;
    });
  }
  void give_back() noexcept {
    auto const c = config();
    (void)update([&c](retry_budget_state& s) {
      s.give_back(c);
      return true;
    });
  }

  // One step of the machine. What changes nothing writes nothing: threads with healthy calls share no write.
  template <class Step>
  bool update(Step one) noexcept {
    std::uint64_t before = word_.load(std::memory_order_relaxed);
    for (;;) {
      auto s = retry_budget_state::from(before);
      if (!std::invoke(one, s)) return false;
      if (s.word() == before) return true;
      if (word_.compare_exchange_weak(before, s.word(), std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
        Runtime::observe(before, s.word());
        return true;
      }
    }
  }

  // Who takes a place of the minimum adds a whole retry and charges one. Another may be quicker to charge it:
  // then that one has taken this place, and this one asks again.
  bool charge_minimum(instant now) noexcept {
    auto const c = config();
    while (retry_budget_state::from(word_.load(std::memory_order_relaxed)).has_place(c) &&
           take_place(c, now)) {
      (void)update([](retry_budget_state& s) {
        s.add_whole();
        return true;
      });
      if (update(&retry_budget_state::charge)) return true;
    }
    return false;
  }

  bool take_place(retry_budget_config const& c, instant now) noexcept {
    std::int64_t before = due_.load(std::memory_order_relaxed);
    for (;;) {
      retry_minimum_state m{instant{duration{before}}};
      if (!m.take(c, now)) return false;
      if (due_.compare_exchange_weak(before, m.due.since_start().count(), std::memory_order_relaxed,
                                     std::memory_order_relaxed))
        return true;
    }
  }

  static constexpr std::uint64_t packed(retry_budget_config const& c) noexcept {
    return std::uint64_t{c.burst} << 32 | std::uint64_t{c.minimum_per_second} << 8 | c.ratio.value;
  }

  atomic<std::uint64_t> word_{0};
  atomic<std::int64_t> due_{instant::min().since_start().count()};
  atomic<std::uint64_t> config_;
  atomic<std::uint64_t> charged_{0};
  atomic<std::uint64_t> refused_{0};
};

using retry_budget = basic_retry_budget<std_runtime>;
using retry_charge = basic_retry_charge<std_runtime>;

}  // namespace halfopen
