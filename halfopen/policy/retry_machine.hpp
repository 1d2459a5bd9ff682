#pragma once

#include <algorithm>
#include <cstdint>

#include <halfopen/base/saturating.hpp>
#include <halfopen/policy/backoff_delay.hpp>
#include <halfopen/policy/retry_config.hpp>

namespace halfopen {

/// One call, as its retry sees it.
struct retry_state {
  instant first{};  // when the first attempt began
  instant deadline = instant::max();
  std::uint32_t retries = 0;  // made so far
  enum repeat repeat = repeat::later;
};

/// Whether to try again, and after how long; or why not.
struct retry_answer {
  bool again = false;
  give_up why_not = give_up::no;  // `no` also where there is nothing to try again
  duration wait{};
};

namespace detail {

constexpr bool is_worth_another(retry_config const& c, ended const& e) {
  if (e.result == result_class::cancelled) return false;
  if (e.result == result_class::refused && !c.refusals) return false;
  if (c.retry_if != nullptr) return c.retry_if(e);
  return e.result == result_class::failure || e.result == result_class::throttled ||
         e.result == result_class::refused;
}

constexpr bool fits(retry_state const& s, retry_config const& c, instant begins) noexcept {
  if (begins - s.first > c.total_max) return false;
  return s.deadline.is_never() || (begins < s.deadline && begins + c.useful_min <= s.deadline);
}

}  // namespace detail

/// The wait before the n-th retry (n counts from 1). Pure, and 0 <= wait for every n; at most the back-off's
/// maximum, or retry_after_max, where what was called has asked for time.
[[nodiscard]] constexpr duration wait_before(retry_config const& c, std::uint32_t n, duration retry_after,
                                             std::uint64_t seed) noexcept {
  // An epoch apart is two steps: see decorrelated_delay.
  duration const delay = jittered_delay(c.backoff.value(), n, seed, 2 * std::uint64_t{n});
  if (retry_after <= duration::zero()) return delay;
  duration const asked = std::clamp(retry_after, c.retry_after_min, c.retry_after_max);
  duration const sum{saturating_add(asked.count(), delay.count())};
  return std::min(sum, std::max(c.retry_after_max, delay));
}

/// What to do about an end. The budget is asked afterwards, and only where the answer is to try again.
[[nodiscard]] constexpr retry_answer decide(retry_state const& s, retry_config const& c, ended const& e,
                                            instant now, std::uint64_t seed) {
  if (!detail::is_worth_another(c, e)) return {};
  if (e.gave_up != give_up::no && !c.already_retried) return {.why_not = e.gave_up};
  if (e.final || s.repeat == repeat::never) return {.why_not = give_up::not_repeatable};
  if (c.attempts_max == 1) return {};
  if (s.retries >= c.attempts_max - 1) return {.why_not = give_up::attempts_used};
  duration const wait = wait_before(c, s.retries + 1, e.retry_after, seed);
  if (!detail::fits(s, c, now + wait)) return {.why_not = give_up::no_time};
  return {.again = true, .wait = wait};
}

}  // namespace halfopen
