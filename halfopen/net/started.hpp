#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include <halfopen/net/task.hpp>

namespace halfopen::net {

/// A task on its way, whose end is told to plain code: `done(T)` is called once, unless this is destroyed
/// first.
///
/// For code that is not a coroutine and may have to call off what it started. May be destroyed from inside
/// `done`, not from inside the task. A task that throws ends the process: catch inside.
template <class T, class Done>
class started {
 public:
  started(task<T> work, Done done) : frame_{run(std::move(work), std::move(done)).frame} { frame_.resume(); }
  started(started const&) = delete;
  started& operator=(started const&) = delete;
  ~started() { frame_.destroy(); }

 private:
  struct coroutine {
    struct promise_type {
      std::optional<T> result;
      Done done;

      promise_type(task<T>&, Done& d) : done{std::move(d)} {}

      // Told when the frame is already asleep for good, so that `done` may destroy it.
      struct tell {
        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> frame) noexcept {
          T result = std::move(*frame.promise().result);
          Done done = std::move(frame.promise().done);
          done(std::move(result));
        }
        void await_resume() noexcept {}
      };

      static void* operator new(std::size_t size) { return allocate_frame(size); }
      static void operator delete(void* frame, std::size_t size) noexcept { free_frame(frame, size); }

      coroutine get_return_object() noexcept {
        return {std::coroutine_handle<promise_type>::from_promise(*this)};
      }
      std::suspend_always initial_suspend() noexcept { return {}; }
      tell final_suspend() noexcept { return {}; }
      void return_value(T value) { result.emplace(std::move(value)); }
      void unhandled_exception() noexcept { std::terminate(); }
    };
    std::coroutine_handle<promise_type> frame;
  };

  static coroutine run(task<T> work, Done) {
    task<T> mine = std::move(work);
    co_return co_await std::move(mine);
  }

  std::coroutine_handle<typename coroutine::promise_type> frame_;
};

}  // namespace halfopen::net
