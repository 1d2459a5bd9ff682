#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <halfopen/policy/backoff.hpp>
#include <halfopen/policy/breaker_config.hpp>
#include <halfopen/policy/layer.hpp>

namespace halfopen {

/// A wait that is the same before every retry.
[[nodiscard]] constexpr backoff constant_backoff(duration wait, enum jitter jitter = jitter::none) noexcept {
  return {.initial = wait, .multiplier = 1, .maximum = wait, .jitter = jitter};
}

/// How long a retry waits. A duration alone is the first of waits that double, up to ten seconds (or up to
/// itself, where it is longer), each drawn from zero to its nominal length: `.backoff = 50ms`.
class retry_backoff {
 public:
  constexpr retry_backoff(backoff const& b) noexcept : b_{b} {}  // NOLINT: meant to convert
  template <class Rep, class Period>
  constexpr retry_backoff(std::chrono::duration<Rep, Period> first) noexcept  // NOLINT: meant to convert
      : b_{.initial = first,
           .maximum = first > std::chrono::seconds{10} ? duration{first} : std::chrono::seconds{10},
           .jitter = jitter::full} {}

  [[nodiscard]] constexpr backoff const& value() const noexcept { return b_; }
  friend constexpr bool operator==(retry_backoff const&, retry_backoff const&) = default;

 private:
  halfopen::backoff b_;
};

/// When what failed is tried again, and when not.
///
/// Never again: what was cancelled; what is marked final or not repeatable; what another retry, further in or
/// on the far side, has given up on already (see give_up); what would begin too late.
struct retry_config {
  std::uint32_t attempts_max = 3;  // the first one included
  retry_backoff backoff = std::chrono::milliseconds{50};
  duration total_max = duration::max();  // no retry begins later than this after the first attempt
  duration useful_min{};                 // a retry that would have less time before the deadline is not made

  // What was called may say when to come back (Retry-After). It is given at least `retry_after_min` and at
  // most `retry_after_max`, and the back-off is added, so that not all who were told the same come together.
  duration retry_after_min{};
  duration retry_after_max = std::chrono::seconds{60};

  // Failures and throttled calls are tried again; with `retry_if`, what it accepts of anything but
  // cancellations, and of refusals only where `refusals` is set.
  bool refusals = false;         // also what a policy here has refused
  bool already_retried = false;  // also what another retry has given up on: this multiplies the load
  bool (*retry_if)(ended const& e) = nullptr;

  std::uint64_t seed = 0;  // of the jitter; give each process its own

  friend constexpr bool operator==(retry_config const&, retry_config const&) = default;
};

/// Everything that is wrong with the settings; empty = usable.
[[nodiscard]] std::vector<config_problem> validate(retry_config const& c);

}  // namespace halfopen
