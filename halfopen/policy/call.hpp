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
#include <halfopen/policy/layer.hpp>

namespace halfopen {

/// How a user's result is to be counted. See `call`.
struct verdict {
  result_class result;
  duration retry_after{};

  constexpr verdict(result_class counted_as,
                    duration come_back_after = {}) noexcept  // NOLINT: meant to convert
      : result{counted_as}, retry_after{come_back_after} {}
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
      return judge(classify);
    } catch (...) {
      return caught(classify);
    }
  }

  template <class T>
  expected<T, error_type> answer(ended const& e) {
    bool const said_by_operation = e.who.empty() && e.attempts > 0;
    if (said_by_operation && cause_ == nullptr) return own_answer<T>();
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
  ended judge(Classify& classify) {
    if constexpr (is_expected) {
      if (!result_->has_value()) {
        if constexpr (std::invocable<Classify&, typename kind::said const&>) {
          return as_ended(classify(result_->error()), errc::failed);
        } else {
          return as_ended(result_class::failure, errc::failed);
        }
      }
      if constexpr (!std::is_void_v<typename R::value_type>) {
        if constexpr (std::invocable<Classify&, typename R::value_type const&>)
          return as_ended(classify(**result_), errc::failed);
      }
    } else if constexpr (std::invocable<Classify&, stored const&>) {
      return as_ended(classify(*result_), errc::failed);
    }
    return as_ended(result_class::success, errc::failed);
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
    return {.result = v.result, .why = why, .retry_after = std::max(v.retry_after, duration::zero())};
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

}  // namespace detail

/// Makes one call through a pipeline, on this thread.
///
/// The operation is called with an `attempt` and returns a T, an expected<T, E>, or throws; with T = void it
/// returns nothing. `classify` may be called with the value, with the E, and with a std::exception_ptr, for
/// those of the three that it accepts, and returns a verdict. What it throws counts as a failure of the call.
/// Returns:  the operation's own result, also where it was counted as a failure; else who refused, and why.
/// Errors:   what the policies say; `threw` with the cause; `failed`, with the E in error_with<E>::said.
/// Limits:   the operation cannot be interrupted from outside: it keeps to attempt::deadline itself. If it is
///           back later, the call has timed out, as it would have under a driver that can interrupt.
/// Cost:     no allocation.
template <class T, class Pipeline, class Op, class Classify = classify_by_kind,
          class Runtime = steady_runtime>
  requires std::invocable<Op&, attempt>
[[nodiscard]] auto call(Pipeline& pipeline, Op&& op, Classify classify = {}, Runtime time = {}) {
  detail::attempt_result<std::invoke_result_t<Op&, attempt>> result;
  auto stack = pipeline.make_call();
  attempt a;
  ended e;
  for (step next = stack.start(time.now(), a, e);;) {
    switch (next) {
      case step::descend:
        e = result.run(op, stack.below(), classify);
        next = stack.done(time.now(), e);
        break;
      case step::stay:
        invariant(!stack.wake_at().is_never(), "a blocking call waits for a timer");
        time.sleep_until(stack.wake_at());
        next = stack.wake(time.now(), e);
        break;
      case step::complete: return result.template answer<T>(e);
      case step::abort_below:
        invariant(false, "a blocking call has nothing in flight while it looks at timers");
    }
  }
}

}  // namespace halfopen
