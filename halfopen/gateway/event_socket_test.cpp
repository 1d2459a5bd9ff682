#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <halfopen/gateway/event_socket.hpp>

namespace halfopen::gateway {
namespace {

/// A channel that takes bytes when it is told to.
struct tested final : event_socket {
  explicit tested(net::event_loop& l) : event_socket{l} {
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds.data()), 0);
    far = net::unique_fd{fds[1]};
    EXPECT_TRUE(open(net::unique_fd{fds[0]}));
  }
  void say(std::string_view text) const {
    EXPECT_EQ(::send(far.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  void take() {
    while (is_open() && may_read()) {
      auto const r = read();
      end = r.end;
      if (r.end != read_end::data) return;
      got += r.bytes;
    }
  }
  void shut() { close(); }

  net::unique_fd far;
  bool takes = true;  // when it is told
  bool closes = false;
  std::string got;
  read_end end = read_end::data;
  int times = 0;

 private:
  [[nodiscard]] bool wants_bytes() const noexcept override { return true; }
  void on_readable() override {
    ++times;
    if (closes) return close();
    if (takes) take();
  }
  void on_drained() override {}
  void on_broken() override {}
  void on_peer_closed() override {}
};

/// Every test with the ring (where this host allows it) and without.
struct event_socket_flow : testing::TestWithParam<bool> {
  std::unique_ptr<net::event_loop> loop = std::move(net::event_loop::make({.ring = GetParam()}).value());
  std::vector<std::unique_ptr<tested>> channels(std::size_t n) {
    std::vector<std::unique_ptr<tested>> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(std::make_unique<tested>(*loop));
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(with_and_without_a_ring, event_socket_flow, testing::Bool());

TEST_P(event_socket_flow, keeps_the_order_of_bytes_that_nobody_took_when_they_were_told) {
  auto const all = channels(4);
  for (auto const& c : all) {
    c->takes = false;
    c->say("one ");
  }
  loop->run_once({});
  for (auto const& c : all) c->say("two ");
  loop->run_once({});
  for (auto const& c : all) {
    EXPECT_EQ(c->times, 2);
    c->take();
    EXPECT_EQ(c->got, "one two ");
  }
}

TEST_P(event_socket_flow, finds_the_end_behind_bytes_that_nobody_took) {
  auto const all = channels(4);
  for (auto const& c : all) {
    c->takes = false;
    c->say("last");
    c->far.reset();
  }
  loop->run_once({});
  for (auto const& c : all) {
    c->take();
    EXPECT_EQ(c->got, "last");
    EXPECT_EQ(c->end, event_socket::read_end::closed);
  }
}

TEST_P(event_socket_flow, takes_what_is_longer_than_is_read_ahead) {
  auto const all = channels(4);
  std::string const text = std::string(net::scratch_area::slot_size, 'a') + std::string(70'000, 'b');
  for (auto const& c : all) c->say(text);
  loop->run_once({});
  for (auto const& c : all) EXPECT_EQ(c->got, text);
}

TEST_P(event_socket_flow, may_be_closed_while_it_is_told) {
  auto const all = channels(4);
  for (auto const& c : all) {
    c->closes = true;
    c->say("x");
  }
  loop->run_once({});
  for (auto const& c : all) {
    EXPECT_FALSE(c->is_open());
    EXPECT_EQ(c->times, 1);
  }
}

}  // namespace
}  // namespace halfopen::gateway
