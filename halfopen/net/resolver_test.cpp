#include <atomic>
#include <future>
#include <string>

#include <gtest/gtest.h>

#include <halfopen/net/loop_fixture.hpp>
#include <halfopen/net/resolver.hpp>

namespace halfopen::net {
namespace {

using namespace std::chrono_literals;
using answer = resolver::answer;

answer loopback() { return std::vector{endpoint::loopback(0)}; }
answer failing(io_errc why) { return unexpected{io_error{why, 0}}; }

struct resolver_flow : loop_fixture {
  answer resolve(resolver& r, std::string host, duration limit = 20s) {
    return run(r.resolve(*loop, std::move(host), 80, in(limit))).value_or(failing(io_errc::other));
  }
};

TEST_F(resolver_flow, answers_a_numeric_address_without_asking) {
  resolver r{{.look_up = [](std::string const&) { return failing(io_errc::other); }}};
  EXPECT_EQ(resolve(r, "127.0.0.1").value().front().text(), "127.0.0.1:80");
  EXPECT_EQ(resolve(r, "[::1]").value().front().text(), "[::1]:80");
}

TEST_F(resolver_flow, asks_the_system_for_a_name) {
  resolver r;
  EXPECT_TRUE(resolve(r, "localhost").value().front().is_loopback());
}

TEST_F(resolver_flow, asks_once_and_remembers) {
  std::atomic<int> asked = 0;
  resolver r{{.look_up = [&](std::string const&) {
    ++asked;
    return loopback();
  }}};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(resolve(r, "a").value().front().text(), "127.0.0.1:80");
  EXPECT_EQ(asked, 1);
}

TEST_F(resolver_flow, asks_again_when_the_answer_has_expired) {
  std::atomic<int> asked = 0;
  resolver r{{.ttl = 0ns, .look_up = [&](std::string const&) {
                ++asked;
                return loopback();
              }}};
  (void)resolve(r, "a");
  (void)resolve(r, "a");
  EXPECT_EQ(asked, 2);
}

TEST_F(resolver_flow, remembers_that_there_is_no_answer) {
  std::atomic<int> asked = 0;
  resolver r{{.failure_ttl = 1h, .look_up = [&](std::string const&) {
                ++asked;
                return failing(io_errc::name_unknown);
              }}};
  EXPECT_EQ(resolve(r, "a").error().why, io_errc::name_unknown);
  EXPECT_EQ(resolve(r, "a").error().why, io_errc::name_unknown);
  EXPECT_EQ(asked, 1);
}

TEST_F(resolver_flow,
       keeps_the_old_answer_while_the_name_service_is_down_and_drops_it_when_the_name_is_gone) {
  std::atomic<int> asked = 0;
  resolver r{{.ttl = 0ns, .failure_ttl = 0ns, .look_up = [&](std::string const&) {
                switch (++asked) {
                  case 1: return loopback();
                  case 2: return failing(io_errc::name_failed);
                  default: return failing(io_errc::name_unknown);
                }
              }}};
  EXPECT_TRUE(resolve(r, "a"));
  EXPECT_TRUE(resolve(r, "a"));
  EXPECT_EQ(resolve(r, "a").error().why, io_errc::name_unknown);
}

struct blocked_resolver : resolver_flow {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  std::shared_ptr<std::atomic<int>> count =
      std::make_shared<std::atomic<int>>(0);  // a lookup may outlive the test
  std::atomic<int>& asked = *count;
  resolver_options options(std::size_t queue_max = 256) {
    return {.queue_max = queue_max, .look_up = [gate = released, n = count](std::string const&) {
              ++*n;
              gate.wait();
              return loopback();
            }};
  }
};

TEST_F(blocked_resolver, keeps_the_deadline_of_those_who_wait) {
  resolver r{options()};
  EXPECT_EQ(resolve(r, "a", 20ms).error().why, io_errc::timed_out);
  release.set_value();
}

TEST_F(blocked_resolver, serves_all_who_ask_for_one_name_with_one_lookup) {
  resolver r{options()};
  int answered = 0;
  task_set tasks;
  auto const ask = [](resolver& from, event_loop& on, instant deadline, int& n) -> task<> {
    auto const found = co_await from.resolve(on, "a", 80, deadline);
    if (found) ++n;
  };
  for (int i = 0; i < 10; ++i) tasks.spawn(ask(r, *loop, in(20s), answered));
  release.set_value();
  EXPECT_TRUE(run_until([&] { return answered == 10; }));
  EXPECT_EQ(asked, 1);
}

TEST_F(blocked_resolver, refuses_what_its_queue_cannot_hold) {
  resolver r{options(1)};
  task_set tasks;
  auto const ask = [](resolver& from, event_loop& on, std::string host, instant deadline) -> task<> {
    (void)co_await from.resolve(on, std::move(host), 80, deadline);
  };
  tasks.spawn(ask(r, *loop, "running", in(20s)));
  EXPECT_TRUE(run_until([&] { return asked == 1; }));
  tasks.spawn(ask(r, *loop, "queued", in(20s)));
  EXPECT_EQ(resolve(r, "refused").error().why, io_errc::busy);
  release.set_value();
}

TEST_F(blocked_resolver, lets_those_who_wait_go_away) {
  resolver r{options()};
  {
    task_set tasks;
    auto const ask = [](resolver& from, event_loop& on, instant deadline) -> task<> {
      (void)co_await from.resolve(on, "a", 80, deadline);
    };
    tasks.spawn(ask(r, *loop, in(20s)));
  }
  release.set_value();
  EXPECT_TRUE(resolve(r, "a"));
}

task<> ask_for_a(resolver& from, event_loop& on, instant deadline) {
  (void)co_await from.resolve(on, "a", 80, deadline);
}

TEST_F(blocked_resolver, leaves_a_loop_alone_that_has_gone) {
  resolver r{options()};
  {
    auto other = event_loop::make().value();
    task_set tasks;
    tasks.spawn(ask_for_a(r, *other, in(20s)));
  }
  release.set_value();
  EXPECT_TRUE(resolve(r, "a"));
}

TEST_F(blocked_resolver, drops_an_answer_that_is_on_its_way_to_one_who_has_gone) {
  resolver r{options()};
  auto other = event_loop::make().value();
  {
    task_set tasks;
    tasks.spawn(ask_for_a(r, *other, in(20s)));
    release.set_value();
    EXPECT_TRUE(resolve(r, "a"));  // now the other loop has been told as well
  }
  other->run_once(1s);
}

TEST_F(blocked_resolver, does_not_wait_for_a_running_lookup_when_it_goes) {
  {
    resolver r{options()};
    EXPECT_EQ(resolve(r, "a", 1ms).error().why, io_errc::timed_out);
    EXPECT_TRUE(run_until([&] { return asked == 1; }));
  }
  release.set_value();
}

}  // namespace
}  // namespace halfopen::net
