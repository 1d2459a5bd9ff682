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
}

}  // namespace
}  // namespace halfopen::net
