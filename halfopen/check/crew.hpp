#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace halfopen::check {

/// A thread with a stack of its own size; joins at the end of its life.
class deep_thread {
 public:
  /// Throws std::runtime_error if there is no memory for the stack.
  deep_thread(std::size_t stack_bytes, std::function<void()> run);
  ~deep_thread();
  deep_thread(deep_thread const&) = delete;
  deep_thread& operator=(deep_thread const&) = delete;

 private:
  struct handle;
  std::unique_ptr<handle> handle_;
};

/// Threads that do one thing together at a time. The caller is one of them, with number 0.
class crew {
 public:
  explicit crew(std::size_t stack_bytes) : stack_bytes_{stack_bytes} {}
  ~crew();
  crew(crew const&) = delete;
  crew& operator=(crew const&) = delete;

  /// Up to `size` in all; fewer if there is no memory for their stacks.
  void grow(unsigned size);
  [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(threads_.size()) + 1; }

  /// Runs `job` on the first `count` of them and waits. Rethrows what the first of them threw.
  void run(unsigned count, std::function<void(unsigned)> const& job);

 private:
  void serve(unsigned number);
  void do_part(unsigned number);

  std::size_t stack_bytes_;
  std::mutex mutex_;
  std::condition_variable begun_, done_;
  std::function<void(unsigned)> const* job_ = nullptr;  // null: go home
  std::uint64_t jobs_ = 0;
  unsigned wanted_ = 1, busy_ = 0;
  std::vector<std::exception_ptr> failed_;
  std::vector<std::unique_ptr<deep_thread>> threads_;
};

}  // namespace halfopen::check
