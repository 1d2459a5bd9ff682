#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include <halfopen/base/assert.hpp>
#include <halfopen/base/error.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/policy/answer.hpp>
#include <halfopen/policy/layer.hpp>

namespace halfopen {

/// How a user's result is to be counted. See `call`.
struct verdict {
  result_class result;
  duration retry_after{};
  bool is_final = false;
  bool is_given_up = false;

  constexpr verdict(result_class counted_as,
                    duration come_back_after = {}) noexcept  // NOLINT: meant to convert
      : result{counted_as}, retry_after{come_back_after} {}

  /// Another attempt is of no use, or could do harm: it is not retried, however it is counted.
  [[nodiscard]] constexpr verdict final() const noexcept {
    verdict v = *this;
    v.is_final = true;
    return v;
  }
  /// The far side has said that it has retried already, or has no budget for it (a header, a status detail):
  /// nobody on this side makes up for that.
  [[nodiscard]] constexpr verdict given_up() const noexcept {
    verdict v = *this;
    v.is_given_up = true;
    return v;
  }
};

/// What one call may ask for beside what its pipeline does.
struct call_options {
  instant deadline = instant::max();  // of the whole call, on the runtime's clock
  enum repeat repeat = repeat::later;
};

/// An error that carries what the user's operation said, where it said something of its own.
template <class E>
struct error_with : error {
  std::optional<E> said;
};

/// The process's steady clock, and real sleep: how a blocking call meets time.
struct steady_runtime {
  [[nodiscard]] static instant now() noexcept {
    return instant{std::chrono::steady_clock::now().time_since_epoch()};
  }
  static void sleep_until(instant at) {
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point{at.since_start()});
  }
};

/// Counts a value as success, an error and an exception as failure.
struct classify_by_kind {};

namespace detail {

template <class R>
struct returned {  // a plain value
  using said = void;
  using error_type = error;
};
template <>
struct returned<expected<void, error>> {
  using said = error;
  using error_type = error;
};
template <class T>
struct returned<expected<T, error>> {
  using said = error;
  using error_type = error;
};
template <class T, class E>
struct returned<expected<T, E>> {
  using said = E;
  using error_type = error_with<E>;
};
template <class T, class E>
struct returned<answer<T, E>> : returned<expected<T, E>> {};  // a call within a call

// What one attempt of the user's operation came to: a result, or what it threw.
template <class R>
class attempt_result {
 public:
  using kind = returned<R>;
  using error_type = typename kind::error_type;
  static constexpr bool is_expected = !std::is_void_v<typename kind::said>;

  template <class Op, class Classify>
  ended run(Op& op, attempt const& a, Classify& classify) noexcept {
    result_.reset();
    cause_ = nullptr;
    try {
      invoke(op, a);
      return judge(*result_, classify);
    } catch (...) {
      return caught(classify);
    }
  }

  // One rung of a fallback. What the operation came to stays, unless the rung has a value.
  template <class Pipeline, class Classify>
  ended run_rung(Pipeline& pipeline, attempt const& a, instant now, Classify& classify) noexcept {
    ended e{.result = result_class::failure, .why = errc::failed};
    if constexpr (requires { pipeline.visit_rung(a, [](auto&) {}); }) {
      try {
        pipeline.visit_rung(a, [&](auto& rung) { e = ask(rung, a, now, classify); });
      } catch (...) {
        e.why = errc::threw;
      }
    }
    return e;
  }

  // Whether the call ends with a value of the operation, or of a rung.
  [[nodiscard]] bool has_own(ended const& e) const noexcept {
    bool const said_by_operation = e.who.empty() && e.attempts > 0;
    return (said_by_operation || is_rung(e)) && cause_ == nullptr;
  }

  // Called with the value, if there is one.
  template <class F>
  void with_value(F&& f) const {
    if constexpr (!is_expected && !std::is_void_v<R>) {
      f(*result_);
    } else if constexpr (is_expected) {
      if constexpr (!std::is_void_v<typename R::value_type>) {
        if (result_->has_value()) f(**result_);
      }
    }
  }

  template <class T>
  expected<T, error_type> take(ended const& e) {
    if (has_own(e)) return own_answer<T>();
    error_type err{};
    err.why = e.why;
    err.who = e.who;
    err.retry_after = e.retry_after;
    err.cause = cause_;
    return unexpected<error_type>{std::move(err)};
  }

 private:
  struct nothing {};
  using stored = std::conditional_t<std::is_void_v<R>, nothing, R>;

  template <class Op>
  void invoke(Op& op, attempt const& a) {
    if constexpr (std::is_void_v<R>) {
      std::invoke(op, a);
      result_.emplace();
    } else {
      result_.emplace(std::invoke(op, a));
    }
  }

  template <class Classify>
  static ended judge(stored const& result, Classify& classify) {
    if constexpr (is_expected) {
      if (!result.has_value()) return judge_error(result, classify);
      if constexpr (!std::is_void_v<typename R::value_type>) {
        if constexpr (std::invocable<Classify&, typename R::value_type const&>)
          return as_ended(classify(*result), errc::failed);
      }
    } else if constexpr (std::invocable<Classify&, stored const&>) {
      return as_ended(classify(result), errc::failed);
    }
    return as_ended(result_class::success, errc::failed);
  }

  template <class Classify>
  static ended judge_error(stored const& result, Classify& classify) {
    ended e = as_ended(result_class::failure, errc::failed);
    if constexpr (std::invocable<Classify&, typename kind::said const&>)
      e = as_ended(classify(result.error()), errc::failed);
    if constexpr (requires { result.story(); }) {
      if (e.gave_up == give_up::no) e.gave_up = result.story().gave_up;
    }
    return e;
  }

  static bool is_rung(ended const& e) noexcept {
    return e.rung > 0 && (e.result == result_class::success || e.result == result_class::slow);
  }

  template <class Rung, class Classify>
  ended ask(Rung& rung, attempt const& a, instant now, Classify& classify) {
    if constexpr (requires { rung.recall(now); }) {
      return keep(as_stored(rung.recall(now)), [](stored const&) { return ended{}; });
    } else {
      return keep(call_rung(rung, a), [&](stored const& v) { return judge(v, classify); });
    }
  }

  template <class Judge>
  ended keep(std::optional<stored> value, Judge judge_it) {
    if (!value) return {.result = result_class::failure, .why = errc::failed};
    ended const e = judge_it(*value);
    if (e.result != result_class::success && e.result != result_class::slow) return e;
    result_.emplace(std::move(*value));
    cause_ = nullptr;
    return e;
  }

  template <class Rung>
  static std::optional<stored> call_rung(Rung& rung, attempt const& a) {
    if constexpr (std::is_void_v<std::invoke_result_t<Rung&, attempt>>) {
      std::invoke(rung, a);
      return std::optional<stored>{std::in_place};
    } else {
      return as_stored(std::invoke(rung, a));
    }
  }

  // A value, what holds one or not (optional, expected), or just what the operation returns.
  template <class V>
  static std::optional<stored> as_stored(V&& v) {
    if constexpr (std::is_constructible_v<stored, V&&> && std::is_convertible_v<V&&, stored>) {
      return std::optional<stored>{std::in_place, std::forward<V>(v)};
    } else if constexpr (requires { v.has_value(); }) {
      return v.has_value() ? as_stored(*std::forward<V>(v)) : std::nullopt;
    } else {
      static_assert(std::is_constructible_v<stored, V&&>, "a rung gives what the operation gives");
      return std::optional<stored>{std::in_place, std::forward<V>(v)};
    }
  }

  // What was thrown by the operation, or by the user's classification of its result.
  template <class Classify>
  ended caught(Classify& classify) noexcept {
    cause_ = std::current_exception();
    if constexpr (std::invocable<Classify&, std::exception_ptr const&>) {
      try {
        return as_ended(classify(cause_), errc::threw);
      } catch (...) {
        cause_ = std::current_exception();
      }
    }
    return as_ended(result_class::failure, errc::threw);
  }

  static ended as_ended(verdict v, errc why) noexcept {
    return {.result = v.result,
            .why = why,
            .retry_after = std::max(v.retry_after, duration::zero()),
            .gave_up = v.is_given_up ? give_up::no_budget : give_up::no,
            .final = v.is_final};
  }

  template <class T>
  expected<T, error_type> own_answer() {
    if constexpr (!is_expected) {
      if constexpr (std::is_void_v<T>) {
        return {};
      } else {
        return expected<T, error_type>{std::move(*result_)};
      }
    } else if constexpr (std::is_same_v<error_type, error>) {
      return expected<T, error_type>{std::move(*result_)};
    } else {
      if (!result_->has_value()) {
        error_type err{};
        err.why = errc::failed;
        err.said.emplace(std::move(result_->error()));
        return unexpected<error_type>{std::move(err)};
      }
      if constexpr (std::is_void_v<T>) {
        return {};
      } else {
        return expected<T, error_type>{std::move(**result_)};
      }
    }
  }

  std::optional<stored> result_;
  std::exception_ptr cause_;
};

// A live answer is what fallbacks may show later. A rung's never is: it would stay for ever.
template <class Pipeline, class Result>
void remember(Pipeline& pipeline, Result const& result, ended const& e, instant now) {
  if constexpr (requires { pipeline.remember(0, now); }) {
    bool const is_good = e.result == result_class::success || e.result == result_class::slow;
    if (!is_good || e.rung > 0 || !result.has_own(e)) return;
    result.with_value([&](auto const& value) { pipeline.remember(value, now); });
  }
}

}  // namespace detail

/// Makes one call through a pipeline, on this thread.
///
/// The operation is called with an `attempt` and returns a T, an expected<T, E>, or throws; with T = void it
/// returns nothing. `classify` may be called with the value, with the E, and with a std::exception_ptr, for
/// those of the three that it accepts, and returns a verdict. What it throws counts as a failure of the call.
/// Returns:  answer<T, error> or answer<T, error_with<E>>: the operation's own result, also where it was
///           counted as a failure; or a fallback's; else who refused, and why.
/// Errors:   what the policies say; `threw` with the cause; `failed`, with the E in error_with<E>::said.
/// Limits:   the operation cannot be interrupted from outside: it keeps to attempt::deadline itself. If it is
///           back later, the call has timed out, as it would have under a driver that can interrupt. A hedge
///           needs a driver that can run two attempts at once: here none begins while an operation runs.
/// Cost:     no allocation.
template <class T, class Pipeline, class Op, class Classify = classify_by_kind,
          class Runtime = steady_runtime>
  requires std::invocable<Op&, attempt>
[[nodiscard]] auto call(Pipeline& pipeline, Op&& op, call_options const& options, Classify classify = {},
                        Runtime time = {}) {
  using result_type = detail::attempt_result<std::invoke_result_t<Op&, attempt>>;
  result_type result;
  auto stack = pipeline.make_call();
  attempt a{.deadline = options.deadline, .repeat = options.repeat};
  ended e;
  instant now = time.now();
  for (step next = stack.start(now, a, e);;) {
    switch (next) {
      case step::descend: {
        auto const& below = stack.below();
        e = below.rung == 0 ? result.run(op, below, classify)
                            : result.run_rung(pipeline, below, now, classify);
        now = time.now();
        next = stack.done(now, e, stack.branch());
        break;
      }
      case step::stay:
        invariant(!stack.wake_at().is_never(), "a blocking call waits for a timer");
        time.sleep_until(stack.wake_at());
        now = time.now();
        next = stack.wake(now, e);
        break;
      case step::complete:
        detail::remember(pipeline, result, e, now);
        return answer<T, typename result_type::error_type>{result.template take<T>(e), e};
      case step::abort_below:
      case step::divert:
      case step::fork: invariant(false, "a blocking call has nothing in flight while it looks at timers");
    }
  }
}

/// The same without options.
template <class T, class Pipeline, class Op, class Classify = classify_by_kind,
          class Runtime = steady_runtime>
  requires std::invocable<Op&, attempt>
[[nodiscard]] auto call(Pipeline& pipeline, Op&& op, Classify classify = {}, Runtime time = {}) {
  return call<T>(pipeline, std::forward<Op>(op), call_options{}, std::move(classify), std::move(time));
}

}  // namespace halfopen
