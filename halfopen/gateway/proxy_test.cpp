#include <halfopen/gateway/gateway_fixture.hpp>

namespace halfopen::gateway {
namespace {

std::string one_tool(test_upstream const& u, std::string const& policy) {
  return "policies:\n  p:\n" + policy + "tools:\n  t: {hosts: [" + u.url() +
         "], policy: p, path: /run}\nroutes:\n  - {match: {path: /}, tool: t}\n";
}

constexpr auto quick_breaker =
    "    - circuit_breaker: {window: {calls: 4}, failure_rate: 50%, minimum_calls: 4, per: tool, "
    "open_for: {initial: 50ms, jitter: none}}\n"
    "    - timeout: 500ms\n";

TEST(proxy, sends_a_request_to_the_tool_and_its_reply_back) {
  test_upstream u{[](net::whole_request const& r) {
    net::whole_reply reply;
    reply.body = r.method + ' ' + r.target;
    return reply;
  }};
  test_gateway g{one_tool(u, quick_breaker)};
  auto const r = g.get("/a/b?c=d");
  EXPECT_EQ(r.status, 200);
  EXPECT_EQ(r.body, "GET /a/b?c=d");
}

TEST(proxy, trips_refuses_probes_and_recovers) {
  test_upstream u;
  test_gateway g{one_tool(u, quick_breaker)};
  u.answer(500);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(g.get("/").status, 500);
  auto const refused = g.get("/");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("Retry-After"), "1");
  EXPECT_EQ(nlohmann::json::parse(refused.body)["reason"], "open");
  EXPECT_EQ(u.requests(), 4u);
  u.answer(200);
  EXPECT_TRUE(becomes_true([&] { return g.get("/").status == 200; }));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(g.get("/").status, 200);
}

TEST(proxy, counts_what_a_tool_throttles_as_failed_and_what_a_breaker_refuses_as_rejected) {
  test_upstream u;
  test_gateway g{one_tool(u, quick_breaker)};
  u.answer(429);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(g.get("/").status, 429);
  EXPECT_EQ(g.get("/").status, 503);
  auto const counts = g.board().read({"t", ""});
  EXPECT_EQ(counts.failure, 4U);
  EXPECT_EQ(counts.ignored, 0U);
  EXPECT_EQ(counts.rejected, 1U);
}

}  // namespace
}  // namespace halfopen::gateway
