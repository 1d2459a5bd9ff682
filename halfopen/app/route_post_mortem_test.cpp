#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// The six tests that the tool gateway of the post-mortem was given when its breaker had never recovered: the
// wire itself, and every path that once stopped the server on bad data.
namespace halfopen::route {
namespace {

json storage_of(gateway const& g) { return g.ask("/healthz")["storage"]; }

TEST(route_post_mortem, breaker_closes_after_the_timeout) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  g.trip(u);
  u.now(answers(200));
  EXPECT_TRUE(g.calls_until(200));
  EXPECT_EQ(g.state(), "closed");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(g.get().status, 200);
}

TEST(route_post_mortem, rates_equal_counts_and_ten_failures_show_1_0) {
  upstream u{answers(500)};
  gateway g{setup{.hosts = {u.url()}, .window = "{calls: 100}", .minimum_calls = "100"}};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(g.get().status, 500);
  auto health = g.ask("/v1/tools/t")["health"];
  EXPECT_EQ(health["failure_count"], 10);
  EXPECT_EQ(health["total_invocations"], 10);
  EXPECT_EQ(health["failure_rate"], 1.0);
  EXPECT_EQ(health["success_rate"], 0.0);
  u.now(answers(200));
  for (int i = 0; i < 30; ++i) EXPECT_EQ(g.get().status, 200);
  health = g.ask("/v1/tools/t")["health"];
  EXPECT_EQ(health["failure_rate"], 0.25);
  EXPECT_EQ(health["success_rate"], 0.75);
}

TEST(route_post_mortem, audit_field_cut_inside_a_utf8_character_is_cut_before_it) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .audit = "{arguments: true, field_max: 64B}"}};
  std::string
      euros;  // of three bytes each: with 0, 1 and 2 bytes before them the limit falls inside one twice
  for (int i = 0; i < 100; ++i) euros += "\xE2\x82\xAC";
  for (std::size_t before = 0; before < 3; ++before)
    EXPECT_EQ(g.invoke("t", json(std::string(before, 'x') + euros).dump()).status, 200);
  auto const page = g.ask("/v1/audit?kind=call");
  ASSERT_EQ(page["rows"].size(), 3U);
  EXPECT_EQ(page.dump(-1, ' ', false, json::error_handler_t::strict).find("\xEF\xBF\xBD"), std::string::npos);
  for (auto const& row : page["rows"]) {
    EXPECT_LE(text_at(row, "arguments").size(), 64U);
    ASSERT_FALSE(row["cuts"].empty()) << row.dump();
    EXPECT_EQ(text_at(row["cuts"][0], "field"), "arguments");
    EXPECT_GE(row["cuts"][0].value("bytes", 0), 302);
    EXPECT_EQ(text_at(row["cuts"][0], "sha256").size(), 64U);
  }
}

TEST(route_post_mortem, value_that_cannot_be_serialised_is_told_and_stops_nobody) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .audit = "{arguments: true}"}};
  u.now(answers(500, "caf\xE9 \xFF\xFE"));
  EXPECT_EQ(g.get("/caf%E9", {"User-Agent: \xFF\xFE", "X-Request-Id: \xE9"}).status, 500);
  std::ignore = g.invoke("t", "{\"name\":\"caf\xE9\"}");
  std::ignore = g.invoke("t", R"({"n":1e999,"s":"\ud800"})");
  std::ignore = g.operate("reset", "\x01\x7F \xC2\x85");
  auto const page = g.ask("/v1/audit");
  EXPECT_GE(page["rows"].size(), 3U);
  EXPECT_TRUE(page["problems"].empty()) << page.dump();
  u.now(answers(200));
  EXPECT_EQ(g.get().status, 200);
}

TEST(route_post_mortem, bad_timestamp_in_a_stored_row_is_told_and_stops_nobody) {
  upstream u{answers(500)};
  gateway g{setup{.hosts = {u.url()}}};
  std::ignore = g.get();
  EXPECT_EQ(g.end(), 0);
  run_sql(g.file("halfopen.db"),
          "UPDATE health_metrics SET last_failure_at = 'yesterday', last_success_at = X'FF';"
          "DROP TRIGGER audit_log_is_never_changed;"
          "UPDATE audit_log SET at = 'garbage'");
  g.start();
  EXPECT_EQ(g.count("failure"), 1U);
  auto const page = g.ask("/v1/audit");
  EXPECT_FALSE(page["problems"].empty()) << page.dump();
  EXPECT_GE(storage_of(g).value("rows_unreadable", 0), 2);
  EXPECT_EQ(g.get().status, 500);
}

TEST(route_post_mortem, storage_channel_that_is_closed_is_told_and_stops_nobody) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}, HALFOPEN_WRITER_GONE};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(g.get().status, 200);
  g.trip(u);
  u.now(answers(200));
  EXPECT_TRUE(g.calls_until(200));
  auto const storage = storage_of(g);
  EXPECT_EQ(storage["ok"], false);
  EXPECT_GE(storage.value("rows_dropped", 0), 7);
  EXPECT_EQ(g.scrape().at("halfopen_storage_ok"), 0.0);
  auto const page = g.admin("GET", "/v1/audit");
  EXPECT_EQ(page.status, 503) << page.body;
  EXPECT_EQ(g.operate("force-open").status, 202);
  EXPECT_EQ(g.get().status, 503);
  EXPECT_EQ(g.end(), 0);
}

}  // namespace
}  // namespace halfopen::route
