#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// Every way into the gateway x every way in which a tool can answer or fail: what the client sees, what is
// counted, and that the gateway goes on.
namespace halfopen::route {
namespace {

enum class way_in { get, post, invoke };
enum class counts_as { success, failure, ignored };

char const* name_of(way_in way) {
  switch (way) {
    case way_in::get: return "get";
    case way_in::post: return "post";
    case way_in::invoke: return "invoke";
  }
  return "";
}

void PrintTo(way_in way, std::ostream* out) { *out << name_of(way); }

struct outcome {
  char const* name;
  behaviour does;
  int status;          // what the client gets
  char const* reason;  // of the problem document; empty: the tool's own answer
  counts_as counted;
  bool whole = true;  // false: the reply had begun when it broke
  friend void PrintTo(outcome const& o, std::ostream* out) { *out << o.name; }
};

std::string many(std::string_view text, int times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

std::string body_of_many_bytes() { return std::string(50, 'b'); }

// The attempt's timeout is 300 ms.
std::vector<outcome> outcomes() {
  using enum counts_as;
  return {
      {"success", answers(200), 200, "", success},
      {"created", answers(201), 201, "", success},
      {"no_content", answers_with("HTTP/1.1 204 None\r\n\r\n", false), 204, "", success},
      {"moved", answers(301, "", {"Location: /there"}), 301, "", success},
      {"tool_error", answers(500, R"({"error":"mine"})"), 500, "", failure},
      {"unavailable", answers(503), 503, "", failure},
      {"callers_mistake", answers(404), 404, "", ignored},
      {"timeout", never_answers(), 504, "timed_out", failure},
      {"reset", resets(), 502, "reset", failure},
      {"closed_without_a_word", closes_without_a_word(), 502, "reset", failure},
      {"garbage", speaks_garbage(), 502, "bad_reply", failure},
      {"http_1_0_garbage", answers_with("HTTP/1.1 2OO OK\r\n\r\n"), 502, "bad_reply", failure},
      {"cut_head", cuts_the_head(), 502, "reset", failure},
      {"huge_head", sends_a_huge_head(), 502, "bad_reply", failure},
      {"cut_body", cuts_the_body(), 200, "", failure, false},
      {"cut_chunks", cuts_the_chunks(), 200, "", failure, false},
      {"reset_inside_the_body", resets_inside_the_body(), 200, "", failure, false},
      {"cut_body_at_once", ends_with("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), 502, "reset",
       failure},
      {"cut_chunks_at_once", ends_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
       502, "reset", failure},
      {"cut_error_at_once", ends_with("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nhalf"), 502, "reset",
       failure},
      {"bad_chunk", answers_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhalf\r\n"), 502,
       "bad_reply", failure},
      {"stalled_body", stalls_inside_the_body(), 200, "", failure, false},
      {"slow_body", trickles(body_of_many_bytes(), 1ms), 200, "", success},
      {"early_hints", informs_first(103), 200, "", success},
      {"hints_without_end", answers_with(many("HTTP/1.1 103 Hints\r\n\r\n", 5000), false), 502, "bad_reply",
       failure},
      {"large_body", answers(200, std::string(1 << 20, 'x')), 200, "", success},
      {"chunks",
       answers_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", false), 200,
       "", success},
      {"body_to_the_end", answers_with("HTTP/1.1 200 OK\r\n\r\nall of it"), 200, "", success},
  };
}

class route_outcome : public ::testing::TestWithParam<std::tuple<way_in, outcome>> {};

reply call_by(gateway const& g, way_in way) {
  switch (way) {
    case way_in::get: return g.get("/things/1?q=2");
    case way_in::post: return g.post("/things", "some text");
    case way_in::invoke: return g.invoke("t", R"({"n": 1})");
  }
  return {};
}

TEST_P(route_outcome, is_told_to_the_client_and_counted_once) {
  auto const& [way, expected] = GetParam();
  upstream u{expected.does};
  gateway g{setup{.hosts = {u.url()}, .attempt_timeout = "300ms"}};
  auto const r = call_by(g, way);
  EXPECT_EQ(r.status, expected.status) << r.body;
  EXPECT_EQ(r.whole, expected.whole);
  if (*expected.reason != '\0') {
    EXPECT_EQ(r.field("content-type"), "application/problem+json");
    auto const problem = json::parse(r.body, nullptr, false);
    ASSERT_TRUE(problem.is_object()) << r.body;
    EXPECT_EQ(problem.value("reason", ""), expected.reason);
    EXPECT_EQ(problem.value("status", 0), expected.status);
    EXPECT_EQ(problem.value("tool", ""), "t");
  }
  u.now(answers(200));
  EXPECT_EQ(call_by(g, way).status, 200);
  EXPECT_EQ(u.requests(), 2);
  std::map<counts_as, char const*> const names{
      {counts_as::success, "success"}, {counts_as::failure, "failure"}, {counts_as::ignored, "ignored"}};
  for (auto const& [kind, name] : names) {
    auto const more = kind == counts_as::success ? 1U : 0U;
    EXPECT_EQ(g.count(name), (kind == expected.counted ? 1U : 0U) + more) << name;
  }
}

std::string name_of_case(::testing::TestParamInfo<route_outcome::ParamType> const& info) {
  return std::string{name_of(std::get<0>(info.param))} + "_" + std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(every, route_outcome,
                         ::testing::Combine(::testing::Values(way_in::get, way_in::post, way_in::invoke),
                                            ::testing::ValuesIn(outcomes())),
                         name_of_case);

TEST(route_outcome_of, a_client_that_does_not_take_its_reply_is_its_own_and_no_failure) {
  // More than the sockets' buffers take, and no more: it must have stalled when the time is up, on a busy
  // machine too.
  upstream u{answers(200, std::string(16'000'000, 'x'))};
  gateway g{setup{.hosts = {u.url()}, .window = "{consecutive: 1}", .attempt_timeout = "3s"}};
  client c{g.port()};
  c.start("GET", "/");
  EXPECT_TRUE(becomes_true([&] { return g.count("abandoned") + g.count("failure") == 1; }));
  EXPECT_EQ(g.count("failure"), 0U);
  EXPECT_EQ(g.state(), "closed");
}

class route_unreachable : public ::testing::TestWithParam<way_in> {};

TEST_P(route_unreachable, tool_is_told_as_502_and_called_again_once_it_listens) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  u.refuse();
  auto const r = call_by(g, GetParam());
  EXPECT_EQ(r.status, 502);
  EXPECT_EQ(json::parse(r.body).value("reason", ""), "unreachable");
  EXPECT_EQ(g.count("failure"), 1U);
  u.listen_again();
  EXPECT_EQ(call_by(g, GetParam()).status, 200);
}

INSTANTIATE_TEST_SUITE_P(every, route_unreachable,
                         ::testing::Values(way_in::get, way_in::post, way_in::invoke),
                         [](auto const& info) { return std::string{name_of(info.param)}; });

}  // namespace
}  // namespace halfopen::route
