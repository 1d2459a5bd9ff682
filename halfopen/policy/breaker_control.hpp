#pragma once

#include <cstdint>

#include <halfopen/base/assert.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_event.hpp>

namespace halfopen {

/// One probe that is out. Free where end is min().
struct lease {
  instant granted{};
  instant end = instant::min();

  [[nodiscard]] constexpr bool is_live() const noexcept { return end != instant::min(); }
  friend constexpr bool operator==(lease, lease) noexcept = default;
};

/// The breaker's state, but for leases and window. One to one with the variables of specs/epochs.
struct breaker_control {
  breaker_state state = breaker_state::closed;
  breaker_cause cause = breaker_cause::created;
  std::uint32_t epoch = 0;
  instant deadline =
      instant::max();          // open: probing may start · half_open: earliest lease end · closed: ramp's end
  instant since{};             // when the state was entered; not of half_open
  instant latest{};            // time never goes back behind this
  duration lease{};            // of the next probe
  std::uint16_t openings = 0;  // in a row
  std::uint16_t neutrals = 0;  // half_open: results that said nothing
  std::uint8_t successes = 0;  // half_open
  std::uint8_t ramp_credit = 0;  // closed, ramping: at 100 the next call is admitted
  bool would_trip = false;       // metrics_only: the condition holds

  friend constexpr bool operator==(breaker_control const&, breaker_control const&) noexcept = default;
};

/// What a step of the machine raised, in order. No step makes more than two transitions.
class breaker_story {
 public:
  constexpr void add(breaker_event const& e) noexcept {
    invariant(size_ < limit, "S6: a step raises at most two events");
    events_[size_++] = e;
  }
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr breaker_event const* begin() const noexcept { return events_; }
  [[nodiscard]] constexpr breaker_event const* end() const noexcept { return events_ + size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }

 private:
  static constexpr std::uint32_t limit = 2;
  breaker_event events_[limit]{};
  std::uint32_t size_ = 0;
};

}  // namespace halfopen
