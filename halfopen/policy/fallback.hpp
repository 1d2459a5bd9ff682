#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <halfopen/policy/layer.hpp>

namespace halfopen {

struct fallback_options {
  std::string_view name = "fallback";  // outlives the fallback
  bool (*when)(ended const& e) =
      nullptr;  // what asks for a rung; null = failures, throttled and refused calls
};

/// A fallback's half of one call: which rung is next. It knows of no value; a driver runs the rung.
///
///     live ─▶ done: failed ─▶ divert to rung 1 ─▶ done: failed ─▶ rung 2 ─▶ ... ─▶ the end of the live call
///                 good: complete                     good: complete, `ended::rung` says which
/// Every call begins at the top again: back to live needs no step of its own.
class fallback_layer {
 public:
  constexpr fallback_layer(std::uint8_t rungs, fallback_options const& options) noexcept
      : options_{&options}, rungs_{rungs} {}

  constexpr step start(instant, attempt&, ended&) noexcept {
    rung_ = 0;
    return step::descend;
  }

  constexpr step done(instant, ended& e) {
    if (e.result == result_class::cancelled) return step::complete;
    if (rung_ == 0) {
      if (rungs_ == 0 || !is_wanted(e)) return step::complete;
      live_ = e;
    } else if (e.result == result_class::success || e.result == result_class::slow) {
      e.why = live_.why;
      e.who = live_.who;
      e.gave_up = live_.gave_up;
      return step::complete;
    } else if (rung_ == rungs_) {
      auto const attempts = e.attempts;
      e = live_;
      e.attempts = attempts;
      return step::complete;
    }
    e.rung = ++rung_;
    return step::divert;
  }

  constexpr step wake(instant, ended&) noexcept { return step::stay; }
  [[nodiscard]] constexpr instant wake_at() const noexcept { return instant::max(); }
  constexpr void abandon(instant) noexcept {}

 private:
  constexpr bool is_wanted(ended const& e) const {
    if (options_->when != nullptr) return options_->when(e);
    return e.result == result_class::failure || e.result == result_class::throttled ||
           e.result == result_class::refused;
  }

  fallback_options const* options_;  // the policy's, which outlives it
  std::uint8_t rungs_;
  std::uint8_t rung_ = 0;  // that runs, or has run; 0 = live
  ended live_{};           // how the live call ended
};

/// The same value every time: the last rung of a ladder.
template <class T>
class always {
 public:
  constexpr explicit always(T value) : value_{std::move(value)} {}
  [[nodiscard]] constexpr T const& recall(instant) const noexcept { return value_; }

 private:
  T value_;
};

/// A ladder of answers for when the call itself has none; the first rung that has one gives it.
///
/// A rung is one of
///   - an alternative call: what takes an `attempt` (its deadline still holds) and returns what the operation
///     returns, or its value, or an optional or expected of it; judged as the operation is
///   - last_good<T>: the latest live value, up to its greatest age; it fills itself
///   - always{value}
/// What has a name is shared and outlives the fallback; a temporary is owned. The rungs run right below the
/// fallback: what is listed after it (breakers, retries) is not asked again.
///
///     fallback{[](attempt a) { return mirror.get(a.deadline); }, last, always{reply{}}}
template <class... Rungs>
class fallback {
  static_assert(sizeof...(Rungs) > 0 && sizeof...(Rungs) < 256, "a fallback has rungs");

 public:
  template <class... Args>
    requires(sizeof...(Args) == sizeof...(Rungs))
  constexpr explicit fallback(fallback_options const& options, Args&&... rungs)
      : rungs_{std::forward<Args>(rungs)...}, options_{options} {}
  template <class... Args>
    requires(sizeof...(Args) == sizeof...(Rungs) && (std::is_constructible_v<Rungs, Args> && ...))
  constexpr explicit fallback(Args&&... rungs) : rungs_{std::forward<Args>(rungs)...} {}

  [[nodiscard]] constexpr fallback_layer make_layer() const noexcept {
    return {static_cast<std::uint8_t>(sizeof...(Rungs)), options_};
  }
  [[nodiscard]] constexpr std::string_view name() const noexcept { return options_.name; }

  /// Hands rung `k`, from 1, to f.
  template <class F>
  constexpr void visit_rung(std::uint8_t k, F&& f) {
    std::uint8_t i = 0;
    std::apply([&](auto&... rungs) { (void)((++i == k ? (f(rungs), true) : false) || ...); }, rungs_);
  }

  /// A live value: what remembers, does.
  template <class T>
  void remember(T const& value, instant now) {
    std::apply([&](auto&... rungs) { (remember_in(rungs, value, now), ...); }, rungs_);
  }

 private:
  template <class R, class T>
  static void remember_in(R& rung, T const& value, instant now) {
    if constexpr (requires { rung.remember(value, now); }) rung.remember(value, now);
  }

  std::tuple<Rungs...> rungs_;  // R& where shared, R where owned
  fallback_options options_;
};

template <class... Rungs>
fallback(Rungs&&...) -> fallback<Rungs...>;
template <class... Rungs>
fallback(fallback_options, Rungs&&...) -> fallback<Rungs...>;

static_assert(layer<fallback_layer>);

}  // namespace halfopen
