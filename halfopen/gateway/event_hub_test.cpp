#include <gtest/gtest.h>

#include <halfopen/gateway/event_hub.hpp>

namespace halfopen::gateway {
namespace {

TEST(event_hub, reads_on_from_where_a_reader_was) {
  event_hub hub{7};
  hub.publish("transition", "1");
  hub.publish("transition", "2");
  auto const first = hub.read({}, 1);
  ASSERT_EQ(first.events.size(), 1u);
  EXPECT_FALSE(first.gap);
  auto const second = hub.read(first.last, 10);
  ASSERT_EQ(second.events.size(), 1u);
  EXPECT_EQ(second.events[0].data, "2");
  EXPECT_TRUE(hub.read(second.last, 10).events.empty());
}

TEST(event_hub, tells_a_reader_that_was_too_slow) {
  event_hub hub{7};
  for (std::size_t i = 0; i < event_hub::events_max + 5; ++i) hub.publish("x", "{}");
  auto const b = hub.read({7, 2}, 1);
  EXPECT_TRUE(b.gap);
  EXPECT_EQ(b.events[0].at.number, 6u);
  EXPECT_FALSE(hub.read({7, 5}, 1).gap);
}

TEST(event_hub, tells_a_reader_that_comes_from_an_earlier_run) {
  event_hub hub{8};
  hub.publish("x", "{}");
  auto const b = hub.read({7, 100}, 10);
  EXPECT_TRUE(b.gap);
  EXPECT_EQ(b.events.size(), 1u);
}

TEST(event_hub, a_place_survives_the_way_to_a_client_and_back) {
  event_place const p{1234567890123, 42};
  EXPECT_EQ(event_place::parse(p.text()), p);
  for (auto const* bad : {"", "-", "1-", "-1", "1-2x", "x", "1", "99999999999999999999-1"})
    EXPECT_EQ(event_place::parse(bad), std::nullopt) << bad;
}

TEST(event_hub, notice_may_read_the_hub) {
  event_hub hub{1};
  std::size_t seen = 0;
  hub.tell([&] { seen = hub.read({}, 10).events.size(); });
  hub.publish("x", "{}");
  EXPECT_EQ(seen, 1u);
}

}  // namespace
}  // namespace halfopen::gateway
