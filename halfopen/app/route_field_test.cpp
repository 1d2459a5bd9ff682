#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// Faults that users of other systems reported and that a whole gateway can have, each under its public
// number. The policies have their own: halfopen/policy/circuit_breaker_field_test.cpp.
namespace halfopen::route {
namespace {

constexpr auto long_open = "{initial: 1h, multiplier: 1, maximum: 1h, jitter: none}";

std::string reason_of(reply const& r) { return json::parse(r.body, nullptr, false).value("reason", ""); }

// ---- a probe's slot is never lost

struct probe_end {
  char const* name;
  behaviour does;
  friend void PrintTo(probe_end const& p, std::ostream* out) { *out << p.name; }
};

class field_probe : public ::testing::TestWithParam<probe_end> {};

// gh-aw-mcpg#10686, nora#585, OmniRoute#13836: ways out of a call that forgot to report (a transport error, a
// 4xx, a body that cannot be read, one that never ends) kept the only slot, and the tool was never called
// again.
TEST_P(field_probe, that_ends_like_this_leaves_its_slot_to_the_next) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .breaker = ", probe_timeout: 60ms, max_probe_timeout: 60ms"}};
  for (int round = 0; round < 2; ++round) {
    g.trip(u);
    int const before = u.requests();
    u.now(GetParam().does);
    ASSERT_TRUE(becomes_true([&] {
      std::ignore = g.get();
      return u.requests() > before;
    }));
    u.now(answers(200));
    EXPECT_TRUE(g.calls_until(200)) << round;
    EXPECT_TRUE(g.reaches("closed")) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(
    ends, field_probe,
    ::testing::Values(probe_end{"reset", resets()}, probe_end{"silence", never_answers()},
                      probe_end{"callers_mistake", answers(404)}, probe_end{"throttled", answers(429)},
                      probe_end{"garbage", speaks_garbage()}, probe_end{"cut_head", cuts_the_head()},
                      probe_end{"cut_body", cuts_the_body()},
                      probe_end{"cut_at_once", ends_with("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")},
                      probe_end{"stalled_body", stalls_inside_the_body()}),
    [](auto const& info) { return std::string{info.param.name}; });

// finagle#524: no session could be had while the probe was open, nobody reported that, and it stayed so.
TEST(field_probe_to, a_port_where_nobody_listens_has_failed) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  g.trip(u);
  u.refuse();
  ASSERT_TRUE(g.calls_until(502));
  EXPECT_TRUE(g.reaches("open"));
  u.listen_again();
  u.now(answers(200));
  EXPECT_TRUE(g.calls_until(200));
}

// brpc#2634, brpc#2400: a host that takes connections and answers nothing was taken for recovered.
TEST(field_probe_to, a_port_that_listens_and_says_nothing_is_no_recovery) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .breaker = ", probe_timeout: 50ms, max_probe_timeout: 50ms"}};
  g.trip(u);
  u.now(never_answers());
  int const before = u.connections();
  ASSERT_TRUE(becomes_true([&] {
    std::ignore = g.get();
    return u.connections() > before + 2;
  }));
  EXPECT_NE(g.state(), "closed");
}

// ---- what is counted

// resilience4j#1653: one refused call was told three times. envoy#12816, envoy#44164: the wrong counter went
// up.
TEST(field_refusal, is_one_count_one_row_and_one_reason) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  g.trip(u);
  auto const metric = R"(halfopen_calls_answered_total{tool="t",reason="open"})";
  auto const counted = g.count("rejected");
  auto const measured = g.scrape()[metric];
  auto const written = g.ask("/v1/audit?kind=refusal&limit=1000")["rows"].size();
  EXPECT_EQ(reason_of(g.get()), "open");
  EXPECT_EQ(reason_of(g.post("/", "text")), "open");
  EXPECT_EQ(g.count("rejected"), counted + 2);
  EXPECT_EQ(g.scrape()[metric], measured + 2);
  EXPECT_EQ(g.ask("/v1/audit?kind=refusal&limit=1000")["rows"].size(), written + 2);
}

// brpc#3532, cerberus#738: callers who went away were taken for failures, and opened it.
TEST(field_cancelled, calls_open_nothing_however_many) {
  auto const door = std::make_shared<gate>();
  upstream u{answers_after(door, 200)};
  gateway g{setup{.hosts = {u.url()}, .window = "{consecutive: 1}", .minimum_calls = "1"}};
  for (int i = 1; i <= 5; ++i) {
    client c{g.port()};
    c.start("GET", "/");
    ASSERT_TRUE(becomes_true([&] { return u.requests() == i; }));
    c.socket().close();
  }
  EXPECT_TRUE(becomes_true([&] { return g.count("abandoned") == 5; }));
  EXPECT_EQ(g.count("failure"), 0U);
  EXPECT_EQ(g.state(), "closed");
}

// ---- hosts

// envoy#2671, envoy#10770: with every host out, traffic went there all the same, and nobody could see that.
TEST(field_hosts, kept_when_all_are_open_are_counted) {
  upstream u{answers(500)};
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open, .per = "host"}};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(g.get().status, 500);
  EXPECT_EQ(g.scrape()[R"(halfopen_last_host_kept_total{tool="t"})"], 2);
}

// envoy#3263, #17504, #27909: the only host was taken out although nobody had asked for that.
TEST(field_hosts, that_is_the_only_one_is_taken_out_only_where_the_file_says_so) {
  for (auto const* rule : {"keep", "reject"}) {
    upstream u{answers(500)};
    gateway g{setup{.hosts = {u.url()},
                    .open_for = long_open,
                    .per = "host",
                    .tool = std::string{", last_host: "} + rule}};
    for (int i = 0; i < 4; ++i) EXPECT_EQ(g.get().status, 500);
    EXPECT_EQ(g.get().status, std::string{rule} == "keep" ? 500 : 503) << rule;
  }
}

// ---- reload

// otoroshi#883: a breaker that was kept over a reload never saw its new settings. Sentinel#2901: one that saw
// them had forgotten its state.
TEST(field_reload, takes_the_new_settings_into_the_breaker_that_is_there) {
  upstream u{answers(500)};
  setup s{.hosts = {u.url()}, .window = "{consecutive: 9}", .minimum_calls = "1", .open_for = long_open};
  gateway g{s};
  std::ignore = g.get();
  auto const epoch = g.breaker()["epoch"];
  s.window = "{consecutive: 2}";
  g.configure(s);
  EXPECT_EQ(g.admin("POST", "/v1/reload").status, 200);
  EXPECT_EQ(g.breaker()["epoch"], epoch);
  for (int i = 0; i < 2; ++i) std::ignore = g.get();
  EXPECT_EQ(g.get().status, 503);
}

// Hystrix#1737, resilience4j#2243: what belonged to names that are no longer used was kept for ever.
TEST(field_reload, forgets_tools_that_are_gone) {
  upstream u;
  setup s{.hosts = {u.url()}};
  gateway g{s};
  for (int i = 0; i < 20; ++i) {
    s.tools = "  passing" + std::to_string(i) + ": {hosts: [" + u.url() + "], policy: careful}\n";
    g.configure(s);
    ASSERT_EQ(g.admin("POST", "/v1/reload").status, 200);
    ASSERT_EQ(g.invoke("passing" + std::to_string(i)).status, 200);
  }
  std::set<std::string> tools;
  for (auto const& [line, value] : g.scrape())
    if (auto const at = line.find("tool=\""); at != std::string::npos)
      tools.insert(line.substr(at + 6, line.find('"', at + 6) - at - 6));
  EXPECT_THAT(tools, ::testing::UnorderedElementsAre("t", "passing19"));
}

}  // namespace
}  // namespace halfopen::route
