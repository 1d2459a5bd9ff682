#pragma once

#include <cstdint>
#include <string>

#include <halfopen/app/terminal.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_event.hpp>

namespace halfopen::app {

/// What the demo's breaker did, as the gateway's log tells it.
struct demo_transition {
  breaker_state to{};
  breaker_cause cause{};
  std::uint64_t calls = 0;  // in the window, at that moment
  std::uint64_t failures = 0;
  duration wait{};  // open: until the next probe may start
};

struct demo_counts {
  std::uint64_t passed = 0;
  std::uint64_t failed = 0;   // the upstream's doing
  std::uint64_t refused = 0;  // the gateway answered at once
  std::uint64_t lost = 0;     // no answer at all

  [[nodiscard]] std::uint64_t calls() const noexcept { return passed + failed + refused + lost; }
};

/// The demo in words: a line for each thing that happens, and one that changes in place.
class demo_story {
 public:
  explicit demo_story(terminal const& t) : terminal_{t} {}

  [[nodiscard]] std::string opening() const;
  [[nodiscard]] std::string upstream(duration at, bool failing) const;
  [[nodiscard]] std::string transition(duration at, demo_transition const& what, demo_counts const& counts);
  /// For a terminal, over and over: the state, the counts, and how long until the next probe.
  [[nodiscard]] std::string live(duration at, demo_counts const& counts, duration until_probe) const;
  [[nodiscard]] std::string summary(demo_counts const& counts) const;

 private:
  [[nodiscard]] std::string line(duration at, breaker_state const* s, std::string const& what) const;
  [[nodiscard]] std::string state_word(breaker_state s) const;

  terminal const& terminal_;
  breaker_state state_ = breaker_state::closed;
  std::uint64_t refused_before_ = 0;  // when it opened
};

}  // namespace halfopen::app
