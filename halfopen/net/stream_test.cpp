#include <array>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <halfopen/net/listener.hpp>
#include <halfopen/net/loop_fixture.hpp>
#include <halfopen/net/stream.hpp>

namespace halfopen::net {
namespace {

using namespace std::chrono_literals;

struct stream_fixture : loop_fixture {
  /// Two ends of one connection.
  void SetUp() override {
    auto listening = listener::bind(*loop, endpoint::loopback(0)).value();
    auto dialled = run(connect(*loop, listening.local(), in(10s)));
    ASSERT_TRUE(dialled && *dialled);
    near = std::move(**dialled);
    auto accepted = run(accept_one(listening));
    ASSERT_TRUE(accepted && *accepted);
    far = stream::adopt(*loop, std::move(**accepted)).value();
  }

  static task<expected<unique_fd, io_error>> accept_one(listener& l) { co_return co_await l.accept(); }

  static task<expected<std::string, io_error>> read_once(stream& s, instant deadline) {
    auto const bytes = co_await s.receive(deadline);
    if (!bytes) co_return unexpected{bytes.error()};
    co_return std::string{bytes->data(), bytes->size()};
  }

  static task<expected<std::string, io_error>> read_to_end(stream& s, instant deadline) {
    std::string all;
    for (;;) {
      auto const bytes = co_await s.receive(deadline);
      if (!bytes) co_return unexpected{bytes.error()};
      if (bytes->empty()) co_return all;
      all.append(bytes->data(), bytes->size());
    }
  }

  static task<expected<void, io_error>> write(stream& s, std::string_view bytes, instant deadline) {
    co_return co_await s.send(bytes, deadline);
  }

  stream near;
  stream far;
};

using stream_flow = stream_fixture;

TEST_F(stream_flow, carries_bytes_both_ways) {
  ASSERT_TRUE(run(write(near, "ping", in(10s))).value());
  EXPECT_EQ(run(read_once(far, in(10s)))->value(), "ping");
  ASSERT_TRUE(run(write(far, "pong", in(10s))).value());
  EXPECT_EQ(run(read_once(near, in(10s)))->value(), "pong");
}

TEST_F(stream_flow, ends_a_receive_at_its_deadline) {
  auto const answer = run(read_once(near, in(20ms)));
  EXPECT_EQ(answer->error().why, io_errc::timed_out);
  ASSERT_TRUE(run(write(far, "late", in(10s))).value());
  EXPECT_EQ(run(read_once(near, in(10s)))->value(), "late") << "a deadline ends the wait, not the stream";
}

TEST_F(stream_flow, sees_the_end_and_can_still_send) {
  near.shutdown_send();
  EXPECT_EQ(run(read_to_end(far, in(10s)))->value(), "");
  EXPECT_TRUE(far.peer_closed());
  EXPECT_FALSE(far.broken());
  ASSERT_TRUE(run(write(far, "answer", in(10s))).value());
  EXPECT_EQ(run(read_once(near, in(10s)))->value(), "answer");
}

TEST_F(stream_flow, reads_what_came_with_the_end) {
  ASSERT_TRUE(run(write(near, "last words", in(10s))).value());
  near.shutdown_send();
  EXPECT_EQ(run(read_to_end(far, in(10s)))->value(), "last words");
}

TEST_F(stream_flow, reads_what_came_before_it_was_first_asked) {
  ASSERT_TRUE(run(write(near, "early", in(10s))).value());
  for (int i = 0; i < 3; ++i) loop->run_once(1ms);
  EXPECT_FALSE(far.quiet());
  EXPECT_EQ(run(read_once(far, in(10s)))->value(), "early");
  EXPECT_TRUE(far.quiet());
}

TEST_F(stream_flow, reports_a_reset_and_never_a_signal) {
  ::linger const at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(far.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  far.abort();
  EXPECT_EQ(run(read_once(near, in(10s)))->error().why, io_errc::reset);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(write(near, "x", in(10s)))->error().why, io_errc::reset);
  EXPECT_TRUE(near.broken());
}

TEST_F(stream_flow, fails_at_once_when_it_is_empty_or_aborted) {
  stream none;
  EXPECT_EQ(run(read_once(none, in(10s)))->error().why, io_errc::closed);
  EXPECT_EQ(run(write(none, "x", in(10s)))->error().why, io_errc::closed);
  near.abort();
  near.abort();
  EXPECT_EQ(run(read_once(near, in(10s)))->error().why, io_errc::cancelled);
  EXPECT_EQ(run(write(near, "x", in(10s)))->error().why, io_errc::cancelled);
}

// More than both sockets' buffers hold: the sender has to wait, and goes on where it stopped.
constexpr std::size_t a_lot = 30'000'000;

std::string pattern(std::size_t size) {
  std::string bytes(size, 0);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>('a' + (i * 7 + i / 251) % 26);
  return bytes;
}

TEST_F(stream_flow, sends_more_than_the_socket_holds) {
  std::string const bytes = pattern(a_lot);
  std::optional<expected<void, io_error>> sent;
  auto const send = [](stream& s, std::string const& all,
                       std::optional<expected<void, io_error>>& out) -> task<> {
    iovec const pieces[] = {{const_cast<char*>(all.data()), 10},
                            {nullptr, 0},
                            {const_cast<char*>(all.data()) + 10, a_lot - 20},
                            {const_cast<char*>(all.data()) + a_lot - 10, 10}};
    out = co_await s.send(pieces, steady_now() + 20s);
    s.shutdown_send();
  };
  task_set tasks;
  tasks.spawn(send(near, bytes, sent));
  EXPECT_FALSE(sent) << "nobody has read yet, so the sender must wait";
  EXPECT_TRUE(run(read_to_end(far, in(20s)))->value() == bytes);
  EXPECT_TRUE(sent && *sent);
}

TEST_F(stream_flow, ends_a_send_at_its_deadline_when_nobody_reads) {
  std::string const bytes(a_lot, 'x');
  EXPECT_EQ(run(write(near, bytes, in(30ms)))->error().why, io_errc::timed_out);
}

TEST_F(stream_flow, keeps_scratch_bytes_over_a_wait) {
  std::string const bytes = pattern(a_lot);
  auto const relay = [](stream& from, stream& to) -> task<> {
    for (;;) {
      auto const got = co_await from.receive(steady_now() + 20s);
      if (!got || got->empty()) break;
      auto const sent = co_await to.send({got->data(), got->size()}, steady_now() + 20s);
      if (!sent) break;
    }
    to.shutdown_send();
  };
  auto const send = [](stream& s, std::string const& all) -> task<> {
    (void)co_await s.send(all, steady_now() + 20s);
    s.shutdown_send();
  };
  stream source = std::move(near);
  stream relay_in = std::move(far);
  SetUp();
  task_set tasks;
  tasks.spawn(send(source, bytes));
  tasks.spawn(relay(relay_in, near));
  EXPECT_TRUE(run(read_to_end(far, in(20s)))->value() == bytes);
}

TEST_F(stream_flow, can_be_destroyed_under_an_operation) {
  std::optional<io_errc> why;
  auto const wait = [](stream& s, std::optional<io_errc>& out) -> task<> {
    auto const got = co_await s.receive(steady_now() + 20s);
    out = got ? io_errc::other : got.error().why;
  };
  task_set tasks;
  tasks.spawn(wait(near, why));
  near = stream{};
  EXPECT_TRUE(run_until([&] { return why.has_value(); }));
  EXPECT_EQ(*why, io_errc::cancelled);
}

TEST_F(stream_flow, lets_go_of_an_operation_that_is_destroyed) {
  auto const wait = [](stream& s) -> task<> { (void)co_await s.receive(steady_now() + 20s); };
  {
    task_set tasks;
    tasks.spawn(wait(near));
    EXPECT_EQ(tasks.size(), 1U);
  }
  EXPECT_EQ(loop->timers().size(), 0U);
  ASSERT_TRUE(run(write(far, "ping", in(10s))).value());
  EXPECT_EQ(run(read_once(near, in(10s)))->value(), "ping");
}

TEST_F(stream_flow, can_be_cancelled_when_it_is_about_to_go_on) {
  auto const wait = [](stream& s, int& woken) -> task<> {
    (void)co_await s.receive(steady_now() + 20s);
    ++woken;
  };
  int woken = 0;
  {
    task_set tasks;
    tasks.spawn(wait(near, woken));
    near.abort();  // the answer is on its way to the task
  }
  loop->run_once(0ms);
  EXPECT_EQ(woken, 0);
}

TEST_F(stream_flow, tells_an_idle_stream_from_one_that_has_something) {
  int told = 0;
  near.listen([](void* n, readiness) { ++*static_cast<int*>(n); }, &told);
  loop->run_once(1ms);
  EXPECT_TRUE(near.quiet());
  EXPECT_EQ(told, 0);
  far = stream{};
  EXPECT_TRUE(run_until([&] { return told != 0; }));
  EXPECT_FALSE(near.quiet());
}

TEST_F(stream_flow, may_be_destroyed_by_what_it_tells) {
  auto owned = std::make_unique<stream>(std::move(near));
  owned->listen([](void* self, readiness) { static_cast<std::unique_ptr<stream>*>(self)->reset(); }, &owned);
  far = stream{};
  EXPECT_TRUE(run_until([&] { return owned == nullptr; }));
}

TEST_F(stream_flow, may_destroy_another_that_is_ready_too) {
  // Two streams get bytes before the loop looks; whichever is told first destroys the other.
  struct fate {
    std::unique_ptr<stream>* other;
    int* told;
  };
  int told = 0;
  auto one = std::make_unique<stream>(std::move(near));
  stream const peer_of_one = std::move(far);
  SetUp();
  auto two = std::make_unique<stream>(std::move(near));
  auto const kill = [](void* f, readiness) {
    ++*static_cast<fate*>(f)->told;
    static_cast<fate*>(f)->other->reset();
  };
  fate of_one{&two, &told};
  fate of_two{&one, &told};
  one->listen(kill, &of_one);
  two->listen(kill, &of_two);
  ASSERT_EQ(::send(peer_of_one.fd(), "x", 1, MSG_NOSIGNAL), 1);
  ASSERT_EQ(::send(far.fd(), "x", 1, MSG_NOSIGNAL), 1);
  EXPECT_TRUE(run_until([&] { return told != 0; }));
  loop->run_once(1ms);
  EXPECT_EQ(told, 1);
}

TEST_F(stream_flow, gives_the_others_a_turn) {
  // One peer that never stops sending, one timer: without turns the reader would run for ever.
  std::string const bytes(4'000'000, 'x');
  std::size_t read = 0;
  auto const send = [](stream& s, std::string const& all) -> task<> {
    (void)co_await s.send(all, steady_now() + 20s);
  };
  auto const drain = [](stream& s, std::size_t& n) -> task<> {
    std::array<char, 16> few;
    for (;;) {
      auto const got = co_await s.receive(few, steady_now() + 20s);
      if (!got || got->empty()) co_return;
      n += got->size();
    }
  };
  task_set tasks;
  tasks.spawn(send(far, bytes));
  loop->run_once(1ms);
  tasks.spawn(drain(near, read));
  loop->run_once(1ms);
  EXPECT_GT(read, 0U);
  EXPECT_LT(read, 16U * 64 * 4);
}

TEST_F(stream_flow, lingers_until_the_peer_has_read_and_closed) {
  ASSERT_TRUE(run(write(far, std::string(100'000, 'x'), in(10s))).value());
  ASSERT_TRUE(run(write(near, "refused", in(10s))).value());
  task_set tasks;
  tasks.spawn(net::linger(near, 1 << 20, in(20s)));
  EXPECT_EQ(run(read_to_end(far, in(10s)))->value(), "refused");
  far = stream{};
  EXPECT_TRUE(run_until([&] { return tasks.size() == 0; }));
}

struct connecting : loop_fixture {};

TEST_F(connecting, says_that_nobody_listens) {
  std::uint16_t port = 0;
  {
    port = listener::bind(*loop, endpoint::loopback(0)).value().local().port();
  }
  auto const made = run(connect(*loop, endpoint::loopback(port), in(10s)));
  EXPECT_EQ(made->error().why, io_errc::refused);
}

TEST_F(connecting, keeps_its_deadline) {
  // A listener whose queue is full does not answer: the only portable way to a connect that hangs.
  auto full = listener::bind(*loop, endpoint::loopback(0), {.backlog = 0}).value();
  std::vector<stream> queued;
  io_errc why{};
  for (int i = 0; i < 10 && why == io_errc{}; ++i) {
    auto made = run(connect(*loop, full.local(), in(50ms)));
    if (!*made)
      why = made->error().why;
    else
      queued.push_back(std::move(**made));
  }
  EXPECT_EQ(why, io_errc::timed_out);
}

TEST_F(connecting, reports_an_address_it_cannot_use) {
  auto const made = run(connect(*loop, endpoint::parse("255.255.255.255:9").value(), in(10s)));
  ASSERT_FALSE(made->has_value());
}

}  // namespace
}  // namespace halfopen::net
