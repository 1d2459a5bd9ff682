#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/frame_pool.hpp>

namespace halfopen::net {

template <class T = void>
class task;

namespace detail {

struct task_promise_base {
  std::coroutine_handle<> continuation = std::noop_coroutine();
  std::exception_ptr thrown;

  struct resume_continuation {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) noexcept {
      return done.promise().continuation;
    }
    void await_resume() noexcept {}
  };

  static void* operator new(std::size_t size) { return allocate_frame(size); }
  static void operator delete(void* frame, std::size_t size) noexcept { free_frame(frame, size); }

  std::suspend_always initial_suspend() noexcept { return {}; }
  resume_continuation final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { thrown = std::current_exception(); }
};

template <class T>
struct task_promise : task_promise_base {
  std::optional<T> value;

  task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& u) {
    value.emplace(std::forward<U>(u));
  }
  T take() {
    if (thrown) [[unlikely]]
      std::rethrow_exception(thrown);
    return std::move(*value);
  }
};

template <>
struct task_promise<void> : task_promise_base {
  task<void> get_return_object() noexcept;
  void return_void() noexcept {}
  void take() {
    if (thrown) [[unlikely]]
      std::rethrow_exception(thrown);
  }
};

}  // namespace detail

/// A piece of flow that runs when it is awaited, and gives a T.
///
/// Destroying a task that waits cancels it: everything in its frame is destroyed, and with it each operation
/// it waits for. Never destroy a task that is running; a task that ends another from within uses task_set.
/// Threads: one, its loop's.
template <class T>
class [[nodiscard]] task {
 public:
  using promise_type = detail::task_promise<T>;

  task() noexcept = default;
  task(task&& other) noexcept : frame_{std::exchange(other.frame_, {})} {}
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      cancel();
      frame_ = std::exchange(other.frame_, {});
    }
    return *this;
  }
  ~task() { cancel(); }

  [[nodiscard]] explicit operator bool() const noexcept { return frame_ != nullptr; }

  void cancel() noexcept {
    if (frame_) std::exchange(frame_, {}).destroy();
  }

  auto operator co_await() && noexcept {
    struct awaiter {
      std::coroutine_handle<promise_type> frame;
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
        frame.promise().continuation = waiting;
        return frame;
      }
      T await_resume() { return frame.promise().take(); }
    };
    return awaiter{frame_};
  }

 private:
  friend promise_type;
  explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_{frame} {}

  std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T>
task<T> task_promise<T>::get_return_object() noexcept {
  return task<T>{std::coroutine_handle<task_promise>::from_promise(*this)};
}

inline task<void> task_promise<void>::get_return_object() noexcept {
  return task<void>{std::coroutine_handle<task_promise>::from_promise(*this)};
}

}  // namespace detail
}  // namespace halfopen::net
