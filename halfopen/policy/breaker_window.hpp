#pragma once

#include <cstdint>

#include <halfopen/base/saturating.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_config.hpp>
#include <halfopen/policy/breaker_event.hpp>
#include <halfopen/policy/call_window_view.hpp>
#include <halfopen/policy/time_window_view.hpp>

namespace halfopen {

/// Any of the three, over memory that somebody else owns: a counter for `consecutive`, words for the others.
class breaker_window {
 public:
  constexpr breaker_window(window_config const& c, std::uint32_t& in_a_row, std::uint32_t* words) noexcept
      : config_{&c}, in_a_row_{&in_a_row}, words_{words} {}

  static constexpr std::uint32_t words_needed(window_config const& c) noexcept {
    switch (c.kind) {
      case window_kind::consecutive: return 0;
      case window_kind::calls: return call_window_view::words_needed(c.count);
      case window_kind::time: return time_window_view::words_needed(c.count);
    }
    return 0;
  }

  [[gnu::always_inline]] constexpr void record(bool failed, bool slow, instant now) noexcept {
    switch (config_->kind) {
      case window_kind::consecutive: *in_a_row_ = failed ? saturating_add(*in_a_row_, 1U) : 0; return;
      case window_kind::calls: return calls().record(failed, slow);
      case window_kind::time: return times().record(failed, slow, now);
    }
  }

  constexpr void clear() noexcept {
    *in_a_row_ = 0;
    for (std::uint32_t i = 0; i < words_needed(*config_); ++i) words_[i] = 0;
  }

  [[nodiscard]] constexpr window_counts counts(instant now) const noexcept {
    switch (config_->kind) {
      case window_kind::consecutive: return {*in_a_row_, *in_a_row_, 0};
      case window_kind::calls: return calls().counts();
      case window_kind::time: return times().counts(now);
    }
    return {};
  }

  /// A record now moves nothing on: no bucket has ended.
  [[nodiscard]] constexpr bool holds(instant now) const noexcept {
    return config_->kind != window_kind::time || times().holds(now);
  }

  /// What it holds right after a record().
  [[nodiscard]] constexpr window_counts recorded() const noexcept {
    switch (config_->kind) {
      case window_kind::consecutive: return {*in_a_row_, *in_a_row_, 0};
      case window_kind::calls: return calls().counts();
      case window_kind::time: return times().recorded();
    }
    return {};
  }

  /// A fast success would leave it as it is, whenever it comes.
  [[nodiscard]] constexpr bool is_quiet() const noexcept {
    switch (config_->kind) {
      case window_kind::consecutive: return *in_a_row_ == 0;
      case window_kind::calls: return calls().is_quiet();
      case window_kind::time: return false;  // every call counts in its own bucket
    }
    return false;
  }

  /// A fast success can do nothing but count in the newest bucket.
  [[nodiscard]] constexpr bool may_count_beside() const noexcept {
    if (config_->kind != window_kind::time) return false;
    window_counts const held = times().recorded();
    return (held.failures | held.slow) == 0;
  }

  [[nodiscard]] constexpr call_window_view calls() const noexcept { return {config_->count, words_}; }
  [[nodiscard]] constexpr time_window_view times() const noexcept {
    return {config_->length, config_->count, words_};
  }

 private:
  window_config const* config_;
  std::uint32_t* in_a_row_;
  std::uint32_t* words_;
};

/// What a counted result leads to. `why` is `created` where nothing trips.
struct breaker_verdict {
  window_counts counts{};
  breaker_cause why = breaker_cause::created;

  [[nodiscard]] constexpr bool trips() const noexcept { return why != breaker_cause::created; }
};

/// Whether these counts trip. At the threshold, not above it; compared without rounding.
[[nodiscard, gnu::always_inline]] constexpr breaker_verdict judge(window_counts counts,
                                                                  breaker_config const& c) noexcept {
  if (c.window.kind == window_kind::consecutive) {
    return {counts, counts.failures >= c.window.count ? breaker_cause::failures : breaker_cause::created};
  }
  if ((counts.failures | counts.slow) == 0)
    return {counts};  // no rate is reached by none; the usual case, and quick
  if (counts.calls < c.minimum_calls) return {counts};
  if (c.failure_rate.reached_by(counts.failures, counts.calls)) return {counts, breaker_cause::failures};
  if (c.slow_rate.value != 0 && c.slow_rate.reached_by(counts.slow, counts.calls)) {
    return {counts, breaker_cause::slow_calls};
  }
  return {counts};
}

/// Recording and deciding are this one step: apart, they lose a trip and double another.
[[nodiscard, gnu::always_inline]] constexpr breaker_verdict record(breaker_window& window,
                                                                   breaker_config const& c, bool failed,
                                                                   bool slow, instant now) noexcept {
  window.record(failed, slow, now);
  return judge(window.recorded(), c);
}

}  // namespace halfopen
