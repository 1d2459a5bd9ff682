#include <array>
#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <halfopen/net/event_loop.hpp>

namespace halfopen::net {
namespace {

/// One end of a connection, watched; the test holds the other.
struct reader final : io_source {
  explicit reader(event_loop& l) : loop{l} {
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds.data()), 0);
    near = unique_fd{fds[0]};
    far = unique_fd{fds[1]};
    EXPECT_TRUE(loop.watch(near.get(), *this));
  }
  ~reader() { close(); }

  void close() {
    if (!near) return;
    loop.unwatch(near.get(), *this);
    near.reset();
  }
  void say(std::string_view text) const {
    EXPECT_EQ(::send(far.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }

  event_loop& loop;
  unique_fd near;
  unique_fd far;
  bool wants = true;
  int told = 0;
  std::optional<arrival> last;
  std::string text;
  std::function<void()> meanwhile;

 private:
  [[nodiscard]] bool reads_ahead() const noexcept override { return wants; }
  void on_ready(readiness r) override {
    if (!r.readable) return;
    ++told;
    last = r.read == nullptr ? std::optional<arrival>{} : *r.read;
    if (last) text.assign(last->bytes.data(), last->bytes.size());
    if (meanwhile) meanwhile();
  }
};

/// Every test with the ring (where this host allows it) and without.
struct read_ahead_flow : testing::TestWithParam<bool> {
  std::unique_ptr<event_loop> loop = std::move(event_loop::make({.ring = GetParam()}).value());

  std::vector<std::unique_ptr<reader>> readers(std::size_t n) {
    std::vector<std::unique_ptr<reader>> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(std::make_unique<reader>(*loop));
    loop->run_once({});  // that they can be written to is told once
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(with_and_without_a_ring, read_ahead_flow, testing::Bool());

TEST_P(read_ahead_flow, tells_each_what_came_on_its_own_connection) {
  auto const all = readers(3 * read_ahead::reads_max + 1);
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->say(std::to_string(i));
  loop->run_once({});
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_TRUE(all[i]->last) << i;
    EXPECT_EQ(all[i]->text, std::to_string(i));
    EXPECT_TRUE(all[i]->last->drained);
  }
}

TEST_P(read_ahead_flow, reads_nothing_for_one_who_does_not_want_it) {
  auto const all = readers(5);
  all[2]->wants = false;
  for (auto const& r : all) r->say("x");
  loop->run_once({});
  EXPECT_EQ(all[2]->told, 1);
  EXPECT_FALSE(all[2]->last);
  char c = 0;
  EXPECT_EQ(::recv(all[2]->near.get(), &c, 1, 0), 1);
  EXPECT_TRUE(all[3]->last);
}

TEST_P(read_ahead_flow, says_whether_more_may_be_there) {
  auto const all = readers(4);
  all[0]->say(std::string(scratch_area::slot_size, 'a'));
  all[1]->say(std::string(scratch_area::slot_size - 1, 'b'));
  all[2]->say(std::string(scratch_area::slot_size + 1, 'c'));
  all[3]->say("d");
  loop->run_once({});
  EXPECT_FALSE(all[0]->last->drained);
  EXPECT_TRUE(all[1]->last->drained);
  EXPECT_FALSE(all[2]->last->drained);
  EXPECT_EQ(all[2]->text.size(), scratch_area::slot_size);
}

TEST_P(read_ahead_flow, tells_an_end_apart_from_a_break) {
  auto const all = readers(4);
  all[0]->far.reset();
  for (std::size_t i = 1; i < 3; ++i) all[i]->say("x");
  char const unread = 'u';
  EXPECT_EQ(::send(all[3]->near.get(), &unread, 1, 0), 1);
  all[3]->far.reset();  // closed over a byte that it has not read: the connection is reset
  loop->run_once({});
  ASSERT_TRUE(all[0]->last);
  EXPECT_TRUE(all[0]->last->bytes.empty());
  EXPECT_EQ(all[0]->last->error, 0);
  ASSERT_TRUE(all[3]->last);
  EXPECT_EQ(all[3]->last->error, ECONNRESET);
}

TEST_P(read_ahead_flow, says_nothing_to_one_who_was_removed_meanwhile) {
  auto all = readers(6);
  for (auto const& r : all) r->say("x");
  std::size_t gone = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i]->meanwhile = [&all, &gone, i] {  // whoever comes first destroys all others
      if (gone != 0) return;
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (k == i) continue;
        ++gone;
        all[k].reset();
      }
    };
  loop->run_once({});
  EXPECT_EQ(gone, all.size() - 1);
}

TEST_P(read_ahead_flow, does_not_tell_one_whose_bytes_another_has_taken) {
  auto const all = readers(read_ahead::reads_max + 3);
  for (auto const& r : all) r->say("x");
  all[0]->meanwhile = [&] {  // after the loop has heard of the last one, and before it reads there
    char c = 0;
    EXPECT_EQ(::recv(all.back()->near.get(), &c, 1, 0), 1);
  };
  loop->run_once({});
  EXPECT_EQ(all.back()->told, 0);
  EXPECT_EQ(all[read_ahead::reads_max]->told, 1);
}

TEST_P(read_ahead_flow, overwrites_no_bytes_that_are_still_to_be_sent) {
  constexpr std::size_t n = 3 * read_ahead::reads_max;
  struct echo final : send_queue::entry {
    void on_unsent(std::string_view, std::string_view, int) override { ADD_FAILURE(); }
  };
  std::vector<echo> echoes(n);
  auto const all = readers(n);
  for (std::size_t i = 0; i < n; ++i) {
    all[i]->meanwhile = [&, i] {
      auto const bytes = all[i]->last->bytes;
      EXPECT_TRUE(loop->sends().add(echoes[i], all[i]->near.get(), {bytes.data(), bytes.size()}));
    };
    all[i]->say(std::string(1000, static_cast<char>('a' + i % 26)));
  }
  loop->run_once({});
  for (std::size_t i = 0; i < n; ++i) {
    std::string back(2000, 0);
    auto const size = ::recv(all[i]->far.get(), back.data(), back.size(), 0);
    EXPECT_EQ(back.substr(0, static_cast<std::size_t>(size)),
              std::string(1000, static_cast<char>('a' + i % 26)))
        << i;
  }
}

}  // namespace
}  // namespace halfopen::net
