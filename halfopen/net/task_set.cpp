#include <halfopen/net/task_set.hpp>

namespace halfopen::net {

/// The coroutine at the bottom of a spawned task. Destroys itself when it ends.
class task_set::root {
 public:
  struct promise_type : list_link {
    task_set& set;

    promise_type(task_set& s, task<>&) noexcept : set{s} {
      insert_before(set.running_);
      ++set.size_;
    }
    ~promise_type() {
      unlink();
      --set.size_;
    }

    struct leave {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> frame) noexcept {
        task_set& from = frame.promise().set;
        frame.destroy();
        from.ended();
      }
      void await_resume() noexcept {}
    };

    static void* operator new(std::size_t size) { return allocate_frame(size); }
    static void operator delete(void* frame, std::size_t size) noexcept { free_frame(frame, size); }

    root get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    leave final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { ++set.thrown_; }
  };
};

task_set::root task_set::run(task_set&, task<> work) {
  task<> mine = std::move(work);  // in the frame whatever the compiler does with parameters
  co_await std::move(mine);
}

void task_set::spawn(task<> work) { run(*this, std::move(work)); }

void task_set::cancel_all() noexcept {
  while (!running_.alone()) {
    auto& promise = static_cast<root::promise_type&>(*running_.next);
    std::coroutine_handle<root::promise_type>::from_promise(promise).destroy();
  }
}

void task_set::ended() {
  if (on_ended) on_ended();
}

}  // namespace halfopen::net
