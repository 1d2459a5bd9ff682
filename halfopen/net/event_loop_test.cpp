#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/loop_fixture.hpp>
#include <halfopen/net/stream.hpp>

namespace halfopen::net {
namespace {

using namespace std::chrono_literals;

using event_loop_flow = loop_fixture;

TEST_F(event_loop_flow, runs_posted_work_in_order_from_many_threads) {
  constexpr int each = 1000;
  std::vector<int> next(4, 0);
  int done = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < next.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < each; ++i) {
        while (!loop->post([&, t, i] {
          EXPECT_EQ(next[t], i);
          ++next[t];
          ++done;
        }))
          std::this_thread::yield();
      }
    });
  }
  EXPECT_TRUE(run_until([&] { return done == each * 4; }));
  for (auto& t : threads) t.join();
}

TEST_F(event_loop_flow, refuses_more_posted_work_than_its_limit) {
  auto small = event_loop::make({.posted_max = 2}).value();
  int ran = 0;
  EXPECT_TRUE(small->post([&] { ++ran; }));
  EXPECT_TRUE(small->post([&] { ++ran; }));
  EXPECT_FALSE(small->post([&] { ++ran; }));
  small->run_once(1s);
  EXPECT_EQ(ran, 2);
  EXPECT_TRUE(small->post([&] { ++ran; }));
}

TEST_F(event_loop_flow, stops_when_another_thread_says_so) {
  std::thread other{[&] { loop->stop(); }};
  loop->run();
  other.join();
}

TEST_F(event_loop_flow, stops_when_it_was_told_before_it_ran) {
  loop->stop();
  loop->run();
}

TEST_F(event_loop_flow, wakes_for_its_timers) {
  struct flag : timer {
    flag() : timer{[](timer& self, instant) { static_cast<flag&>(self).set = true; }} {}
    bool set = false;
  } flag;
  loop->timers().arm(flag, in(15ms));
  for (int turns = 0; !flag.set && turns < 10; ++turns) loop->run_once(60s);
  EXPECT_TRUE(flag.set);
  EXPECT_GE(loop->now(), flag.due());
  EXPECT_LT(loop->now(), flag.due() + 30s) << "it slept through its timer";
}

TEST_F(event_loop_flow, runs_work_that_posts_work) {
  int depth = 0;
  std::function<void()> again = [&] {
    if (++depth == 10) return;
    EXPECT_TRUE(loop->post(again));
  };
  ASSERT_TRUE(loop->post(again));
  EXPECT_TRUE(run_until([&] { return depth == 10; }));
}

TEST_F(event_loop_flow, drops_a_step_that_is_destroyed_before_its_turn) {
  int ran = 0;
  struct counting : ready_step {
    explicit counting(int& n)
        : ready_step{[](ready_step& self) { ++static_cast<counting&>(self).count; }}, count{n} {}
    int& count;
  };
  counting stays{ran};
  {
    counting goes{ran};
    loop->run_next(goes);
    loop->run_later(stays);
  }
  loop->run_once(0ms);
  EXPECT_EQ(ran, 1);
}

TEST_F(event_loop_flow, sleeps_until_an_instant) {
  auto const sleep = [](event_loop& on, instant at) -> task<bool> {
    co_await sleep_until{on, at};
    co_return on.now() >= at;
  };
  EXPECT_TRUE(run(sleep(*loop, in(10ms))).value());
  EXPECT_TRUE(run(sleep(*loop, in(-10ms))).value());
}

/// Sends back what it receives, from where it lies.
struct echo final : io_source, send_queue::entry {
  echo(event_loop& l, unique_fd f) : loop{l}, fd{std::move(f)} { EXPECT_TRUE(loop.watch(fd.get(), *this)); }
  ~echo() { loop.unwatch(fd.get(), *this); }
  void on_ready(readiness r) override {
    auto const window = loop.scratch();
    auto const n = r.readable ? ::recv(fd.get(), window.data(), window.size(), 0) : 0;
    if (n > 0 && !loop.sends().add(*this, fd.get(), {window.data(), static_cast<std::size_t>(n)})) ++refused;
  }
  void on_unsent(std::string_view, std::string_view, int) override { ++unsent; }
  event_loop& loop;
  unique_fd fd;
  int refused = 0;
  int unsent = 0;
};

TEST_F(event_loop_flow, sends_what_fills_its_memory_before_the_turn_ends) {
  std::vector<unique_fd> peers;
  std::vector<std::unique_ptr<echo>> echoes;
  std::string const bytes(40'000, 'x');
  for (int i = 0; i < 30; ++i) {
    int fds[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    peers.emplace_back(fds[0]);
    echoes.push_back(std::make_unique<echo>(*loop, unique_fd{fds[1]}));
    ASSERT_EQ(::send(fds[0], bytes.data(), bytes.size(), 0), 40'000);
  }
  loop->run_once(1s);
  std::string back(bytes.size(), 0);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    EXPECT_EQ(echoes[i]->refused + echoes[i]->unsent, 0) << i;
    EXPECT_EQ(::recv(peers[i].get(), back.data(), back.size(), 0), 40'000);
  }
}

TEST_F(event_loop_flow, goes_away_with_work_and_timers_still_waiting) {
  struct nothing : timer {
    nothing() : timer{[](timer&, instant) {}} {}
  } t;
  auto gone = event_loop::make().value();
  gone->timers().arm(t, in(1h));
  ASSERT_TRUE(gone->post([] {}));
  gone.reset();
  EXPECT_FALSE(t.armed());
}

}  // namespace
}  // namespace halfopen::net
