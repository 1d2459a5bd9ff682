#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// What the gateway tells about itself: metrics, events, the audit log, the access log.
namespace halfopen::route {
namespace {

constexpr auto long_open = "{initial: 1h, multiplier: 1, maximum: 1h, jitter: none}";

double sum_of(metrics const& m, std::string const& name, std::string const& label) {
  double sum = 0;
  for (auto const& [key, value] : m)
    if (key.starts_with(name + '{') && key.find(label) != std::string::npos) sum += value;
  return sum;
}

// ---- metrics

TEST(route_metrics, count_each_outcome_by_its_reason) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  EXPECT_EQ(g.get().status, 200);
  g.trip(u);
  EXPECT_EQ(g.invoke("nobody").status, 404);
  auto const text = g.admin("GET", "/metrics").body;
  auto const m = parse_metrics(text);
  EXPECT_GE(sum_of(m, "halfopen_calls_total", "tool=\"t\""), 4.0) << text;
  EXPECT_GE(sum_of(m, "halfopen_calls_answered_total", "reason=\"open\""), 1.0) << text;
  EXPECT_EQ(sum_of(m, "halfopen_requests_refused_total", "reason=\"unknown_tool\""), 1.0) << text;
  EXPECT_EQ(m.at(R"(halfopen_breaker_state{tool="t",host="",state="open"})"), 1.0) << text;
  EXPECT_NE(text.find("# TYPE"), std::string::npos);
  EXPECT_NE(text.find("# HELP"), std::string::npos);
}

TEST(route_metrics, only_ever_grow_for_counters) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  auto before = g.scrape();
  for (int round = 0; round < 3; ++round) {
    g.get();
    if (round == 1) g.trip(u);
    auto const after = g.scrape();
    for (auto const& [key, value] : before) {
      if (key.find("_total") == std::string::npos) continue;
      EXPECT_GE(after.at(key), value) << key;
    }
    before = after;
  }
}

// ---- events

/// Reads server-sent events off a stream.
class event_stream {
 public:
  explicit event_stream(gateway const& g, std::string const& after = {}, std::string const& token = {})
      : connection_{connection::to(g.admin_port())} {
    connection_.send("GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + token + "\r\n" +
                     (after.empty() ? "" : "Last-Event-ID: " + after + "\r\n") + "\r\n");
  }
  struct event {
    std::string id, kind, data;
  };
  std::optional<event> next() {
    std::size_t end = 0;
    while ((end = text_.find("\n\n")) == std::string::npos || text_.find("data:") > end) {
      if (end != std::string::npos) {
        text_.erase(0, end + 2);  // a comment, or the head
        continue;
      }
      auto const more = connection_.receive();
      if (more.empty()) return {};
      text_ += more;
    }
    event e;
    std::istringstream lines{text_.substr(0, end)};
    text_.erase(0, end + 2);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("id:")) e.id = line.substr(4);
      if (line.starts_with("event:")) e.kind = line.substr(7);
      if (line.starts_with("data:")) e.data = line.substr(6);
    }
    return e;
  }
  /// The next change of state: "closed -> open".
  std::optional<event> next_transition() {
    for (;;) {
      auto e = next();
      if (!e || e->kind == "transition") return e;
    }
  }

 private:
  connection connection_;
  std::string text_;
};

std::string change(event_stream::event const& e) {
  auto const data = json::parse(e.data, nullptr, false);
  return data.value("from", "") + "->" + data.value("to", "");
}

TEST(route_events, tell_trip_probe_and_recovery_in_order) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  event_stream events{g, {}, g.token()};
  g.trip(u);
  u.now(answers(200));
  ASSERT_TRUE(g.calls_until(200));
  std::vector<std::string> seen;
  while (seen.empty() || seen.back() != "half_open->closed") {
    auto const e = events.next_transition();
    ASSERT_TRUE(e) << "only " << seen.size() << " came";
    seen.push_back(change(*e));
    ASSERT_LT(seen.size(), 50U);
  }
  EXPECT_EQ(seen.front(), "closed->open");
  for (std::size_t i = 1; i < seen.size(); ++i)
    EXPECT_EQ(seen[i].substr(0, seen[i].find('-')), seen[i - 1].substr(seen[i - 1].find('>') + 1)) << i;
}

TEST(route_events, go_on_after_the_last_one_a_client_saw) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  std::string last;
  {
    event_stream events{g, {}, g.token()};
    g.trip(u);
    auto const e = events.next_transition();
    ASSERT_TRUE(e);
    last = e->id;
  }
  ASSERT_EQ(g.operate("reset").status, 200);
  ASSERT_EQ(g.operate("force-open").status, 200);
  event_stream again{g, last, g.token()};
  auto const first = again.next_transition();
  ASSERT_TRUE(first);
  EXPECT_EQ(change(*first), "open->closed");
  auto const second = again.next_transition();
  ASSERT_TRUE(second);
  EXPECT_EQ(change(*second), "closed->forced_open");
}

// ---- audit

TEST(route_audit, tells_refusals_failures_and_successes) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  EXPECT_EQ(g.get("/paid").status, 200);
  g.trip(u);
  auto const refused = g.ask("/v1/audit?kind=refusal")["rows"];
  ASSERT_FALSE(refused.empty());
  EXPECT_EQ(refused[0]["outcome"], "open");
  EXPECT_EQ(refused[0]["tool"], "t");
  auto const calls = g.ask("/v1/audit?kind=call&order=oldest")["rows"];
  ASSERT_EQ(calls.size(), 4U);  // one good, three bad ones until it tripped
  EXPECT_EQ(calls[0]["status"], 200);
  EXPECT_NE(calls[0]["what"].get<std::string>().find("/paid"), std::string::npos);
}

TEST(route_audit, pages_until_there_is_no_next) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  for (int i = 0; i < 7; ++i) std::ignore = g.get();
  std::size_t rows = 0;
  std::string after;
  for (int pages = 0; pages < 10; ++pages) {
    auto const page = g.ask("/v1/audit?kind=call&limit=3" + after);
    EXPECT_LE(page["rows"].size(), 3U);
    rows += page["rows"].size();
    if (!page.contains("next") || page["next"].is_null()) break;
    after = "&after=" + page["next"].dump();
  }
  EXPECT_EQ(rows, 7U);
}

TEST(route_audit, export_has_every_row_one_a_line) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  for (int i = 0; i < 12; ++i) std::ignore = g.get();
  auto const r = g.admin("GET", "/v1/audit?format=jsonl&kind=call");
  EXPECT_EQ(r.status, 200);
  std::istringstream lines{r.body};
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows)
    EXPECT_TRUE(json::parse(line, nullptr, false).is_object()) << line;
  EXPECT_EQ(rows, 12);
}

class route_audit_question : public ::testing::TestWithParam<char const*> {};

TEST_P(route_audit_question, that_makes_no_sense_is_400) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  EXPECT_EQ(g.admin("GET", std::string{"/v1/audit?"} + GetParam()).status, 400);
}

INSTANTIATE_TEST_SUITE_P(queries, route_audit_question,
                         ::testing::Values("kind=nonsense", "limit=many", "limit=0", "limit=-1", "after=x",
                                           "from=yesterday", "unknown=1"));

TEST(route_audit, leaves_out_successes_by_setting_and_counts_them_all_the_same) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .audit = "{successes: 0%}"}};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(g.get().status, 200);
  u.now(answers(500));
  std::ignore = g.get();
  EXPECT_EQ(g.ask("/v1/audit?kind=call")["rows"].size(), 1U);
  EXPECT_EQ(g.count("success"), 5U);
}

TEST(route_audit, unasked_has_every_failure_and_invocation_and_few_other_successes) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .minimum_calls = "1", .audit = "{arguments: false}"}};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(g.get("/good").status, 200);
  EXPECT_EQ(g.invoke("t", "{}").status, 200);
  EXPECT_EQ(g.invoke("t", "{}").status, 200);
  u.now(answers(404));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(g.get("/bad").status, 404);
  std::map<std::string, int> rows;
  auto const page = g.ask("/v1/audit?kind=call&limit=1000");
  for (auto const& row : page["rows"]) ++rows[row["what"]];
  EXPECT_LT(rows["GET /good"], 20);
  EXPECT_EQ(rows["POST /v1/tools/t/invoke"], 2);
  EXPECT_EQ(rows["GET /bad"], 5);
  EXPECT_EQ(g.count("success"), 102U);
}

TEST(route_audit, of_all_successes_begins_with_a_reload) {
  upstream u;
  setup s{.hosts = {u.url()}, .audit = "{successes: 0%}"};
  gateway g{s};
  EXPECT_EQ(g.get().status, 200);
  s.audit = "{successes: 100%}";
  g.configure(s);
  EXPECT_EQ(g.admin("POST", "/v1/reload").status, 200);
  EXPECT_EQ(g.get().status, 200);
  EXPECT_EQ(g.ask("/v1/audit?kind=call")["rows"].size(), 1U);
}

TEST(route_audit, keeps_arguments_when_asked_to_and_hides_secrets) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .audit = "{arguments: true}"}};
  std::ignore = g.invoke("t", R"({"amount": 5, "card": {"token": "hunter2"}})");
  auto const page = g.ask("/v1/audit?kind=call");
  EXPECT_NE(page.dump().find("amount"), std::string::npos) << page.dump();
  EXPECT_EQ(page.dump().find("hunter2"), std::string::npos);
}

TEST(route_audit, keeps_no_arguments_unless_asked_to) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  std::ignore = g.invoke("t", R"({"amount": 12345})");
  EXPECT_EQ(g.ask("/v1/audit").dump().find("12345"), std::string::npos);
}

// ---- access log

TEST(route_access_log, is_a_line_of_json_a_request_with_its_reason) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open, .log = "{access: access.log}"}};
  EXPECT_EQ(g.get("/first").status, 200);
  g.trip(u);
  EXPECT_EQ(g.end(), 0);
  std::istringstream lines{contents(g.file("access.log"))};
  int rows = 0;
  bool told = false;
  for (std::string line; std::getline(lines, line); ++rows) {
    auto const row = json::parse(line, nullptr, false);
    ASSERT_TRUE(row.is_object()) << line;
    told = told || row.value("reason", "") == "open";
  }
  EXPECT_EQ(rows, 5);
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace halfopen::route
