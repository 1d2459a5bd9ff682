#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <halfopen/policy/circuit_breaker.hpp>

namespace halfopen::gateway {

class guard;

/// Is told what a breaker of the gateway did. Any thread, one at a time for each breaker, outside every lock.
class transition_sink {
 public:
  virtual void on_transition(guard const& of, breaker_event const& e) = 0;

 protected:
  ~transition_sink() = default;
};

/// A breaker in the gateway: whose it is, its cells (one for each loop), and what it did so far.
///
/// Lives as long as its tool or host is configured, across reloads.
class guard final : private breaker_observer {
 public:
  /// `host` is empty for a tool's own breaker.
  /// Requires: a valid config.
  guard(std::string tool, std::string host, breaker_config config, std::size_t loops, transition_sink& sink);
  guard(guard const&) = delete;
  guard& operator=(guard const&) = delete;

  [[nodiscard]] std::string const& tool() const noexcept { return tool_; }
  [[nodiscard]] std::string const& host() const noexcept { return host_; }
  [[nodiscard]] circuit_breaker& breaker() const noexcept { return *breaker_; }
  [[nodiscard]] std::shared_ptr<circuit_breaker> const& shared() const noexcept { return breaker_; }
  [[nodiscard]] breaker_cells& cells() noexcept { return cells_; }
  [[nodiscard]] breaker_totals totals() const noexcept { return cells_.sum(); }

  /// Of the last transition that has been told: what tells a result of an older epoch from a current one.
  [[nodiscard]] std::uint32_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t entered(breaker_state s) const noexcept {
    return entered_[static_cast<std::size_t>(s)].load(std::memory_order_relaxed);
  }

  /// What is longer is slow, by the settings in force.
  [[nodiscard]] duration slow_after() const noexcept {
    return duration{slow_after_ns_.load(std::memory_order_relaxed)};
  }

  /// New settings; state, epoch and permits survive.
  void reconfigure(breaker_config config, instant now);

 private:
  void on_event(breaker_event const& e) override;
  [[nodiscard]] breaker_config seeded(breaker_config config) const noexcept;

  std::string tool_;
  std::string host_;
  transition_sink& sink_;
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::int64_t> slow_after_ns_;
  std::array<std::atomic<std::uint64_t>, 6> entered_{};
  breaker_cells cells_;
  std::shared_ptr<circuit_breaker> breaker_;
};

}  // namespace halfopen::gateway
