#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <halfopen/net/send_queue.hpp>
#include <halfopen/net/unique_fd.hpp>

namespace halfopen::net {
namespace {

struct sender final : send_queue::entry {
  std::string rest;
  std::optional<int> error;
  sender* victim = nullptr;
  std::optional<sender>* owner = nullptr;

 private:
  void on_unsent(std::string_view a, std::string_view b, int e) override {
    rest = std::string{a} + std::string{b};
    error = e;
    if (owner != nullptr) owner->reset();
  }
};

struct pair {
  pair() {
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds.data()), 0);
    near = unique_fd{fds[0]};
    far = unique_fd{fds[1]};
  }
  [[nodiscard]] std::string arrived() const {
    std::string bytes(1 << 20, 0);
    auto const n = ::recv(far.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return bytes;
  }
  unique_fd near;
  unique_fd far;
};

/// Every test with the ring (where this host allows it) and without.
struct send_queue_flow : testing::TestWithParam<bool> {
  scratch_area scratch{64 * 1024};
  call_batch together{GetParam()};
  send_queue queue{scratch, together};
};
INSTANTIATE_TEST_SUITE_P(with_and_without_a_ring, send_queue_flow, testing::Bool());

TEST_P(send_queue_flow, sends_what_was_added_when_it_is_flushed) {
  std::vector<pair> pairs(20);
  std::vector<sender> senders(20);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    ASSERT_TRUE(queue.add(senders[i], pairs[i].near.get(), "a", std::to_string(i)));
  EXPECT_EQ(pairs[0].arrived(), "");
  queue.flush();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(pairs[i].arrived(), "a" + std::to_string(i));
    EXPECT_FALSE(senders[i].waiting());
    EXPECT_FALSE(senders[i].error);
  }
  EXPECT_TRUE(queue.empty());
}

TEST_P(send_queue_flow, can_be_used_turn_after_turn) {
  std::vector<pair> pairs(5);
  std::vector<sender> senders(5);
  for (int turn = 0; turn < 1000; ++turn) {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      ASSERT_TRUE(queue.add(senders[i], pairs[i].near.get(), std::string(1000, 'x')));
    queue.flush();
    for (auto const& p : pairs) ASSERT_EQ(p.arrived().size(), 1000U);
  }
}

TEST_P(send_queue_flow, refuses_what_is_too_large_or_too_much) {
  pair p;
  sender s;
  EXPECT_FALSE(queue.add(s, p.near.get(), std::string(send_queue::copy_max + 1, 'x')));
  EXPECT_FALSE(s.waiting());
  std::vector<sender> many(send_queue::entries_max);
  std::size_t taken = 0;
  for (auto& each : many) taken += queue.add(each, p.near.get(), "x") ? 1 : 0;
  EXPECT_EQ(taken, send_queue::entries_max);
  EXPECT_FALSE(queue.add(s, p.near.get(), "x"));
  queue.flush();
  EXPECT_EQ(p.arrived().size(), send_queue::entries_max);
}

TEST_P(send_queue_flow, tells_who_could_not_send_and_why) {
  std::vector<pair> pairs(4);
  std::vector<sender> senders(4);
  pairs[1].far.reset();
  std::string const filler(1 << 20, 'f');
  while (::send(pairs[2].near.get(), filler.data(), filler.size(), MSG_NOSIGNAL) > 0) {
  }
  for (std::size_t i = 0; i < pairs.size(); ++i)
    ASSERT_TRUE(queue.add(senders[i], pairs[i].near.get(), "hello"));
  queue.flush();
  EXPECT_FALSE(senders[0].error);
  EXPECT_EQ(senders[1].error, EPIPE);
  EXPECT_EQ(senders[2].error, 0) << "no room is not an error";
  EXPECT_EQ(senders[2].rest, "hello");
  EXPECT_FALSE(senders[3].error);
}

/// Puts bytes where they would have been received.
std::string_view receive(scratch_area& into, std::string_view what) {
  auto const window = into.window();
  what.copy(window.data(), what.size());
  return {window.data(), what.size()};
}

TEST_P(send_queue_flow, sends_from_the_scratch_area_without_a_copy) {
  std::vector<pair> pairs(5);
  std::vector<sender> senders(5);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto const body = receive(scratch, std::string(20'000, static_cast<char>('a' + i)));
    ASSERT_TRUE(queue.add(senders[i], pairs[i].near.get(), "head", body));
    EXPECT_GE(scratch.window().data(), body.data() + body.size());
  }
  queue.flush();
  for (std::size_t i = 0; i < pairs.size(); ++i)
    EXPECT_EQ(pairs[i].arrived(), "head" + std::string(20'000, static_cast<char>('a' + i)));
  EXPECT_EQ(scratch.kept(), 0U);
}

TEST_P(send_queue_flow, keeps_only_so_much_of_the_scratch_area) {
  std::vector<pair> pairs(10);
  std::vector<sender> senders(10);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto const body = receive(scratch, std::string(60'000, 'x'));
    if (!queue.add(senders[i], pairs[i].near.get(), {}, body)) break;
    ++taken;
  }
  EXPECT_EQ(taken, scratch_area::kept_max / 60'032);
  EXPECT_TRUE(queue.is_full());
  queue.flush();
  EXPECT_FALSE(queue.is_full());
  for (std::size_t i = 0; i < taken; ++i) EXPECT_EQ(pairs[i].arrived().size(), 60'000U);
}

TEST_P(send_queue_flow, gives_back_both_pieces_of_what_is_cut) {
  std::vector<pair> pairs(4);
  std::vector<sender> senders(4);
  int const small = 4096;
  for (auto& p : pairs) ::setsockopt(p.near.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  std::string const body(60'000, 'b');
  for (std::size_t i = 0; i < pairs.size(); ++i)
    ASSERT_TRUE(queue.add(senders[i], pairs[i].near.get(), std::string(3000, 'a'), receive(scratch, body)));
  queue.flush();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_EQ(senders[i].error, 0);
    EXPECT_EQ(pairs[i].arrived() + senders[i].rest, std::string(3000, 'a') + body);
  }
}

TEST_P(send_queue_flow, forgets_what_is_withdrawn_or_destroyed) {
  std::vector<pair> pairs(4);
  sender stays;
  sender withdrawn;
  ASSERT_TRUE(queue.add(stays, pairs[0].near.get(), "stays"));
  ASSERT_TRUE(queue.add(withdrawn, pairs[1].near.get(), "withdrawn"));
  {
    sender destroyed;
    ASSERT_TRUE(queue.add(destroyed, pairs[2].near.get(), "destroyed"));
  }
  EXPECT_EQ(queue.withdraw(withdrawn).a, "withdrawn");
  queue.flush();
  EXPECT_EQ(pairs[0].arrived(), "stays");
  EXPECT_EQ(pairs[1].arrived(), "");
  EXPECT_EQ(pairs[2].arrived(), "");
}

TEST_P(send_queue_flow, lets_one_in_trouble_destroy_another) {
  std::vector<pair> pairs(4);
  for (auto& p : pairs) p.far.reset();
  std::vector<sender> senders(3);
  std::optional<sender> gone{std::in_place};
  senders[0].owner = &gone;
  for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(queue.add(senders[i], pairs[i].near.get(), "x"));
  ASSERT_TRUE(queue.add(*gone, pairs[3].near.get(), "x"));
  queue.flush();
  EXPECT_FALSE(gone.has_value());
  EXPECT_EQ(senders[2].error, EPIPE);
}

TEST(send_queue, falls_back_when_another_thread_uses_its_ring) {
  // A ring belongs to the thread that made it; the sends must leave all the same.
  scratch_area scratch{64 * 1024};
  call_batch together{true};
  send_queue queue{scratch, together};
  std::vector<pair> pairs(8);
  std::vector<sender> senders(8);
  auto const turn = [&] {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      EXPECT_TRUE(queue.add(senders[i], pairs[i].near.get(), "x"));
    queue.flush();
    for (auto const& p : pairs) EXPECT_EQ(p.arrived(), "x");
  };
  turn();
  std::thread{turn}.join();
}

}  // namespace
}  // namespace halfopen::net
