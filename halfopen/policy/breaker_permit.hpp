#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <halfopen/base/error.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_totals.hpp>

namespace halfopen {

/// Why a call was not admitted, and when to come back.
struct rejection {
  errc why{};              // open, probe_in_flight, ramping, forced_open
  duration retry_after{};  // >= 0
  duration probe_age{};    // probe_in_flight: how long the oldest probe has been out
  std::string_view who{};  // the breaker's name

  operator error() const noexcept { return {why, who, retry_after, {}}; }
};

/// How a call came out, as far as a breaker cares.
enum class outcome : std::uint8_t {
  success,
  failure,
  ignored,    // the caller's own mistake: neutral
  abandoned,  // cancelled, or nobody said: neutral
};

template <class Runtime>
class breaker_core;

/// The right to make one call, to be settled once. Destroying it unsettled abandons the call.
///
/// Settle with the instant at which the call ended, or with how long it took, or with neither: then the
/// breaker's own clock is asked, where anything depends on it.
/// A second settlement does nothing and is counted (in debug builds it stops the process: S4).
template <class Runtime>
class [[nodiscard]] basic_permit {
 public:
  basic_permit(basic_permit&& other) noexcept;
  basic_permit& operator=(basic_permit&& other) noexcept;
  ~basic_permit() {
    if (slot_ != spent) [[unlikely]]
      settle_slowly(outcome::abandoned, unknown, unknown_length, duration{0});
  }

  void success() && noexcept;
  void success(instant now) && noexcept;
  void success(duration elapsed) && noexcept;

  /// retry_after: what the result asked for (a Retry-After header); heeded if it opens the breaker.
  void failure() && noexcept { settle_slowly(outcome::failure, unknown, unknown_length, duration{0}); }
  void failure(instant now, duration retry_after = duration{0}) && noexcept {
    settle_slowly(outcome::failure, now, unknown_length, retry_after);
  }
  void failure(duration elapsed, duration retry_after = duration{0}) && noexcept {
    settle_slowly(outcome::failure, unknown, elapsed, retry_after);
  }

  void ignored() && noexcept { settle_slowly(outcome::ignored, unknown, unknown_length, duration{0}); }
  void ignored(instant now) && noexcept { settle_slowly(outcome::ignored, now, unknown_length, duration{0}); }
  void abandon() && noexcept { settle_slowly(outcome::abandoned, unknown, unknown_length, duration{0}); }
  void abandon(instant now) && noexcept {
    settle_slowly(outcome::abandoned, now, unknown_length, duration{0});
  }

  /// Any of the four, for drivers that hold the outcome as a value.
  void settle(outcome how, instant now, duration retry_after = duration{0}) && noexcept;

  [[nodiscard]] bool is_spent() const noexcept { return slot_ == spent; }
  [[nodiscard]] bool is_probe() const noexcept { return slot_ < ordinary; }
  [[nodiscard]] std::uint32_t epoch() const noexcept { return epoch_; }

  /// When a probe's lease ends: its attempt must not take longer. instant::max() for every other call.
  [[nodiscard]] instant deadline() const noexcept { return deadline_; }

  /// When the call was admitted; instant::min() where nobody asked for the time.
  [[nodiscard]] instant granted() const noexcept { return granted_; }

  /// Counts the settlement in another cell: for a permit that changes its thread or loop.
  void count_in(totals_cell& cell) noexcept { cell_ = &cell; }

 private:
  friend class breaker_core<Runtime>;

  static constexpr std::uint8_t ordinary = 0xFE;  // not a probe; below are the lease slots
  static constexpr std::uint8_t spent = 0xFF;
  static constexpr instant unknown = instant::min();
  static constexpr duration unknown_length = duration::min();

  basic_permit(breaker_core<Runtime>& core, std::uint32_t epoch, std::uint8_t slot, instant granted,
               instant deadline, totals_cell* cell) noexcept
      : core_{&core}, cell_{cell}, granted_{granted}, deadline_{deadline}, epoch_{epoch}, slot_{slot} {}

  void settle_slowly(outcome how, instant now, duration elapsed, duration retry_after) noexcept;

  breaker_core<Runtime>* core_;
  totals_cell* cell_;
  instant granted_;
  instant deadline_;
  std::uint32_t epoch_;
  std::uint8_t slot_;
};

}  // namespace halfopen
