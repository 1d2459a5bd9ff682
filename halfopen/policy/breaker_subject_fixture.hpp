#pragma once

// For tests: a breaker with a clock of its own, one cell and an observer that writes down what it is told.

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/policy/circuit_breaker.hpp>

namespace halfopen {

class breaker_subject : public breaker_observer {
 public:
  explicit breaker_subject(breaker_config const& config)
      : breaker{config,
                {.name = "subject",
                 .clock = clock.source(),
                 .cells = &cells,
                 .observer = this,
                 .now = instant{}}} {}
  virtual ~breaker_subject() = default;

  void on_event(breaker_event const& e) override { events.push_back(e); }

  [[nodiscard]] instant now() const { return clock.now(); }
  void after(duration d) { clock.advance(d); }
  [[nodiscard]] breaker_state state() const { return breaker.state(); }
  [[nodiscard]] breaker_snapshot look() const { return breaker.snapshot(now()); }
  [[nodiscard]] breaker_totals totals() const { return cells.sum(); }

  [[nodiscard]] expected<permit, rejection> ask() { return breaker.try_acquire(now()); }
  [[nodiscard]] permit admitted() {
    auto p = ask();
    EXPECT_TRUE(p) << name(p.error().why);
    return *std::move(p);
  }
  [[nodiscard]] errc refused() {
    auto const p = ask();
    EXPECT_FALSE(p);
    return p ? errc::failed : p.error().why;
  }
  void call(outcome how) { admitted().settle(how, now()); }
  void calls(int n, outcome how) {
    for (int i = 0; i < n; ++i) call(how);
  }
  void slow_call(duration took, outcome how = outcome::success) {
    auto p = admitted();
    after(took);
    std::move(p).settle(how, now());
  }
  // To the end of `open`, if the breaker is open.
  void wait_out() { after(breaker.status(now()).retry_after); }

  [[nodiscard]] std::vector<breaker_event> transitions() const {
    std::vector<breaker_event> found;
    for (auto const& e : events) {
      if (e.kind == breaker_event_kind::transition) found.push_back(e);
    }
    return found;
  }
  void expect_one_event_an_epoch() const {
    std::uint32_t epoch = 0;
    for (auto const& e : transitions()) EXPECT_EQ(e.epoch, ++epoch);
    EXPECT_EQ(epoch, look().epoch);
  }

  manual_clock clock;
  breaker_cells cells = breaker_cells::one();
  std::vector<breaker_event> events;
  circuit_breaker breaker;
};

/// Trips at two failures in a row, opens for 10 s, 20 s, 40 s; a probe has 5 s. No chance in it.
inline breaker_config plain_breaker() {
  using namespace std::chrono_literals;
  return {.window = consecutive{.failures = 2},
          .open_for = {.initial = 10s, .multiplier = 2, .maximum = 40s, .jitter = jitter::none},
          .reset_after = 60s,
          .probe_timeout = 5s,
          .max_probe_timeout = 60s};
}

/// Settings, but for what `change` does to them.
breaker_config with(breaker_config c, auto change) {
  change(c);
  return c;
}

/// One that two failures have opened.
class tripped : public breaker_subject {
 public:
  explicit tripped(breaker_config const& c = plain_breaker()) : breaker_subject{c} {
    calls(2, outcome::failure);
    EXPECT_EQ(state(), breaker_state::open);
  }
  [[nodiscard]] permit probe() {
    wait_out();
    auto p = admitted();
    EXPECT_TRUE(p.is_probe());
    return p;
  }
};

/// The same, at the end of that: the next call is the probe.
class opened : public tripped {
 public:
  explicit opened(breaker_config const& c = plain_breaker()) : tripped{c} { wait_out(); }
};

}  // namespace halfopen
