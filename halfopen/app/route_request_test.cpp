#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// What a client can get wrong, and that nothing of it reaches a tool or counts against one.
namespace halfopen::route {
namespace {

void expect_problem(reply const& r, int status, std::string const& reason) {
  EXPECT_EQ(r.status, status) << r.body;
  EXPECT_EQ(r.field("content-type"), "application/problem+json");
  auto const problem = json::parse(r.body, nullptr, false);
  ASSERT_TRUE(problem.is_object()) << r.body;
  EXPECT_EQ(problem.value("reason", ""), reason);
  EXPECT_EQ(problem.value("status", 0), status);
  EXPECT_FALSE(problem.value("type", "").empty());
  EXPECT_FALSE(problem.value("title", "").empty());
}

class route_request : public ::testing::Test {
 protected:
  void start(std::string const& more = {}, std::string const& tool = {},
             std::string const& timeouts = "drain: 10s") {
    g_.emplace(setup{.hosts = {u_.url()}, .tool = tool, .timeouts = timeouts, .more = more});
  }
  void expect_untouched() {
    EXPECT_EQ(u_.requests(), 0);
    EXPECT_EQ(g_->count("failure"), 0U);
    EXPECT_EQ(g_->get().status, 200) << "it no longer serves";
  }

  upstream u_{echoes()};
  std::optional<gateway> g_;
};

TEST_F(route_request, for_an_unknown_tool_is_404) {
  start();
  expect_problem(g_->invoke("nobody"), 404, "unknown_tool");
  expect_untouched();
}

TEST_F(route_request, that_is_refused_is_told_what_about_it_is_wrong) {
  start("limits: {request_body_max: 10B}\n", ", methods: [GET, POST]");
  auto const detail = [](reply const& r) { return json::parse(r.body, nullptr, false).value("detail", ""); };
  EXPECT_EQ(detail(g_->invoke("nobody")), "no tool is named \"nobody\"");
  EXPECT_EQ(detail(g_->get("/v1/tools/nowhere")), "nothing is routed for GET gateway.test/v1/tools/nowhere");
  EXPECT_EQ(detail(call(g_->port(), "PATCH", "/")), "PATCH is not among GET, POST");
  EXPECT_EQ(detail(g_->post("/", "more than ten")), "at most 10 bytes are taken");
  EXPECT_NE(detail(g_->invoke("t", "{\"a\":}")).find("line 1, column 6"), std::string::npos);
  expect_untouched();
}

TEST_F(route_request, for_a_path_without_a_route_is_404) {
  g_.emplace(setup{.hosts = {u_.url()}}.text().substr(0, setup{.hosts = {u_.url()}}.text().find("routes:")) +
             "routes:\n  - {match: {path: /only}, tool: t}\n");
  expect_problem(g_->get("/other"), 404, "no_route");
  EXPECT_EQ(g_->get("/only").status, 200);
}

class route_bad_json : public route_request, public ::testing::WithParamInterface<std::string> {};

TEST_P(route_bad_json, in_an_invocation_is_400) {
  start();
  expect_problem(g_->invoke("t", GetParam()), 400, "invalid_json");
  expect_untouched();
}

INSTANTIATE_TEST_SUITE_P(bodies, route_bad_json,
                         ::testing::Values("", "{", "{\"a\":1,}", "nonsense", "{} {}", "{\"a\":\"\xFF\"}",
                                           "{'a':1}", std::string("{\"a\":\0}", 7),
                                           std::string(100'000, '[')));

TEST_F(route_request, with_an_oversized_body_by_its_length_is_413) {
  start("limits: {request_body_max: 1kB}\n");
  expect_problem(g_->post("/", std::string(1001, 'x')), 413, "body_too_large");
  expect_problem(g_->invoke("t", '"' + std::string(1001, 'x') + '"'), 413, "body_too_large");
  expect_untouched();
}

TEST_F(route_request, with_an_oversized_body_in_chunks_is_413_or_cut_off_and_never_a_success) {
  start("limits: {request_body_max: 1kB}\n");
  std::string const chunk = "200\r\n" + std::string(512, 'x') + "\r\n";
  auto const r = send_raw(g_->port(), "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                          chunk + chunk + chunk + "0\r\n\r\n");
  EXPECT_EQ(r.status, 413);
  EXPECT_EQ(g_->count("success"), 0U);
  EXPECT_EQ(g_->count("failure"), 0U);
}

TEST_F(route_request, with_a_body_of_exactly_the_limit_is_sent_on) {
  start("limits: {request_body_max: 1kB}\n");
  auto const r = g_->post("/", std::string(1000, 'x'));
  EXPECT_EQ(r.status, 200);
  EXPECT_NE(r.body.find(std::string(1000, 'x')), std::string::npos);
}

TEST_F(route_request, with_an_oversized_head_is_431) {
  start("limits: {request_head_max: 2kB}\n");
  expect_problem(g_->get("/", {"X-Long: " + std::string(3000, 'x')}), 431, "head_too_large");
  expect_untouched();
}

TEST_F(route_request, with_a_method_the_tool_does_not_allow_is_405) {
  start({}, ", methods: [GET, POST]");
  expect_problem(call(g_->port(), "DELETE", "/"), 405, "method_not_allowed");
  expect_untouched();
}

TEST_F(route_request, get_of_an_invocation_is_405) {
  start();
  expect_problem(g_->get("/v1/tools/t/invoke"), 405, "method_not_allowed");
  expect_untouched();
}

TEST_F(route_request, with_an_expectation_nobody_knows_is_417) {
  start();
  expect_problem(g_->post("/", "x", {"Expect: the-unexpected"}), 417, "expectation_failed");
  expect_untouched();
}

TEST_F(route_request, that_waits_for_100_continue_gets_on) {
  start();
  client c{g_->port()};
  c.socket().send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(c.socket().receive().starts_with("HTTP/1.1 100"));
  c.socket().send("hello");
  auto const r = c.finish();
  EXPECT_EQ(r.status, 200);
  EXPECT_NE(r.body.find("hello"), std::string::npos);
}

struct malformed {
  char const* name;
  std::string bytes;
  friend void PrintTo(malformed const& m, std::ostream* out) { *out << m.name; }
};

class route_malformed : public route_request, public ::testing::WithParamInterface<malformed> {};

TEST_P(route_malformed, request_is_400_and_the_connection_ends) {
  start();
  client c{g_->port()};
  c.socket().send(GetParam().bytes);
  auto const r = c.finish();
  EXPECT_EQ(r.status, 400) << r.body;
  EXPECT_TRUE(c.socket().is_closed_by_peer());
  expect_untouched();
}

INSTANTIATE_TEST_SUITE_P(
    texts, route_malformed,
    ::testing::Values(
        malformed{"no_http", "hello there\r\n\r\n"}, malformed{"tls", "\x16\x03\x01\x02\x00\r\n\r\n"},
        malformed{"no_host", "GET / HTTP/1.1\r\n\r\n"},
        malformed{"two_hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
        malformed{"bare_lf", "GET / HTTP/1.1\nHost: a\n\n"},
        malformed{"folded_line", "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n"},
        malformed{"space_before_colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"},
        malformed{"two_lengths",
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx"},
        malformed{"length_and_chunks",
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: "
                  "chunked\r\n\r\n0\r\n\r\n"},
        malformed{"negative_length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"},
        malformed{"bad_chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"},
        malformed{"control_byte",
                  "GET / HTTP/1.1\r\nHost: a\r\nX: a\x01"
                  "b\r\n\r\n"}),
    [](auto const& info) { return info.param.name; });

TEST_F(route_request, head_that_never_ends_is_408) {
  start({}, {}, "request_head: 50ms");
  EXPECT_EQ(send_raw(g_->port(), "GET / HTTP/1.1\r\nHost: a\r\n").status, 408);
  expect_untouched();
}

TEST_F(route_request, body_that_stalls_ends_the_connection_and_counts_against_nobody) {
  start({}, {}, "request_body: 50ms");
  auto const r = send_raw(g_->port(), "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_TRUE(r.status == 408 || r.status == 0) << r.status;
  EXPECT_EQ(g_->count("failure"), 0U);
  EXPECT_EQ(g_->get().status, 200);
}

TEST_F(route_request, client_that_goes_away_counts_against_nobody) {
  start();
  auto const door = std::make_shared<gate>();
  u_.now(answers_after(door, 200));
  {
    client c{g_->port()};
    c.start("GET", "/");
    ASSERT_TRUE(becomes_true([&] { return door->waiting() == 1; }));
  }
  EXPECT_TRUE(becomes_true([&] { return g_->count("abandoned") == 1; }));
  door->open();
  u_.now(answers(200));
  EXPECT_EQ(g_->get().status, 200);
  EXPECT_EQ(g_->count("failure"), 0U);
}

TEST_F(route_request, after_request_on_one_connection_are_all_answered_in_order) {
  start();
  client c{g_->port()};
  for (int i = 0; i < 3; ++i) c.start("GET", "/" + std::to_string(i));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(c.finish().body.starts_with("GET /" + std::to_string(i) + " "));
  EXPECT_EQ(u_.requests(), 3);
}

TEST_F(route_request, is_sent_on_without_hop_by_hop_fields) {
  start();
  auto const r =
      g_->get("/a?b", {"Connection: x-mine, keep-alive", "X-Mine: secret", "TE: trailers", "X-Kept: yes"});
  EXPECT_TRUE(r.body.starts_with("GET /a?b HTTP/1.1\n"));
  EXPECT_EQ(r.body.find("secret"), std::string::npos);
  EXPECT_NE(r.body.find("x-kept: yes"), std::string::npos);
}

TEST_F(route_request, invocation_posts_its_body_to_the_tools_path) {
  start();
  auto const r = g_->invoke("t", R"({"amount": 5})");
  EXPECT_EQ(r.status, 200);
  EXPECT_TRUE(r.body.starts_with("POST /run HTTP/1.1\n")) << r.body;
  EXPECT_NE(r.body.find(R"({"amount": 5})"), std::string::npos);
  EXPECT_NE(r.body.find("content-type: application/json"), std::string::npos);
}

TEST_F(route_request, head_gets_no_body) {
  start();
  u_.now(answers(200, "12345"));
  client c{g_->port()};
  auto const r = c.call("HEAD", "/");
  EXPECT_EQ(r.status, 200);
  EXPECT_EQ(r.field("content-length"), "5");
  EXPECT_EQ(c.call("HEAD", "/").status, 200) << "something was left on the connection";
}

TEST_F(route_request, reason_of_each_attempt_is_told_in_a_header_when_asked_for) {
  g_.emplace(setup{.hosts = {u_.url()}, .log = "{access: \"off\", reason_header: true}"});
  u_.now(resets());
  auto const r = g_->post("/", "x");
  EXPECT_EQ(r.status, 502);
  bool told = false;
  for (auto const& [name, value] : r.fields)
    told = told || (name != "content-type" && value.find("reset") != std::string::npos);
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace halfopen::route
