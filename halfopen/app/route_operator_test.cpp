#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// What an operator can do to a breaker, and that nothing but an operator undoes it.
namespace halfopen::route {
namespace {

constexpr auto long_open = "{initial: 1h, multiplier: 1, maximum: 1h, jitter: none}";

std::string reason_of(reply const& r) { return json::parse(r.body, nullptr, false).value("reason", ""); }

class route_operator : public ::testing::Test {
 protected:
  explicit route_operator(
      std::string const& open_for = "{initial: 20ms, multiplier: 1, maximum: 20ms, jitter: none}")
      : g_{setup{.hosts = {u_.url()}, .open_for = open_for, .breaker = ", forced_retry_after: 77s"}} {}

  upstream u_;
  gateway g_;
};

class route_operator_long : public route_operator {
 protected:
  route_operator_long() : route_operator{long_open} {}
};

TEST_F(route_operator, force_open_refuses_all_with_the_configured_retry_after) {
  EXPECT_EQ(g_.operate("force-open").status, 200);
  EXPECT_EQ(g_.state(), "forced_open");
  auto const r = g_.get();
  EXPECT_EQ(r.status, 503);
  EXPECT_EQ(reason_of(r), "forced_open");
  EXPECT_EQ(r.field("retry-after"), "77");
  EXPECT_EQ(u_.requests(), 0);
}

TEST_F(route_operator, force_open_is_left_by_no_timer_and_no_result) {
  auto const door = std::make_shared<gate>();
  u_.now(answers_after(door, 200));
  client under_way{g_.port()};
  under_way.start("GET", "/");
  ASSERT_TRUE(becomes_true([&] { return door->waiting() == 1; }));
  ASSERT_EQ(g_.operate("force-open").status, 200);
  door->open();
  EXPECT_EQ(under_way.finish().status, 200);  // what was let through is not cut off
  for (int i = 0; i < 20; ++i) EXPECT_EQ(g_.get().status, 503);
  EXPECT_EQ(g_.state(), "forced_open");
}

TEST_F(route_operator, auto_after_force_open_closes) {
  ASSERT_EQ(g_.operate("force-open").status, 200);
  EXPECT_EQ(g_.operate("auto").status, 200);
  EXPECT_EQ(g_.state(), "closed");
  EXPECT_EQ(g_.get().status, 200);
}

TEST_F(route_operator_long, reset_closes_an_open_breaker_and_empties_its_window) {
  g_.trip(u_);
  u_.now(answers(200));
  EXPECT_EQ(g_.operate("reset").status, 200);
  EXPECT_EQ(g_.state(), "closed");
  EXPECT_EQ(g_.get().status, 200);
}

TEST_F(route_operator_long, force_close_closes_an_open_breaker) {
  g_.trip(u_);
  u_.now(answers(200));
  EXPECT_EQ(g_.operate("force-close").status, 200);
  EXPECT_EQ(g_.get().status, 200);
}

TEST_F(route_operator_long, disable_lets_everything_through_whatever_comes_back) {
  EXPECT_EQ(g_.operate("disable").status, 200);
  u_.now(answers(500));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(g_.get().status, 500);
  EXPECT_EQ(g_.state(), "disabled");
  EXPECT_EQ(g_.count("failure"), 20U);
}

TEST_F(route_operator_long, metrics_only_lets_everything_through_and_goes_on_looking) {
  EXPECT_EQ(g_.operate("metrics-only").status, 200);
  u_.now(answers(500));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(g_.get().status, 500);
  EXPECT_EQ(g_.state(), "metrics_only");
}

TEST_F(route_operator_long, auto_after_disable_trips_again_with_an_empty_window) {
  ASSERT_EQ(g_.operate("disable").status, 200);
  u_.now(answers(500));
  for (int i = 0; i < 10; ++i) std::ignore = g_.get();
  ASSERT_EQ(g_.operate("auto").status, 200);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(g_.get().status, 500) << i;
  EXPECT_EQ(g_.get().status, 503);
}

TEST_F(route_operator, act_without_a_reason_is_refused_and_does_nothing) {
  EXPECT_EQ(g_.admin("POST", "/v1/tools/t/breaker/force-open", "{}").status, 400);
  EXPECT_EQ(g_.admin("POST", "/v1/tools/t/breaker/force-open", "").status, 400);
  EXPECT_EQ(g_.admin("POST", "/v1/tools/t/breaker/force-open", "{nonsense").status, 400);
  EXPECT_EQ(g_.state(), "closed");
}

TEST_F(route_operator, act_nobody_knows_is_404) {
  EXPECT_EQ(g_.operate("explode").status, 404);
  EXPECT_EQ(g_.admin("POST", "/v1/tools/nobody/breaker/force-open", R"({"reason":"x"})").status, 404);
}

TEST_F(route_operator, act_by_get_is_405_and_does_nothing) {
  EXPECT_EQ(g_.admin("GET", "/v1/tools/t/breaker/force-open").status, 405);
  EXPECT_EQ(g_.state(), "closed");
}

class route_operator_token : public route_operator, public ::testing::WithParamInterface<char const*> {};

TEST_P(route_operator_token, is_asked_for_by_every_path_of_the_admin_api) {
  auto const without = call(g_.admin_port(), "GET", GetParam());
  EXPECT_EQ(without.status, 401);
  EXPECT_TRUE(without.has("www-authenticate"));
  EXPECT_EQ(call(g_.admin_port(), "GET", GetParam(), {}, {"Authorization: Bearer wrong"}).status, 401);
}

INSTANTIATE_TEST_SUITE_P(paths, route_operator_token,
                         ::testing::Values("/v1/tools", "/v1/tools/t", "/v1/tools/t/breaker", "/v1/audit",
                                           "/v1/events", "/v1/config"));

TEST_F(route_operator, act_is_in_the_audit_log_with_who_and_why_when_the_answer_comes) {
  ASSERT_EQ(g_.operate("force-open", "maintenance until noon").status, 200);
  g_.kill();  // no later flush can have written it
  g_.start();
  auto const page = g_.ask("/v1/audit?kind=admin");
  ASSERT_FALSE(page["rows"].empty()) << page.dump();
  auto const& row = page["rows"][0];
  EXPECT_EQ(row["tool"], "t");
  EXPECT_NE(row.dump().find("maintenance until noon"), std::string::npos);
  EXPECT_NE(row.value("what", "").find("force"), std::string::npos);
}

TEST_F(route_operator, reason_that_is_not_utf8_stops_nobody) {
  auto const r = g_.admin("POST", "/v1/tools/t/breaker/force-open", "{\"reason\":\"caf\xE9\"}");
  EXPECT_TRUE(r.status == 200 || r.status == 400) << r.status;
  EXPECT_EQ(g_.state(), r.status == 200 ? "forced_open" : "closed");
}

TEST_F(route_operator_long, look_at_a_breaker_changes_nothing) {
  g_.trip(u_);
  auto const before = g_.breaker();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(g_.breaker()["epoch"], before["epoch"]);
  EXPECT_EQ(g_.state(), "open");
}

TEST(route_operator_view, tells_how_far_a_breaker_is_from_tripping) {
  upstream u{answers(500)};
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  std::ignore = g.get();
  auto const b = g.breaker();
  EXPECT_EQ(b["state"], "closed");
  EXPECT_EQ(b["window"]["failures"], 1) << b.dump();
  EXPECT_EQ(b["window"]["calls"], 1) << b.dump();
  EXPECT_EQ(b["failures_to_trip"], 3) << b.dump();
}

// ---- the admin port under siege

TEST(route_admin, port_answers_while_strangers_hold_all_the_connections_they_can) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  client known{g.admin_port()};
  auto const ask = [&](client& c) {
    return c.call("GET", "/v1/tools", {}, {"Authorization: Bearer " + g.token()}).status;
  };
  EXPECT_EQ(ask(known), 200);
  std::vector<connection> strangers;
  for (int i = 0; i < 400; ++i) {
    strangers.push_back(connection::to(g.admin_port()));
    if (i % 2 == 0) strangers.back().send("GET /healthz HTTP/1.1\r\n");  // and no more
  }
  EXPECT_EQ(ask(known), 200);  // who has shown the token keeps the connection
  client late{g.admin_port()};
  EXPECT_EQ(ask(late), 200);
  EXPECT_EQ(call(g.admin_port(), "GET", "/healthz").status, 200);
}

}  // namespace
}  // namespace halfopen::route
