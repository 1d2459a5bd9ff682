#include <string>

#include <gtest/gtest.h>

#include <halfopen/net/http_forward.hpp>
#include <halfopen/net/http_parser.hpp>

namespace halfopen::net {
namespace {

struct http_forward : testing::Test {
  request_head const& parse(std::string_view bytes) {
    parser.reset();
    EXPECT_TRUE(parser.next(bytes).is_complete()) << bytes;
    return parser.head();
  }
  request_parser parser;
};

TEST_F(http_forward, sends_an_ordinary_head_as_it_came) {
  std::string_view const bytes = "GET / HTTP/1.1\r\nHost: a\r\nx:1\r\n\r\n";
  forwarded_head const sent{parse(bytes)};
  ASSERT_EQ(sent.pieces().size(), 1U);
  EXPECT_EQ(sent.pieces()[0].iov_base, bytes.data());
  EXPECT_EQ(sent.text(), bytes);
}

TEST_F(http_forward, leaves_out_what_concerns_only_this_connection) {
  forwarded_head const sent{parse(
      "GET / HTTP/1.1\r\nConnection: close, X-Gone\r\nHost: a\r\nTE: trailers\r\nX-Stays: 1\r\nx-gone: 2\r\n"
      "Keep-Alive: 5\r\nUpgrade: h2c\r\nProxy-Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n")};
  EXPECT_EQ(sent.text(), "GET / HTTP/1.1\r\nHost: a\r\nX-Stays: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(sent.size(), sent.text().size());
}

TEST_F(http_forward, changes_the_first_line_and_adds_fields) {
  auto const& head = parse("GET http://a/b HTTP/1.0\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(forwarded_head(head, "GET /b HTTP/1.1\r\n", "Via: 1.1 x\r\n").text(),
            "GET /b HTTP/1.1\r\nHost: a\r\nVia: 1.1 x\r\n\r\n");
  EXPECT_EQ(forwarded_head(head, {}, "Via: 1.1 x\r\n").text(),
            "GET http://a/b HTTP/1.0\r\nHost: a\r\nVia: 1.1 x\r\n\r\n");
  EXPECT_EQ(forwarded_head(head, "GET /b HTTP/1.1\r\n").text(), "GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST_F(http_forward, copies_where_there_are_more_pieces_than_fit) {
  std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n";
  std::string wanted = bytes;
  for (int i = 0; i < 40; ++i) {
    bytes += "TE: x\r\nX" + std::to_string(i) + ": 1\r\n";
    wanted += "X" + std::to_string(i) + ": 1\r\n";
  }
  bytes += "\r\n";
  forwarded_head const sent{parse(bytes), {}, "Via: 1.1 x\r\n"};
  EXPECT_EQ(sent.text(), wanted + "Via: 1.1 x\r\n\r\n");
  EXPECT_LE(sent.pieces().size(), forwarded_head::pieces_max);
}

TEST_F(http_forward, gives_the_same_text_sliced_or_copied) {
  for (int fields = 0; fields < 20; ++fields) {
    std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n";
    std::string wanted = "GET /x HTTP/1.1\r\nHost: a\r\n";
    for (int i = 0; i < fields; ++i) bytes += i % 2 == 0 ? "Keep-Alive: x\r\n" : "X: 1\r\n";
    for (int i = 1; i < fields; i += 2) wanted += "X: 1\r\n";
    bytes += "\r\n";
    EXPECT_EQ(forwarded_head(parse(bytes), "GET /x HTTP/1.1\r\n").text(), wanted + "\r\n");
    EXPECT_EQ(forwarded_head(parse(bytes), "GET /x HTTP/1.1\r\n", "A: b\r\n").text(),
              wanted + "A: b\r\n\r\n");
  }
}

}  // namespace
}  // namespace halfopen::net
