#include <csignal>

#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// How it ends: what is under way is finished, what comes later is told so, and nothing is left hanging.
namespace halfopen::route {
namespace {

TEST(route_drain, idle_gateway_ends_at_once_with_code_0) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  EXPECT_EQ(g.get().status, 200);
  EXPECT_EQ(g.end(), 0);
}

TEST(route_drain, idle_connections_do_not_hold_it_up) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  client idle{g.port()};
  EXPECT_EQ(idle.call("GET", "/").status, 200);
  client silent{g.port()};
  EXPECT_EQ(g.end(), 0);
}

class route_drain_call : public ::testing::TestWithParam<int> {};

TEST_P(route_drain_call, under_way_is_finished) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  auto const door = std::make_shared<gate>();
  u.now(answers_after(door, 200, "at last"));
  client c{g.port()};
  c.start("GET", "/");
  ASSERT_TRUE(becomes_true([&] { return door->waiting() == 1; }));
  g.command().signal(GetParam());
  EXPECT_TRUE(becomes_true([&] { return call(g.admin_port(), "GET", "/readyz").status != 200; }));
  EXPECT_TRUE(g.command().runs());
  door->open();
  EXPECT_EQ(c.finish().body, "at last");
  EXPECT_EQ(g.command().wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(signals, route_drain_call, ::testing::Values(SIGTERM, SIGINT));

TEST(route_drain, new_calls_are_told_503_or_find_nobody) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  auto const door = std::make_shared<gate>();
  u.now(answers_after(door, 200));
  client c{g.port()};
  c.start("GET", "/");
  client kept{g.port()};
  ASSERT_TRUE(becomes_true([&] { return door->waiting() == 1; }));
  g.command().signal(SIGTERM);
  EXPECT_TRUE(becomes_true([&] { return call(g.admin_port(), "GET", "/readyz").status != 200; }));
  auto const r = kept.call("GET", "/");
  EXPECT_TRUE(r.status == 503 || r.status == 0) << r.status;
  EXPECT_EQ(u.requests(), 1);
  door->open();
  EXPECT_EQ(c.finish().status, 200);
  EXPECT_EQ(g.command().wait(), 0);
}

TEST(route_drain, call_that_never_ends_is_cut_off_at_the_limit) {
  upstream u{never_answers()};
  gateway g{setup{.hosts = {u.url()}, .timeouts = "drain: 50ms"}};
  client c{g.port()};
  c.start("GET", "/");
  ASSERT_TRUE(becomes_true([&] { return u.requests() == 1; }));
  EXPECT_TRUE(g.end().has_value());
  EXPECT_NE(c.finish().status, 200);
}

TEST(route_drain, second_signal_ends_it_at_once) {
  upstream u{never_answers()};
  gateway g{setup{.hosts = {u.url()}, .timeouts = "drain: 1h"}};
  client c{g.port()};
  c.start("GET", "/");
  ASSERT_TRUE(becomes_true([&] { return u.requests() == 1; }));
  g.command().signal(SIGTERM);
  EXPECT_TRUE(becomes_true([&] { return call(g.admin_port(), "GET", "/readyz").status != 200; }));
  EXPECT_TRUE(g.end().has_value());
}

TEST(route_drain, last_counts_and_rows_are_on_the_disk) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .storage = "flush: 1m"}};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(g.get().status, 200);
  EXPECT_EQ(g.end(), 0);
  auto const r = run_halfopen({"audit", "verify", "--database", g.file("halfopen.db").string()});
  EXPECT_EQ(r.code, 0) << r.out;
  g.start();
  EXPECT_EQ(g.count("success"), 7U);
}

TEST(route_health, tells_live_and_ready) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  EXPECT_EQ(call(g.admin_port(), "GET", "/healthz").status, 200);
  EXPECT_EQ(call(g.admin_port(), "GET", "/readyz").status, 200);
}

}  // namespace
}  // namespace halfopen::route
