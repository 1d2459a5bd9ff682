#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <halfopen/base/error.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_answer.hpp>
#include <halfopen/policy/breaker_ticket.hpp>
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

template <class Runtime>
class breaker_core;

/// The right to make one call, to be settled once. Destroying it unsettled abandons the call.
///
/// Settle with the instant at which the call ended, or with how long it took, or with neither: then the
/// breaker's own clock is asked, where anything depends on it.
/// A second settlement does nothing and is counted (in debug builds it stops the process: S4).
template <class Runtime>
class [[nodiscard]] basic_permit {
  struct key {
    explicit key() = default;
  };

 public:
  /// Only a breaker has the key: a permit in hand means that the call was admitted.
  basic_permit(key /*only a breaker's*/, breaker_core<Runtime>& core, breaker_answer const& a,
               totals_cell* cell) noexcept
      : core_{&core},
        cell_{cell},
        deadline_{a.deadline},
        granted_{a.grant.granted},
        ticket_{a.grant.epoch, a.grant.slot} {}
  basic_permit(key /*only a breaker's*/, breaker_core<Runtime>& core, breaker_word word, instant granted,
               totals_cell* cell) noexcept
      : core_{&core}, cell_{cell}, deadline_{instant::max()}, granted_{granted}, ticket_{word} {}
  basic_permit(basic_permit&& other) noexcept
      : core_{other.core_},
        cell_{other.cell_},
        deadline_{other.deadline_},
        granted_{other.granted_},
        ticket_{other.ticket_} {
    other.ticket_.spend();
  }
  basic_permit& operator=(basic_permit&& other) noexcept {
    if (this == &other) return *this;
    if (!is_spent()) std::move(*this).abandon();
    core_ = other.core_;
    cell_ = other.cell_;
    deadline_ = other.deadline_;
    granted_ = other.granted_;
    ticket_ = other.ticket_;
    other.ticket_.spend();
    return *this;
  }
  ~basic_permit() {
    if (!is_spent()) [[unlikely]]
      hand_in({.how = outcome::abandoned}, unknown);
  }

  [[gnu::always_inline]] void success() && noexcept { succeed({.how = outcome::success}, unknown); }
  [[gnu::always_inline]] void success(instant now) && noexcept { succeed({.how = outcome::success}, now); }
  [[gnu::always_inline]] void success(duration elapsed) && noexcept {
    succeed({.how = outcome::success, .elapsed = elapsed}, unknown);
  }

  /// retry_after: what the result asked for (a Retry-After header); heeded if it opens the breaker.
  void failure() && noexcept { hand_in({.how = outcome::failure}, unknown); }
  void failure(instant now, duration retry_after = duration{0}) && noexcept {
    hand_in({.how = outcome::failure, .retry_after = retry_after}, now);
  }
  void failure(duration elapsed, duration retry_after = duration{0}) && noexcept {
    hand_in({.how = outcome::failure, .elapsed = elapsed, .retry_after = retry_after}, unknown);
  }

  void ignored() && noexcept { hand_in({.how = outcome::ignored}, unknown); }
  void ignored(instant now) && noexcept { hand_in({.how = outcome::ignored}, now); }
  void abandon() && noexcept { hand_in({.how = outcome::abandoned}, unknown); }
  void abandon(instant now) && noexcept { hand_in({.how = outcome::abandoned}, now); }

  /// Any of the four, for drivers that hold the outcome as a value.
  void settle(outcome how, instant now, duration retry_after = duration{0}) && noexcept {
    if (how == outcome::success) return succeed({.how = how}, now);
    hand_in({.how = how, .retry_after = retry_after}, now);
  }

  [[nodiscard]] bool is_spent() const noexcept { return ticket_.is_spent(); }
  [[nodiscard]] bool is_probe() const noexcept { return ticket_.is_probe(); }
  [[nodiscard]] std::uint32_t epoch() const noexcept { return ticket_.epoch(); }

  /// When a probe's lease ends: its attempt must not take longer. instant::max() for every other call.
  [[nodiscard]] instant deadline() const noexcept { return deadline_; }

  /// When the call was admitted; instant::min() where nobody asked for the time.
  [[nodiscard]] instant granted() const noexcept { return granted_; }

  /// Counts the settlement in another cell: for a permit that changes its thread or loop.
  void count_in(totals_cell& cell) noexcept { cell_ = &cell; }

 private:
  friend class breaker_core<Runtime>;

  static constexpr instant unknown = instant::min();

  // Both take everything by value, so that a permit that is settled where it was made needs no memory.
  [[gnu::always_inline]] void succeed(breaker_result r, instant now) noexcept;
  [[gnu::always_inline]] void hand_in(breaker_result r, instant now) noexcept;

  breaker_core<Runtime>* core_;
  totals_cell* cell_;
  instant deadline_;
  instant granted_;
  breaker_ticket ticket_;
};

}  // namespace halfopen
