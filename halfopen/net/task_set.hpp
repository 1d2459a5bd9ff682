#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <halfopen/net/list_link.hpp>
#include <halfopen/net/task.hpp>

namespace halfopen::net {

/// Runs tasks that nobody awaits, and owns them: destroying the set cancels those that still wait.
///
/// Threads: one, the loop's.
class task_set {
 public:
  task_set() noexcept = default;
  task_set(task_set const&) = delete;
  task_set& operator=(task_set const&) = delete;
  ~task_set() { cancel_all(); }

  /// Runs `work` at once, until it first waits. An exception that leaves it is dropped and counted.
  void spawn(task<> work);

  /// Not from inside one of the set's own tasks.
  void cancel_all() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t thrown() const noexcept { return thrown_; }

  /// Called each time a task has ended; must not destroy the set.
  std::function<void()> on_ended;

 private:
  class root;
  static root run(task_set& set, task<> work);
  void ended();

  list_link running_;
  std::size_t size_ = 0;
  std::uint64_t thrown_ = 0;
};

}  // namespace halfopen::net
