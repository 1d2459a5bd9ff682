#pragma once

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include <halfopen/policy/layer.hpp>

namespace halfopen {

/// A timeout's half of one call.
class timeout_layer {
 public:
  constexpr explicit timeout_layer(duration length, std::string_view name,
                                   result_class counts_as = result_class::failure) noexcept
      : length_{length}, name_{name}, counts_as_{counts_as} {}

  constexpr step start(instant now, attempt& a, ended& e) noexcept {
    fired_ = false;
    at_ = limit(now, a);
    a.deadline = at_;
    if (now < at_) return step::descend;
    at_ = instant::max();
    e = {.result = result_class::refused, .why = errc::timed_out, .who = name_};
    return step::complete;
  }

  constexpr step done(instant, ended& e) noexcept {
    at_ = instant::max();
    if (fired_) {
      e = {.result = counts_as_, .why = errc::timed_out, .who = name_, .attempts = e.attempts};
    }
    return step::complete;
  }

  constexpr step wake(instant now, ended&) noexcept {
    if (now < at_) return step::stay;
    fired_ = true;
    at_ = instant::max();
    return step::abort_below;
  }

  [[nodiscard]] constexpr instant wake_at() const noexcept { return at_; }
  constexpr void abandon(instant) noexcept { at_ = instant::max(); }

 private:
  // A breaker outside has bounded a probe by its lease, which takes the place of the length: with a shorter
  // one, replies that are late but do come would keep the breaker going open and half-open for ever.
  constexpr instant limit(instant now, attempt const& a) const noexcept {
    return a.probe ? a.deadline : std::min(a.deadline, now + length_);
  }

  duration length_;
  std::string_view name_;
  instant at_ = instant::max();
  bool fired_ = false;
  result_class counts_as_;
};

/// Bounds the time of everything listed after it: listed first, the whole call; listed last, each attempt.
///
/// A result that comes later is a timeout, even where the driver could not interrupt the operation.
/// Inside a breaker, a probe's lease takes the place of the length.
class timeout {
 public:
  /// `counts_as`: what the policies outside hear when time is up.
  constexpr explicit timeout(duration length, std::string_view name = "timeout",
                             result_class counts_as = result_class::failure)
      : length_{length}, name_{name}, counts_as_{counts_as} {
    if (length <= duration::zero()) throw std::invalid_argument{"a timeout is longer than zero"};
  }

  [[nodiscard]] constexpr duration length() const noexcept { return length_; }
  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
  [[nodiscard]] constexpr timeout_layer make_layer() const noexcept {
    return timeout_layer{length_, name_, counts_as_};
  }

 private:
  duration length_;
  std::string_view name_;  // outlives the timeout
  result_class counts_as_;
};

static_assert(layer<timeout_layer>);

}  // namespace halfopen
