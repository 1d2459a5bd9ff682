#include <string>

#include <gtest/gtest.h>

#include <halfopen/net/http_body.hpp>

namespace halfopen::net {
namespace {

using enum body_framing::kind;

/// The payload of a body that arrives in pieces of `step` bytes; what follows the body is left alone.
std::string payload(body_framing f, std::string_view bytes, std::size_t step) {
  body_reader reader{f};
  std::string all;
  for (std::size_t at = 0; at < bytes.size() && !reader.ended();) {
    auto const piece = reader.next(bytes.substr(at, step));
    EXPECT_FALSE(piece.step.is_bad()) << rule_of(piece.step.why).because;
    all += piece.payload;
    at += piece.consumed;
  }
  EXPECT_TRUE(reader.close());
  return all;
}

TEST(body_reader, gives_the_payload_however_it_arrives) {
  for (std::size_t step = 1; step < 40; ++step) {
    EXPECT_EQ(payload({length, 5}, "helloGET /", step), "hello");
    EXPECT_EQ(payload({chunked, 0}, "3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nX: y\r\n\r\nGET /", step), "hello");
    EXPECT_EQ(payload({until_close, 0}, "hello", step), "hello");
    EXPECT_EQ(payload({none, 0}, "GET /", step), "");
  }
}

TEST(body_reader, knows_a_whole_body_from_a_cut_one) {
  body_reader by_length{{length, 5}};
  EXPECT_EQ(by_length.next("hell").consumed, 4U);
  EXPECT_FALSE(by_length.close());
  body_reader by_chunks{{chunked, 0}};
  EXPECT_EQ(by_chunks.next("0\r\n").consumed, 3U);
  EXPECT_FALSE(by_chunks.close());
  body_reader by_close{{until_close, 0}};
  EXPECT_TRUE(by_close.close());
}

TEST(body_reader, passes_a_body_on_without_its_neighbour) {
  std::string_view const bytes = "5\r\nhello\r\n0\r\n\r\nHTTP/1.1";
  body_reader reader{{chunked, 0}};
  std::size_t consumed = 0;
  auto const step = reader.pass(bytes, consumed);
  EXPECT_TRUE(step.is_complete());
  EXPECT_EQ(bytes.substr(consumed), "HTTP/1.1");
  EXPECT_TRUE(reader.ended());
}

TEST(body_reader, tells_where_a_passed_body_went_bad) {
  body_reader reader{{chunked, 0}};
  std::size_t consumed = 0;
  auto const step = reader.pass("2\r\nab\r\n2\r\ncd!", consumed);
  EXPECT_EQ(step, parse_step::bad(http_fault::bad_chunk_end, 12));
  EXPECT_EQ(consumed, 12U);
}

TEST(body_reader, refuses_extensions_that_add_up_over_many_chunks) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += "1;aaaaaaaa\r\nx\r\n";
  body_reader reader{{chunked, 0}};
  std::size_t consumed = 0;
  EXPECT_EQ(reader.pass(bytes, consumed).why, http_fault::bad_chunk_extension);
}

}  // namespace
}  // namespace halfopen::net
