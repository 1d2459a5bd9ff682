#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/task.hpp>
#include <halfopen/net/task_set.hpp>

namespace halfopen::net {

/// For tests: a loop, driven by hand until something has come true.
class loop_fixture : public testing::Test {
 protected:
  /// Runs the loop until `done` holds. False when it does not within a generous limit.
  template <class Condition>
  [[nodiscard]] bool run_until(Condition done, duration limit = std::chrono::seconds{20}) {
    instant const end = steady_now() + limit;
    while (!done()) {
      if (steady_now() > end) return false;
      loop->run_once(std::chrono::milliseconds{100});
    }
    return true;
  }

  /// Runs one task to its end.
  template <class T>
  [[nodiscard]] std::optional<T> run(task<T> work) {
    std::optional<T> result;
    {
      task_set tasks;
      tasks.spawn(keep(std::move(work), result));
      EXPECT_TRUE(run_until([&] { return tasks.size() == 0; })) << "the task did not end";
      EXPECT_EQ(tasks.thrown(), 0U);
    }
    return result;
  }

  void run(task<> work) {
    task_set tasks;
    tasks.spawn(std::move(work));
    EXPECT_TRUE(run_until([&] { return tasks.size() == 0; })) << "the task did not end";
    EXPECT_EQ(tasks.thrown(), 0U);
  }

  [[nodiscard]] instant in(duration d) const { return steady_now() + d; }

  std::unique_ptr<event_loop> loop = std::move(event_loop::make().value());

 private:
  template <class T>
  static task<> keep(task<T> work, std::optional<T>& result) {
    task<T> mine = std::move(work);
    result.emplace(co_await std::move(mine));
  }
};

}  // namespace halfopen::net
