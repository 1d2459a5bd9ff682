#include <array>

#include <halfopen/gateway/gateway_fixture.hpp>

namespace halfopen::gateway {
namespace {

std::string two_hosts(test_upstream const& a, test_upstream const& b, std::string const& tool = {},
                      std::string const& breaker = "per: host") {
  return "policies:\n  p:\n    - timeout: 1s\n"
         "    - circuit_breaker: {window: {consecutive: 2}, " +
         breaker +
         ", open_for: {initial: 100ms, jitter: none}}\n    - timeout: 300ms\n"
         "tools:\n  t: {hosts: [" +
         a.url() + ", " + b.url() + "], policy: p" + tool + "}\nroutes:\n  - {match: {path: /}, tool: t}\n";
}

TEST(proxy_hosts, take_turns) {
  test_upstream a;
  test_upstream b;
  test_gateway g{two_hosts(a, b)};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(g.get("/").status, 200);
  EXPECT_EQ(a.requests(), 5u);
  EXPECT_EQ(b.requests(), 5u);
}

TEST(proxy_hosts, open_host_leaves_the_rotation_and_still_gets_its_probe) {  // field: zentinel#261
  test_upstream a;
  test_upstream b;
  a.answer(500);
  test_gateway g{two_hosts(a, b)};
  for (int i = 0; i < 4; ++i) (void)g.get("/");
  EXPECT_EQ(a.requests(), 2u);
  a.answer(200, "back");
  EXPECT_TRUE(becomes_true([&] { return g.get("/").body == "back"; }));
  auto const before = a.requests();
  for (int i = 0; i < 10; ++i) (void)g.get("/");
  EXPECT_EQ(a.requests(), before + 5);
}

TEST(proxy_hosts, last_one_is_kept_in_spite_of_its_breaker) {
  test_upstream a;
  test_upstream b;
  a.answer(500);
  b.answer(500);
  test_gateway g{two_hosts(a, b)};
  for (int i = 0; i < 20; ++i) EXPECT_EQ(g.get("/").status, 500);
}

TEST(proxy_hosts, last_one_is_refused_where_the_tool_says_so) {
  test_upstream a;
  test_upstream b;
  a.answer(500);
  b.answer(500);
  test_gateway g{two_hosts(a, b, ", last_host: reject")};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(g.get("/").status, 500);
  auto const r = g.get("/");
  EXPECT_EQ(r.status, 503);
  EXPECT_EQ(nlohmann::json::parse(r.body)["reason"], "open");
}

TEST(proxy_hosts, operator_who_forces_all_open_is_obeyed) {
  test_upstream a;
  test_upstream b;
  test_gateway g{two_hosts(a, b)};
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/force-open", R"({"reason": "r", "host": "*"})").status, 200);
  auto const r = g.get("/");
  EXPECT_EQ(r.status, 503);
  EXPECT_EQ(nlohmann::json::parse(r.body)["reason"], "forced_open");
  EXPECT_EQ(a.requests() + b.requests(), 0u);
}

TEST(proxy_hosts, that_cannot_be_reached_count_as_failures) {
  test_upstream a;
  std::string gone;
  {
    test_upstream b;
    gone = b.url();
  }
  test_gateway g{
      "policies:\n  p:\n    - circuit_breaker: {window: {consecutive: 2}, per: host}\n    - timeout: 1s\n"
      "tools:\n  t: {hosts: [" +
      a.url() + ", " + gone + "], policy: p}\nroutes:\n  - {match: {path: /}, tool: t}\n"};
  std::array<int, 600> seen{};
  for (int i = 0; i < 10; ++i) ++seen[static_cast<std::size_t>(g.get("/").status)];
  EXPECT_EQ(seen[502], 2);
  EXPECT_EQ(seen[200], 8);
}

TEST(proxy_hosts, may_be_given_by_name) {
  test_upstream u;
  auto const port = u.url().substr(u.url().rfind(':') + 1);
  test_gateway g{"tools:\n  t: {hosts: [\"http://localhost:" + port +
                 "\"]}\nroutes:\n  - {match: {path: /}, tool: t}\n"};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(g.get("/").status, 200);
}

TEST(proxy_hosts, name_that_nobody_knows_is_unreachable) {
  test_gateway g{
      "tools:\n  t: {hosts: [\"http://no-such-host.invalid:80\"]}\nroutes:\n  - {match: {path: /}, tool: "
      "t}\n"};
  auto const r = g.get("/");
  EXPECT_EQ(r.status, 502);
  EXPECT_EQ(nlohmann::json::parse(r.body)["reason"], "unreachable");
}

TEST(proxy_hosts, clients_that_leave_while_a_name_is_looked_up_leave_nothing_behind) {
  test_upstream u;
  auto const port = u.url().substr(u.url().rfind(':') + 1);
  test_gateway g{"tools:\n  t: {hosts: [\"http://localhost:" + port +
                 "\"]}\nroutes:\n  - {match: {path: /}, tool: t}\n"};
  for (int i = 0; i < 20; ++i) g.raw().send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").close();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(g.get("/").status, 200);
}

TEST(proxy_hosts, trip_of_one_closes_its_kept_connections) {
  test_upstream a;
  test_upstream b;
  test_gateway g{two_hosts(a, b)};
  for (int i = 0; i < 4; ++i) (void)g.get("/");
  EXPECT_GE(a.server().open_connections(), 1u);
  a.answer(500);
  for (int i = 0; i < 4; ++i) (void)g.get("/");
  EXPECT_TRUE(becomes_true([&] { return a.server().open_connections() == 0; }));
}

// The probe's caller gives up after a second of its own limit; the tool answers later, but it does answer.
TEST(proxy_hosts, probe_that_outlives_its_caller_still_decides) {
  test_upstream u;
  test_gateway g{
      "policies:\n  p:\n    - timeout: 400ms\n"
      "    - circuit_breaker: {window: {consecutive: 2}, per: tool, probe_timeout: 5s, open_for: {initial: "
      "50ms, jitter: none}}\n"
      "    - timeout: 200ms\n"
      "tools:\n  t: {hosts: [" +
      u.url() + "], policy: p}\nroutes:\n  - {match: {path: /}, tool: t}\n"};
  u.answer(500);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(g.get("/").status, 500);
  net::whole_reply late;
  late.delay = 800ms;
  late.body = "late";
  u.answer(late);
  int status = 503;
  EXPECT_TRUE(becomes_true([&] { return (status = g.get("/").status) != 503; }));
  EXPECT_EQ(status, 504) << "the caller has been answered in its own time";
  u.answer(200);
  EXPECT_TRUE(becomes_true([&] { return g.admin_json("/v1/tools/t/breaker")["state"] == "closed"; }));
  EXPECT_EQ(u.requests(), 3u) << "one probe was enough";
}

}  // namespace
}  // namespace halfopen::gateway
