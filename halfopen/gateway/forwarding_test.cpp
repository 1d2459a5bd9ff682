#include <gtest/gtest.h>

#include <halfopen/gateway/forwarding.hpp>
#include <halfopen/net/http_parser.hpp>

namespace halfopen::gateway {
namespace {

std::string sent_on(std::string_view head, request_edit edit = {}) {
  net::request_parser p;
  EXPECT_TRUE(p.next(head).is_complete()) << head;
  edit.client = "192.0.2.7";
  std::string out;
  (void)append_request_head(out, p.head(), edit);
  return out;
}

std::string sent_back(std::string_view head, reply_edit const& edit = {}) {
  net::response_parser p;
  EXPECT_TRUE(p.next(head).is_complete()) << head;
  std::string out;
  append_reply_head(out, p.head(), edit);
  return out;
}

TEST(forwarding, keeps_a_request_and_tells_the_way_it_came) {
  EXPECT_EQ(
      sent_on("GET /a?b HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n"),
      "GET /a?b HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nX-Forwarded-For: 192.0.2.7\r\nVia: 1.1 halfopen\r\n");
}

TEST(forwarding, leaves_out_what_concerns_one_connection) {
  auto const out = sent_on(
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, X-Private\r\nKeep-Alive: 5\r\nTE: trailers\r\n"
      "Proxy-Connection: close\r\nUpgrade: h2c\r\nX-Private: 1\r\nX-Public: 2\r\nExpect: "
      "100-continue\r\n\r\n");
  for (auto const* gone : {"Connection", "Keep-Alive", "TE:", "Upgrade", "X-Private", "Expect"})
    EXPECT_EQ(out.find(gone), std::string::npos) << gone << " in " << out;
  EXPECT_NE(out.find("X-Public: 2\r\n"), std::string::npos);
}

TEST(forwarding, keeps_what_an_earlier_gateway_said) {
  auto const out = sent_on("GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.1\r\n\r\n");
  EXPECT_LT(out.find("X-Forwarded-For: 198.51.100.1\r\n"), out.find("X-Forwarded-For: 192.0.2.7\r\n"));
}

TEST(forwarding, turns_an_absolute_target_into_a_path) {
  EXPECT_TRUE(sent_on("GET http://x/a?b HTTP/1.1\r\nHost: x\r\n\r\n").starts_with("GET /a?b HTTP/1.1\r\n"));
}

TEST(forwarding, gives_another_first_line_and_leaves_room_for_another_host_and_length) {
  auto const out = sent_on(
      "POST /v1/tools/t/invoke HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n",
      {.client = {}, .first_line = "POST /run HTTP/1.1\r\n", .drop_framing = true, .drop_host = true});
  EXPECT_EQ(out, "POST /run HTTP/1.1\r\nX-Forwarded-For: 192.0.2.7\r\nVia: 1.1 halfopen\r\n");
}

TEST(forwarding, keeps_a_reply_but_for_its_connection) {
  EXPECT_EQ(sent_back("HTTP/1.1 200 Fine\r\nConnection: keep-alive\r\nContent-Length: 3\r\nX: y\r\n\r\n"),
            "HTTP/1.1 200 Fine\r\nContent-Length: 3\r\nX: y\r\n\r\n");
}

TEST(forwarding, says_its_own_version_and_whether_it_closes) {
  EXPECT_EQ(sent_back("HTTP/1.0 204 No Content\r\n\r\n", {.keep_alive = false}),
            "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(sent_back("HTTP/1.1 204 No Content\r\n\r\n", {.says_keep_alive = true}),
            "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n");
}

TEST(forwarding, leaves_a_reply_alone_only_where_the_edited_head_would_be_the_same) {
  for (std::string_view const text :
       {"HTTP/1.1 200 Fine\r\nContent-Length: 3\r\nX: y\r\n\r\n",
        "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n", "HTTP/1.0 204 No Content\r\n\r\n",
        "HTTP/1.1 200 Fine\r\nConnection: X\r\nX: y\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 Fine\r\n\r\n"}) {
    net::response_parser p;
    ASSERT_TRUE(p.next(text).is_complete()) << text;
    for (unsigned bits = 0; bits < 32; ++bits) {
      reply_edit const edit{.keep_alive = (bits & 1) == 0,
                            .says_keep_alive = (bits & 2) != 0,
                            .drop_framing = (bits & 4) != 0,
                            .add_chunked = (bits & 8) != 0,
                            .added = (bits & 16) != 0 ? "Z: 1\r\n" : ""};
      if (!stays_as_it_is(p.head(), edit)) continue;
      EXPECT_EQ(sent_back(text, edit), text) << bits;
    }
  }
  net::response_parser p;
  ASSERT_TRUE(p.next("HTTP/1.1 200 Fine\r\nContent-Length: 3\r\n\r\n").is_complete());
  EXPECT_TRUE(stays_as_it_is(p.head(), {}));
}

TEST(forwarding, a_status_line_without_a_phrase_stays_one) {
  EXPECT_EQ(sent_back("HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n"),
            "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n");
}

TEST(forwarding, chunks_are_told_as_such) {
  std::string out;
  append_chunk(out, std::string(26, 'a'), false);
  EXPECT_EQ(out, "1a\r\n" + std::string(26, 'a') + "\r\n");
  out.clear();
  append_chunk(out, {}, true);
  EXPECT_EQ(out, "0\r\n\r\n");
}

TEST(forwarding, retry_after_is_a_number_or_nothing) {
  auto const read = [](std::string const& value) {
    net::response_parser p;
    auto const text = "HTTP/1.1 429 x\r\nRetry-After: " + value + "\r\nContent-Length: 0\r\n\r\n";
    EXPECT_TRUE(p.next(text).is_complete());  // the head is views into the text
    return retry_after_of(p.head());
  };
  EXPECT_EQ(read("7"), 7);
  EXPECT_EQ(read("-7"), 0);
  EXPECT_EQ(read("Wed, 21 Oct 2015 07:28:00 GMT"), 0);
  EXPECT_EQ(read("99999999999999999999999"), 0);
}

}  // namespace
}  // namespace halfopen::gateway
