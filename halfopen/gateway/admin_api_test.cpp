#include <fstream>

#include <halfopen/gateway/gateway_fixture.hpp>

namespace halfopen::gateway {
namespace {

using nlohmann::json;

std::string with_breaker(test_upstream const& u, std::string const& per = "tool") {
  return "storage: {audit: {successes: 100%}}\npolicies:\n  p:\n"
         "    - circuit_breaker: {window: {calls: 4}, failure_rate: 50%, minimum_calls: 4, per: " +
         per +
         ", open_for: {initial: 10s, jitter: none}}\n"
         "    - timeout: 2s\n"
         "tools:\n  t: {hosts: [" +
         u.url() + "], policy: p}\nroutes:\n  - {match: {path: /}, tool: t}\n";
}

json problem_of(net::received_reply const& r) { return json::parse(r.body, nullptr, false); }

TEST(admin_api, wants_the_token_for_everything_but_health_and_metrics) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  for (auto const* open : {"/healthz", "/readyz", "/metrics"})
    EXPECT_EQ(g.admin_without_token("GET", open).status, 200);
  for (auto const* shut : {"/v1/tools", "/v1/tools/t", "/v1/config", "/v1/audit", "/v1/nothing", "/"}) {
    auto const r = g.admin_without_token("GET", shut);
    EXPECT_EQ(r.status, 401) << shut;
    EXPECT_TRUE(r.field("WWW-Authenticate").has_value());
  }
  EXPECT_EQ(g.admin_without_token("GET", "/v1/tools", {}, {{"Authorization", "Bearer wrong"}}).status, 401);
  EXPECT_EQ(g.admin("GET", "/v1/tools").status, 200);
}

TEST(admin_api, shows_a_tool_with_its_breaker_and_counts) {
  test_upstream u;
  test_gateway g{with_breaker(u, "both")};
  for (int i = 0; i < 3; ++i) (void)g.get("/");
  auto const list = g.admin_json("/v1/tools");
  ASSERT_EQ(list["tools"].size(), 1u);
  auto const t = g.admin_json("/v1/tools/t");
  EXPECT_EQ(t["name"], "t");
  EXPECT_EQ(t["breaker"]["state"], "closed");
  EXPECT_EQ(t["breaker"]["window"]["calls"], 3);
  EXPECT_EQ(t["health"]["success_count"], 3);
  EXPECT_EQ(t["health"]["success_rate"], 1.0);
  ASSERT_EQ(t["hosts"].size(), 1u);
  EXPECT_EQ(t["hosts"][0]["breaker"]["window"]["calls"], 3);
  EXPECT_EQ(t["hosts"][0]["health"]["total_invocations"], 3);
}

TEST(admin_api, shows_how_far_a_breaker_is_from_tripping) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  for (int i = 0; i < 3; ++i) (void)g.get("/");
  u.answer(500);
  (void)g.get("/");
  auto const b = g.admin_json("/v1/tools/t/breaker");
  EXPECT_EQ(b["window"]["failures"], 1);
  EXPECT_EQ(b["failures_to_trip"], 1);
}

TEST(admin_api, force_open_refuses_and_reset_admits_again) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  auto const forced = g.admin("POST", "/v1/tools/t/breaker/force-open", R"({"reason": "maintenance"})");
  EXPECT_EQ(forced.status, 200) << forced.body;
  EXPECT_EQ(json::parse(forced.body)["breakers"][0]["state"], "forced_open");
  auto const refused = g.get("/");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(problem_of(refused)["reason"], "forced_open");
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/reset", R"({"reason": "done"})").status, 200);
  EXPECT_EQ(g.get("/").status, 200);
  EXPECT_EQ(u.requests(), 1u);
}

TEST(admin_api, every_act_is_known_and_told) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  for (auto const& [act, state] : {std::pair{"force-open", "forced_open"},
                                   {"disable", "disabled"},
                                   {"metrics-only", "metrics_only"},
                                   {"force-close", "closed"},
                                   {"auto", "closed"},
                                   {"reset", "closed"}}) {
    auto const r = g.admin("POST", std::string{"/v1/tools/t/breaker/"} + act, R"({"reason": "a test"})");
    EXPECT_EQ(r.status, 200) << act << r.body;
    EXPECT_EQ(json::parse(r.body)["breakers"][0]["state"], state) << act;
  }
}

TEST(admin_api, an_act_is_in_the_audit_log_when_it_is_answered) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/disable", R"({"reason": "because"})").status, 200);
  auto const page = g.admin_json("/v1/audit?kind=admin");
  ASSERT_EQ(page["rows"].size(), 1u);
  EXPECT_EQ(page["rows"][0]["what"], "disable");
  EXPECT_EQ(page["rows"][0]["tool"], "t");
  EXPECT_EQ(page["rows"][0]["detail"], "because");
  EXPECT_TRUE(page["next"].is_null());
}

TEST(admin_api, an_act_wants_a_reason_a_tool_and_a_breaker) {
  test_upstream u;
  test_gateway g{with_breaker(u, "host")};
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/disable").status, 400);
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/disable", "{\"reason\": 1}").status, 400);
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/disable", "[]").status, 400);
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/disable", "{").status, 400);
  EXPECT_EQ(g.admin("POST", "/v1/tools/x/breaker/disable", R"({"reason": "r"})").status, 404);
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/explode", R"({"reason": "r"})").status, 404);
  EXPECT_EQ(g.admin("GET", "/v1/tools/t/breaker/disable").status, 405);
  EXPECT_EQ(
      g.admin("POST", "/v1/tools/t/breaker/disable", R"({"reason": "r", "host": "http://other"})").status,
      409);
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/disable", R"({"reason": "r"})").status, 200);
}

TEST(admin_api, pages_and_exports_the_audit_log) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(g.get("/page").status, 200);
  auto const first = g.admin_json("/v1/audit?kind=call&order=oldest&limit=3");
  ASSERT_EQ(first["rows"].size(), 3u);
  auto const second = g.admin_json("/v1/audit?kind=call&order=oldest&limit=3&after=" + first["next"].dump());
  ASSERT_EQ(second["rows"].size(), 2u);
  EXPECT_EQ(first["rows"][0]["what"], "GET /page");
  auto const all = g.admin("GET", "/v1/audit?kind=call&format=jsonl");
  EXPECT_EQ(std::ranges::count(all.body, '\n'), 5);
  EXPECT_EQ(g.admin("GET", "/v1/audit?limit=0").status, 400);
  EXPECT_EQ(g.admin("GET", "/v1/audit?from=yesterday").status, 400);
  EXPECT_EQ(g.admin("GET", "/v1/audit?kind=nonsense").status, 400);
  EXPECT_EQ(g.admin("GET", "/v1/audit?kind=%zz").status, 400);
}

TEST(admin_api, tells_transitions_with_the_counts_that_justified_them) {  // field: resilience4j#1366
  test_upstream u;
  test_gateway g{with_breaker(u)};
  u.answer(500);
  for (int i = 0; i < 4; ++i) (void)g.get("/");
  auto const page = g.admin_json("/v1/transitions?tool=t");
  ASSERT_EQ(page["rows"].size(), 1u);
  EXPECT_EQ(page["rows"][0]["from"], "closed");
  EXPECT_EQ(page["rows"][0]["to"], "open");
  EXPECT_EQ(page["rows"][0]["cause"], "failures");
  EXPECT_EQ(page["rows"][0]["failures"], 4);
}

raw_client watch(test_gateway& g, std::string const& fields, std::string const& query = {}) {
  raw_client c{g->admin_endpoint()};
  c.send("GET /v1/events" + query + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + g->token() + "\r\n" +
         fields + "\r\n");
  c.read_until("retry: 1000");
  return c;
}

TEST(admin_api, streams_events_as_they_happen) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  auto c = watch(g, {});
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/disable", R"({"reason": "one"})").status, 200);
  auto const& seen = c.read_until("event: admin");
  EXPECT_NE(seen.find("event: transition"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\"to\":\"disabled\""), std::string::npos) << seen;
}

TEST(admin_api, goes_on_with_events_after_the_last_that_a_client_saw) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/disable", R"({"reason": "one"})").status, 200);
  auto first = watch(g, {}, "?after=0");
  auto const seen = first.read_until("event: admin");
  auto const id = seen.rfind("id: ");
  auto const last = seen.substr(id + 4, seen.find('\n', id) - id - 4);
  first.close();
  EXPECT_EQ(g.admin("POST", "/v1/tools/t/breaker/auto", R"({"reason": "two"})").status, 200);
  auto second = watch(g, "Last-Event-ID: " + last + "\r\n");
  auto const& more = second.read_until("event: admin");
  EXPECT_EQ(more.find("disabled\",\"cause"), std::string::npos) << more;
  EXPECT_NE(more.find("\"from\":\"disabled\""), std::string::npos) << more;
}

TEST(admin_api, refuses_a_bad_configuration_and_keeps_the_one_in_force) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  auto const r = g.admin("PUT", "/v1/config", "listen: nowhere\ntools: 3\n");
  EXPECT_EQ(r.status, 422);
  auto const problems = problem_of(r)["problems"];
  ASSERT_GE(problems.size(), 2u);
  EXPECT_EQ(problems[0]["line"], 1);
  EXPECT_EQ(g.get("/").status, 200);
}

TEST(admin_api, takes_a_new_configuration_and_breakers_keep_their_state) {
  test_upstream u;
  auto const text = with_breaker(u);
  test_gateway g{text};
  u.answer(500);
  for (int i = 0; i < 4; ++i) (void)g.get("/");
  u.answer(200);
  auto const put =
      g.admin("PUT", "/v1/config", text + "log: {access: \"off\"}\nlimits: {connections_max: 100}\n");
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(g.get("/").status, 503);
  auto const t = g.admin_json("/v1/tools/t");
  EXPECT_EQ(t["breaker"]["state"], "open");
  EXPECT_EQ(t["health"]["failure_count"], 4);
  EXPECT_EQ(t["health"]["failure_rate"], 1.0);
}

TEST(admin_api, metrics_are_prometheus_text) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  (void)g.get("/");
  EXPECT_TRUE(becomes_true([&] { return g.store().health().ok; }));
  auto const text = g.admin_without_token("GET", "/metrics").body;
  EXPECT_NE(text.find("halfopen_calls_total{tool=\"t\",status=\"2xx\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("halfopen_breaker_state{tool=\"t\",host=\"\",state=\"closed\"} 1\n"),
            std::string::npos);
  EXPECT_NE(text.find("halfopen_call_duration_seconds_bucket{tool=\"t\",le=\"+Inf\"} 1\n"),
            std::string::npos);
  EXPECT_NE(text.find("halfopen_storage_ok 1\n"), std::string::npos);
}

TEST(admin_api, is_not_ready_while_it_drains) {
  test_upstream u;
  test_gateway g{with_breaker(u)};
  net::whole_reply slow;
  slow.delay = 500ms;
  u.answer(slow);
  auto c = g.client();
  ASSERT_TRUE(c.open(5s));
  ASSERT_TRUE(c.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 5s));
  ASSERT_TRUE(becomes_true([&] { return u.requests() == 1; }));
  g->drain(5s);
  EXPECT_TRUE(becomes_true([&] { return g.admin_without_token("GET", "/readyz").status == 503; }));
  auto const refused = g.get("/");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(problem_of(refused)["reason"], "draining");
  auto const r = c.read_reply(5s);
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(r->status, 200);
}

}  // namespace
}  // namespace halfopen::gateway
