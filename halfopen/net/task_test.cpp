#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <halfopen/net/loop_fixture.hpp>
#include <halfopen/net/started.hpp>
#include <halfopen/net/stream.hpp>
#include <halfopen/net/task.hpp>
#include <halfopen/net/task_set.hpp>

namespace halfopen::net {
namespace {

using namespace std::chrono_literals;

using task_flow = loop_fixture;

/// Counts how many of it are alive.
struct alive {
  explicit alive(int& n) : count{&n} { ++*count; }
  alive(alive&& other) noexcept : count{std::exchange(other.count, nullptr)} {}
  alive(alive const&) = delete;
  alive& operator=(alive const&) = delete;
  ~alive() {
    if (count != nullptr) --*count;
  }
  int* count;
};

task<int> wait_deep(event_loop& loop, int depth, int& living, instant until) {
  alive const here{living};
  if (depth == 0) {
    co_await sleep_until{loop, until};
    co_return 1;
  }
  int const below = co_await wait_deep(loop, depth - 1, living, until);
  co_return below + 1;
}

TEST_F(task_flow, hands_a_value_up_through_every_level) {
  int living = 0;
  EXPECT_EQ(run(wait_deep(*loop, 10, living, in(1ms))), 11);
  EXPECT_EQ(living, 0);
}

TEST_F(task_flow, destroys_every_level_when_it_is_cancelled) {
  int living = 0;
  auto const drop = [](event_loop& on, int& n, instant until) -> task<> {
    (void)co_await wait_deep(on, 10, n, until);
  };
  {
    task_set tasks;
    tasks.spawn(drop(*loop, living, in(1h)));
    EXPECT_EQ(living, 11);
  }
  EXPECT_EQ(living, 0);
  EXPECT_EQ(loop->timers().size(), 0U);
}

TEST_F(task_flow, destroys_its_parameters_once) {
  int living = 0;
  auto const take = [](alive one, std::unique_ptr<alive> other) -> task<int> {
    co_return *one.count + *other->count;
  };
  EXPECT_EQ(run(take(alive{living}, std::make_unique<alive>(living))), 4);
  EXPECT_EQ(living, 0);
  {
    auto const never_run = take(alive{living}, std::make_unique<alive>(living));
  }
  EXPECT_EQ(living, 0);
}

TEST_F(task_flow, carries_what_is_thrown_to_the_one_who_waits) {
  auto const thrower = []() -> task<int> {
    throw std::runtime_error{"cargo"};
    co_return 1;
  };
  auto const catcher = [](task<int> from) -> task<std::string> {
    try {
      (void)co_await std::move(from);
    } catch (std::runtime_error const& e) {
      co_return e.what();
    }
    co_return "";
  };
  EXPECT_EQ(run(catcher(thrower())), "cargo");
}

TEST_F(task_flow, counts_what_leaves_a_spawned_task) {
  auto const thrower = []() -> task<> {
    throw std::runtime_error{"lost"};
    co_return;
  };
  task_set tasks;
  tasks.spawn(thrower());
  EXPECT_EQ(tasks.thrown(), 1U);
  EXPECT_EQ(tasks.size(), 0U);
}

TEST_F(task_flow, tells_when_each_task_has_ended) {
  auto const nap = [](event_loop& on, instant until) -> task<> { co_await sleep_until{on, until}; };
  task_set tasks;
  int ended = 0;
  tasks.on_ended = [&] { ++ended; };
  for (int i = 0; i < 3; ++i) tasks.spawn(nap(*loop, in(i * 1ms)));
  EXPECT_TRUE(run_until([&] { return tasks.size() == 0; }));
  EXPECT_EQ(ended, 3);
}

struct keeper {
  std::optional<int>* result;
  std::optional<started<int, keeper>>* self = nullptr;
  void operator()(int n) const {
    *result = n;
    if (self != nullptr) self->reset();
  }
};

TEST_F(task_flow, tells_plain_code_when_a_started_task_ends) {
  int living = 0;
  std::optional<int> result;
  started<int, keeper> const op{wait_deep(*loop, 2, living, in(1ms)), keeper{&result}};
  EXPECT_FALSE(result);
  EXPECT_TRUE(run_until([&] { return result.has_value(); }));
  EXPECT_EQ(*result, 3);
}

TEST_F(task_flow, may_be_destroyed_by_what_a_started_task_tells) {
  int living = 0;
  std::optional<int> result;
  std::optional<started<int, keeper>> op;
  op.emplace(wait_deep(*loop, 2, living, in(1ms)), keeper{&result, &op});
  EXPECT_TRUE(run_until([&] { return result.has_value(); }));
  EXPECT_FALSE(op.has_value());
  EXPECT_EQ(living, 0);
}

TEST_F(task_flow, calls_a_started_task_off) {
  int living = 0;
  std::optional<int> result;
  {
    started<int, keeper> const op{wait_deep(*loop, 2, living, in(1ms)), keeper{&result}};
    EXPECT_EQ(living, 3);
  }
  EXPECT_EQ(living, 0);
  EXPECT_FALSE(result);
}

}  // namespace
}  // namespace halfopen::net
