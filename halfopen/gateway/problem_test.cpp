#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <halfopen/gateway/problem.hpp>

namespace halfopen::gateway {
namespace {

using namespace std::chrono_literals;

nlohmann::json document(problem const& p) {
  std::string out;
  append_document(out, p);
  return nlohmann::json::parse(out);
}

std::string reply(problem const& p, reply_frame frame = {}) {
  std::string out;
  append_reply(out, p, frame);
  return out;
}

TEST(problem, tells_type_tool_reason_attempts_and_when_to_come_back) {
  attempt_note const attempts[] = {
      {.number = 1, .host = "http://127.0.0.1:9001", .why = reason::timed_out, .took = 500ms},
      {.number = 2, .host = "http://127.0.0.1:9002", .why = reason::open, .status = 0, .probe = true}};
  auto const d =
      document({.why = reason::open, .tool = "payments", .attempts = attempts, .retry_after = 2500ms});
  EXPECT_EQ(d["type"], "urn:halfopen:problem:open");
  EXPECT_EQ(d["status"], 503);
  EXPECT_EQ(d["tool"], "payments");
  EXPECT_EQ(d["reason"], "open");
  EXPECT_EQ(d["retry_after"], 3);
  EXPECT_EQ(d["attempts"][0]["reason"], "timed_out");
  EXPECT_EQ(d["attempts"][0]["duration_ms"], 500);
  EXPECT_EQ(d["attempts"][1]["probe"], true);
}

TEST(problem, says_nothing_about_retry_where_it_would_mean_nothing) {
  EXPECT_FALSE(document({.why = reason::no_route}).contains("retry_after"));
  EXPECT_EQ(reply({.why = reason::no_route}).find("Retry-After"), std::string::npos);
}

TEST(problem,
     retry_after_is_never_negative_and_never_zero) {  // field: a negative one was sent (gh-aw-mcpg#10686)
  EXPECT_EQ(retry_after_seconds(-5s), 1);
  EXPECT_EQ(retry_after_seconds(0s), 1);
  EXPECT_EQ(retry_after_seconds(1ns), 1);
  EXPECT_EQ(retry_after_seconds(1s), 1);
  EXPECT_EQ(retry_after_seconds(1001ms), 2);
  EXPECT_EQ(retry_after_seconds(duration::max()), 24 * 60 * 60);
  EXPECT_EQ(retry_after_seconds(duration::min()), 1);
}

TEST(problem, length_of_the_reply_is_that_of_the_document) {
  auto const whole = reply({.why = reason::open, .tool = "payments", .retry_after = 1s});
  auto const split = whole.find("\r\n\r\n");
  ASSERT_NE(split, std::string::npos);
  auto const length = std::to_string(whole.size() - split - 4);
  EXPECT_NE(whole.find("Content-Length: " + length + "\r\n"), std::string::npos) << whole;
  EXPECT_TRUE(whole.starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_NE(whole.find("Retry-After: 1\r\n"), std::string::npos);
}

TEST(problem, reply_to_head_has_the_length_but_no_body) {
  auto const whole = reply({.why = reason::no_route}, {.head_only = true});
  EXPECT_TRUE(whole.ends_with("\r\n\r\n"));
  EXPECT_EQ(whole.find("Content-Length: 0"), std::string::npos);
}

TEST(problem, reasons_of_attempts_stand_in_a_header_only_when_asked_for) {
  attempt_note const attempts[] = {{.number = 1, .why = reason::timed_out}, {.number = 2, .status = 500}};
  problem const p{.why = reason::timed_out, .tool = "t", .attempts = attempts};
  EXPECT_EQ(reply(p).find("HalfOpen-Attempts"), std::string::npos);
  EXPECT_NE(reply(p, {.reason_header = true}).find("HalfOpen-Attempts: 1=timed_out, 2=500\r\n"),
            std::string::npos);
}

TEST(problem, every_reason_has_a_status_that_fits_its_kind) {
  for (auto const& r : reason_table) {
    if (r.why == reason::none || r.why == reason::client_gone || r.why == reason::client_slow) continue;
    EXPECT_GE(r.status, 400) << r.code;
    EXPECT_EQ(r.retry_after, r.status == 503) << r.code;
    EXPECT_FALSE(r.code.empty());
    EXPECT_FALSE(r.title.empty());
  }
}

}  // namespace
}  // namespace halfopen::gateway
