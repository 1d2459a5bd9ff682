#include <cerrno>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <halfopen/net/http_client.hpp>
#include <halfopen/net/listener.hpp>
#include <halfopen/net/loop_fixture.hpp>
#include <halfopen/net/stream.hpp>

namespace halfopen::net {
namespace {

using namespace std::chrono_literals;

struct listening : loop_fixture {
  static task<> accept_all(listener& from, std::vector<unique_fd>& into, std::optional<io_errc>& ended) {
    for (;;) {
      auto fd = co_await from.accept();
      if (!fd) {
        ended = fd.error().why;
        co_return;
      }
      into.push_back(std::move(*fd));
    }
  }

  std::vector<unique_fd> accepted;
  std::optional<io_errc> ended;
};

TEST_F(listening, accepts_all_that_come) {
  auto at = listener::bind(*loop, endpoint::loopback(0)).value();
  task_set tasks;
  tasks.spawn(accept_all(at, accepted, ended));
  std::vector<http_client> clients;
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(clients.emplace_back(at.local()).open(20s));
  EXPECT_TRUE(run_until([&] { return accepted.size() == clients.size(); }));
}

TEST_F(listening, costs_nothing_while_nobody_comes) {
  auto at = listener::bind(*loop, endpoint::loopback(0)).value();
  task_set tasks;
  tasks.spawn(accept_all(at, accepted, ended));
  http_client client{at.local()};
  ASSERT_TRUE(client.open(20s));
  EXPECT_TRUE(run_until([&] { return accepted.size() == 1; }));
  int turns = 0;
  for (instant const end = in(50ms); steady_now() < end; ++turns) loop->run_once(60ms);
  EXPECT_LE(turns, 5) << "an accept that waits must not keep the loop awake";
}

TEST_F(listening, ends_an_accept_when_it_is_closed) {
  auto at = listener::bind(*loop, endpoint::loopback(0)).value();
  task_set tasks;
  tasks.spawn(accept_all(at, accepted, ended));
  at.close();
  EXPECT_TRUE(run_until([&] { return ended.has_value(); }));
  EXPECT_EQ(*ended, io_errc::cancelled);
  http_client client{at.local()};
  EXPECT_EQ(client.open(20s).error().why, io_errc::refused);
}

TEST_F(listening, shares_a_port_between_loops) {
  auto other = event_loop::make().value();
  auto first = listener::bind(*loop, endpoint::loopback(0)).value();
  EXPECT_TRUE(listener::bind(*other, first.local()));
  EXPECT_FALSE(listener::bind(*other, first.local(), {.reuse_port = false}));
}

TEST_F(listening, keeps_another_first_one_off_its_port_and_lets_others_join) {
  auto other = event_loop::make().value();
  auto first = listener::bind(*loop, endpoint::loopback(0), {.first = true}).value();
  auto joined = listener::bind(*other, first.local()).value();
  EXPECT_FALSE(listener::bind(*other, first.local(), {.first = true}));
  std::vector<unique_fd> elsewhere;
  task_set tasks;
  tasks.spawn(accept_all(first, accepted, ended));
  tasks.spawn(accept_all(joined, elsewhere, ended));
  std::vector<http_client> clients;
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(clients.emplace_back(first.local()).open(20s));
  EXPECT_TRUE(run_until([&] {
    other->run_once(0ms);
    return accepted.size() + elsewhere.size() == clients.size();
  }));
  EXPECT_FALSE(accepted.empty());
  EXPECT_FALSE(elsewhere.empty());
}

TEST_F(listening, says_that_a_port_is_taken) {
  auto first = listener::bind(*loop, endpoint::loopback(0), {.reuse_port = false}).value();
  EXPECT_EQ(listener::bind(*loop, first.local(), {.reuse_port = false}).error().system, EADDRINUSE);
}

/// Takes every descriptor that the process may still have.
struct no_descriptors_left {
  no_descriptors_left() {
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit less = before;
    less.rlim_cur = 256;
    ::setrlimit(RLIMIT_NOFILE, &less);
    for (;;) {
      unique_fd fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
      if (!fd) break;
      taken.push_back(std::move(fd));
    }
  }
  no_descriptors_left(no_descriptors_left const&) = delete;
  no_descriptors_left& operator=(no_descriptors_left const&) = delete;
  ~no_descriptors_left() { ::setrlimit(RLIMIT_NOFILE, &before); }
  rlimit before{};
  std::vector<unique_fd> taken;
};

TEST_F(listening, closes_what_it_cannot_take_and_takes_again_when_there_is_room) {
  auto at = listener::bind(*loop, endpoint::loopback(0)).value();
  task_set tasks;
  tasks.spawn(accept_all(at, accepted, ended));
  http_client before{at.local()};
  ASSERT_TRUE(before.open(20s));
  // UBSan looks at a type for the first time through a pipe of its own: let it, while there are descriptors.
  EXPECT_TRUE(run_until([&] { return accepted.size() == 1; }));
  http_client first{at.local()};
  ASSERT_TRUE(first.open(20s));  // in the kernel's queue: it needs no descriptor of ours yet
  http_client second{at.local()};
  ASSERT_TRUE(second.open(20s));
  http_client third{at.local()};
  {
    no_descriptors_left const shortage;
    EXPECT_TRUE(run_until([&] { return at.shed() == 2; })) << "the spare descriptor is spare again";
  }
  EXPECT_EQ(first.read_reply(20s).error().why, io_errc::closed) << "the peer is told that there is no room";
  EXPECT_EQ(second.read_reply(20s).error().why, io_errc::closed);
  ASSERT_TRUE(third.open(20s));
  EXPECT_TRUE(run_until([&] { return accepted.size() == 2; }));
  EXPECT_FALSE(ended);
}

}  // namespace
}  // namespace halfopen::net
