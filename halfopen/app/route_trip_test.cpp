#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// When a breaker trips, seen from outside, and what whoever is refused then is told.
namespace halfopen::route {
namespace {

constexpr auto long_open = "{initial: 1h, multiplier: 1, maximum: 1h, jitter: none}";

std::string reason_of(reply const& r) {
  auto const problem = json::parse(r.body, nullptr, false);
  return problem.is_object() ? problem.value("reason", "") : "no problem document";
}

// ---- trip

struct trip_case {
  char const* name;
  std::string per, window, minimum;
  int calls;  // failing calls until the next one is refused
  friend void PrintTo(trip_case const& t, std::ostream* out) { *out << t.name; }
};

class route_trip : public ::testing::TestWithParam<trip_case> {};

TEST_P(route_trip, comes_at_the_threshold_and_then_the_tool_is_left_alone) {
  upstream u{answers(500)};
  gateway g{setup{.hosts = {u.url()},
                  .window = GetParam().window,
                  .minimum_calls = GetParam().minimum,
                  .open_for = long_open,
                  .per = GetParam().per,
                  .tool = ", last_host: reject"}};
  for (int i = 0; i < GetParam().calls; ++i) EXPECT_EQ(g.get().status, 500) << i;
  for (int i = 0; i < 3; ++i) {
    auto const r = g.get();
    EXPECT_EQ(r.status, 503);
    EXPECT_EQ(reason_of(r), "open");
    EXPECT_GE(std::stoi("0" + r.field("retry-after")), 1);
  }
  EXPECT_EQ(u.requests(), GetParam().calls);
  EXPECT_EQ(g.count("failure"), static_cast<std::uint64_t>(GetParam().calls));
  EXPECT_EQ(g.count("rejected"), 3U);
}

INSTANTIATE_TEST_SUITE_P(windows, route_trip,
                         ::testing::Values(trip_case{"calls_tool", "tool", "{calls: 4}", "4", 4},
                                           trip_case{"calls_host", "host", "{calls: 4}", "4", 4},
                                           trip_case{"calls_both", "both", "{calls: 4}", "4", 4},
                                           trip_case{"minimum_below_window", "tool", "{calls: 10}", "3", 3},
                                           trip_case{"time_tool", "tool", "{time: 1h}", "5", 5},
                                           trip_case{"time_host", "host", "{time: 1h}", "5", 5}),
                         [](auto const& info) { return info.param.name; });

TEST(route_trip, of_consecutive_failures_is_put_off_by_one_success) {
  upstream u{answers(500)};
  gateway g{
      setup{.hosts = {u.url()}, .window = "{consecutive: 3}", .minimum_calls = "1", .open_for = long_open}};
  std::ignore = g.get();
  std::ignore = g.get();
  u.now(answers(200));
  std::ignore = g.get();
  u.now(answers(500));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(g.get().status, 500) << i;
  EXPECT_EQ(g.get().status, 503);
}

TEST(route_trip, does_not_come_from_callers_mistakes) {
  upstream u{answers(404)};
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  for (int i = 0; i < 20; ++i) EXPECT_EQ(g.get().status, 404);
  EXPECT_EQ(g.state(), "closed");
  EXPECT_EQ(g.count("ignored"), 20U);
}

TEST(route_trip, comes_from_timeouts_too) {
  upstream u{never_answers()};
  gateway g{
      setup{.hosts = {u.url()}, .minimum_calls = "2", .open_for = long_open, .attempt_timeout = "30ms"}};
  EXPECT_EQ(g.get().status, 504);
  EXPECT_EQ(g.get().status, 504);
  EXPECT_EQ(g.get().status, 503);
}

class route_trip_per : public ::testing::TestWithParam<char const*> {};

TEST_P(route_trip_per, does_not_come_from_timeouts_that_the_tool_is_said_to_be_allowed) {
  upstream u{never_answers()};
  gateway g{setup{.hosts = {u.url()},
                  .minimum_calls = "2",
                  .open_for = long_open,
                  .per = GetParam(),
                  .attempt_timeout = "30ms",
                  .tool = ", classify: {failure: [5xx], ignored: [timeout]}"}};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(g.get().status, 504);
  EXPECT_EQ(g.count("failure"), 0U);
  EXPECT_EQ(g.count("ignored"), 5U);
}

INSTANTIATE_TEST_SUITE_P(breakers, route_trip_per, ::testing::Values("tool", "host", "both"));

TEST(route_trip, of_slow_calls_comes_at_their_share) {
  upstream u{trickles("xxxxx", 5ms)};
  gateway g{setup{.hosts = {u.url()},
                  .minimum_calls = "2",
                  .open_for = long_open,
                  .breaker = ", slow_rate: 50%, slow_after: 5ms"}};
  EXPECT_EQ(g.get().status, 200);
  EXPECT_EQ(g.get().status, 200);
  EXPECT_EQ(g.get().status, 503);
  EXPECT_EQ(g.count("slow"), 2U);
  EXPECT_EQ(g.count("failure"), 0U);
}

TEST(route_trip, of_one_tool_leaves_the_others_alone) {
  upstream bad;
  upstream good;
  gateway g{setup{.hosts = {bad.url()},
                  .open_for = long_open,
                  .tools = "  other: {hosts: [" + good.url() + "], policy: careful}\n",
                  .routes = "  - {match: {path: /other}, tool: other}\n"}};
  g.trip(bad);
  EXPECT_EQ(g.get("/").status, 503);
  EXPECT_EQ(g.get("/other").status, 200);
  EXPECT_EQ(g.breaker("other")["state"], "closed");
}

TEST(route_trip, of_one_host_sends_calls_to_the_other) {
  upstream bad{answers(500)};
  upstream good;
  gateway g{setup{.hosts = {bad.url(), good.url()}, .open_for = long_open, .per = "host"}};
  EXPECT_TRUE(becomes_true([&] { return bad.requests() == 4 || g.get().status == 0; }));
  int const before = good.requests();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(g.get().status, 200);
  EXPECT_EQ(good.requests() - before, 6);
  EXPECT_EQ(bad.requests(), 4);
}

TEST(route_trip, of_the_last_host_leaves_it_in_use_unless_told_otherwise) {
  upstream bad{answers(500)};
  gateway g{setup{.hosts = {bad.url()}, .open_for = long_open, .per = "host", .tool = ", last_host: keep"}};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(g.get().status, 500);
  EXPECT_EQ(bad.requests(), 10);
}

// ---- refusal

TEST(route_refusal, says_when_to_come_back) {
  upstream u;
  gateway g{
      setup{.hosts = {u.url()}, .open_for = "{initial: 90s, multiplier: 1, maximum: 90s, jitter: none}"}};
  g.trip(u);
  auto const r = g.get();
  EXPECT_EQ(r.status, 503);
  int const seconds = std::stoi("0" + r.field("retry-after"));
  EXPECT_GT(seconds, 60);
  EXPECT_LE(seconds, 90);
  EXPECT_EQ(json::parse(r.body).value("tool", ""), "t");
}

TEST(route_refusal, is_the_same_for_an_invocation) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  g.trip(u);
  auto const r = g.invoke();
  EXPECT_EQ(r.status, 503);
  EXPECT_EQ(reason_of(r), "open");
  EXPECT_TRUE(r.has("retry-after"));
}

TEST(route_refusal, keeps_the_clients_connection) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  g.trip(u);
  client c{g.port()};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(c.call("POST", "/", "body").status, 503);
}

}  // namespace
}  // namespace halfopen::route
