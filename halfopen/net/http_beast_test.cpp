// Beast as an oracle: every sample that both must understand, they understand alike; every difference is
// explained in the sample.
#include <cstdint>
#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/dynamic_body.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <gtest/gtest.h>

#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_parser.hpp>
#include <halfopen/net/http_samples.hpp>

namespace halfopen::net {
namespace {

namespace http = boost::beast::http;

template <bool Request>
bool beast_takes_head(std::string_view bytes) {
  http::parser<Request, http::empty_body> parser;
  parser.header_limit(64 * 1024);
  parser.body_limit(UINT64_MAX);
  boost::system::error_code code;
  parser.put(boost::asio::const_buffer{bytes.data(), bytes.size()}, code);
  return !code && parser.is_header_done();
}

bool beast_takes_body(std::string_view bytes) {
  std::string const whole = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string{bytes};
  http::response_parser<http::string_body> parser;
  parser.eager(true);
  parser.header_limit(64 * 1024);
  parser.body_limit(UINT64_MAX);
  boost::system::error_code code;
  std::size_t at = 0;
  while (at < whole.size() && !parser.is_done()) {
    std::size_t const used =
        parser.put(boost::asio::const_buffer{whole.data() + at, whole.size() - at}, code);
    at += used;
    if (code || used == 0) break;
  }
  return !code && parser.is_done();
}

void compare(http_sample const& sample, bool beast_takes) {
  if (sample.beast_differs.empty())
    EXPECT_EQ(beast_takes, !sample.refused) << sample.name << ": a difference that nobody has explained";
  else
    EXPECT_NE(beast_takes, !sample.refused)
        << sample.name << ": no difference any more, though the sample explains one";
}

TEST(beast, answers_requests_as_we_do_or_we_say_why_not) {
  for (auto const& sample : request_samples()) compare(sample, beast_takes_head<true>(sample.bytes));
}

TEST(beast, answers_responses_as_we_do_or_we_say_why_not) {
  for (auto const& sample : response_samples()) compare(sample, beast_takes_head<false>(sample.bytes));
}

TEST(beast, reads_chunks_as_we_do_or_we_say_why_not) {
  for (auto const& sample : chunked_samples()) compare(sample, beast_takes_body(sample.bytes));
}

TEST(beast, finds_the_same_fields_in_what_both_understand) {
  for (auto const& sample : request_samples()) {
    if (sample.refused || !sample.beast_differs.empty()) continue;
    http::request_parser<http::empty_body> theirs;
    boost::system::error_code code;
    theirs.put(boost::asio::const_buffer{sample.bytes.data(), sample.bytes.size()}, code);
    request_parser ours;
    ASSERT_TRUE(ours.next(sample.bytes).is_complete()) << sample.name;
    auto const& head = ours.head();
    auto const& message = theirs.get();
    EXPECT_EQ(head.method_text(),
              std::string_view(message.method_string().data(), message.method_string().size()));
    EXPECT_EQ(head.target(), std::string_view(message.target().data(), message.target().size()))
        << sample.name;
    EXPECT_EQ(head.keeps_alive(), message.keep_alive()) << sample.name;
    EXPECT_EQ(head.chunked(), message.chunked()) << sample.name;
    std::size_t i = 0;
    for (auto const& field : message) {
      ASSERT_LT(i, head.size()) << sample.name;
      EXPECT_EQ(head.name(i), std::string_view(field.name_string().data(), field.name_string().size()))
          << sample.name;
      EXPECT_EQ(head.value(i), std::string_view(field.value().data(), field.value().size())) << sample.name;
      ++i;
    }
    EXPECT_EQ(i, head.size()) << sample.name;
  }
}

}  // namespace
}  // namespace halfopen::net
