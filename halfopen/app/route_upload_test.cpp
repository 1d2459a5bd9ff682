#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// A call that is refused is refused before its body has come: nobody sends, reads or keeps what nobody wants.
namespace halfopen::route {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto long_open = "{initial: 1h, multiplier: 1, maximum: 1h, jitter: none}";

std::string head(std::string const& target, std::size_t length, std::string const& more = {}) {
  return "POST " + target + " HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(length) + "\r\n" +
         more + "\r\n";
}

struct way {
  char const* name;
  std::string per;
  std::string target;
  friend void PrintTo(way const& w, std::ostream* out) { *out << w.name; }
};

class route_upload : public ::testing::TestWithParam<way> {
 protected:
  route_upload()
      : g_{setup{.hosts = {u_.url()},
                 .open_for = long_open,
                 .per = GetParam().per,
                 .tool = ", last_host: reject"}} {}

  /// Trips the breaker, and remembers what was counted until then.
  void trip() {
    g_.trip(u_);
    requests_ = u_.requests();
    refused_ = g_.count("rejected");
  }
  [[nodiscard]] std::string const& target() const { return GetParam().target; }

  upstream u_;
  gateway g_;
  int requests_ = 0;
  std::uint64_t refused_ = 0;
};

TEST_P(route_upload, to_an_open_breaker_is_refused_by_its_head) {
  trip();
  auto const c = connection::to(g_.port());
  c.send(head(target(), 5'000'000));
  message_reader reader{c};
  auto const r = reader.next(true);
  ASSERT_TRUE(r);
  EXPECT_THAT(r->first_line, HasSubstr("503"));
  EXPECT_EQ(json::parse(r->body).value("reason", ""), "open");
  EXPECT_TRUE(r->has("retry-after"));
  EXPECT_EQ(r->field("connection"), "close");
  EXPECT_EQ(g_.count("rejected"), refused_ + 1);
  EXPECT_EQ(u_.requests(), requests_);
}

TEST_P(route_upload, that_is_asked_for_first_is_not_asked_for) {
  trip();
  auto const c = connection::to(g_.port());
  c.send(head(target(), 100, "Expect: 100-continue\r\n"));
  auto const all = c.receive_all();  // to the end: what the client does now is not known
  EXPECT_THAT(all, HasSubstr("HTTP/1.1 503 "));
  EXPECT_THAT(all, Not(HasSubstr("100 Continue")));
}

TEST_P(route_upload, that_is_small_leaves_the_connection_to_the_next_request) {
  trip();
  auto const c = connection::to(g_.port());
  message_reader reader{c};
  for (int i = 0; i < 3; ++i) {
    c.send(head(target(), 10));
    auto const r = reader.next(true);
    ASSERT_TRUE(r) << i;
    EXPECT_THAT(r->first_line, HasSubstr("503"));
    EXPECT_FALSE(r->has("connection"));
    c.send("01234");
    c.send("56789");
  }
  c.send(head(target(), 4) + "true");
  EXPECT_TRUE(reader.next(true));
  EXPECT_EQ(g_.count("rejected"), refused_ + 4);
}

TEST_P(route_upload, that_comes_all_the_same_is_read_up_to_a_bound) {
  trip();
  auto const c = connection::to(g_.port());
  c.send(head(target(), 100'000'000));
  std::string const piece(1'000'000, 'x');
  int sent = 0;
  while (sent < 100 && c.send(piece)) ++sent;
  EXPECT_LT(sent, 100);
}

TEST_P(route_upload, to_a_closed_breaker_is_asked_for_and_arrives) {
  auto const c = connection::to(g_.port());
  message_reader reader{c};
  c.send(head(target(), 2, "Expect: 100-continue\r\n"));
  auto const go_on = reader.next(false);
  ASSERT_TRUE(go_on);
  EXPECT_THAT(go_on->first_line, HasSubstr("100 Continue"));
  c.send("{}");
  auto const r = reader.next(true);
  ASSERT_TRUE(r);
  EXPECT_THAT(r->first_line, HasSubstr("200"));
  EXPECT_EQ(u_.last_request().body, "{}");
}

INSTANTIATE_TEST_SUITE_P(every, route_upload,
                         ::testing::Values(way{"by_route", "tool", "/things"},
                                           way{"by_name", "tool", "/v1/tools/t/invoke"},
                                           way{"to_a_host", "host", "/things"}),
                         [](auto const& info) { return std::string{info.param.name}; });

TEST(route_upload_to, a_probe_is_let_through) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  g.trip(u);
  u.now(answers(200));
  auto const c = connection::to(g.port());
  message_reader reader{c};
  EXPECT_TRUE(becomes_true([&] {
    c.send(head("/", 10));
    c.send("0123456789");
    auto const r = reader.next(true);
    return r && r->first_line.find("200") != std::string::npos;
  }));
  EXPECT_EQ(g.state(), "closed");
}

TEST(route_upload_to, nowhere_leaves_the_connection_to_the_next_request) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  auto const c = connection::to(g.port());
  message_reader reader{c};
  c.send(head("/v1/tools/nobody/invoke", 10) + "012345");
  auto const no = reader.next(true);
  ASSERT_TRUE(no);
  EXPECT_THAT(no->first_line, HasSubstr("404"));
  c.send("6789" + head("/", 4) + "body");
  auto const r = reader.next(true);
  ASSERT_TRUE(r);
  EXPECT_THAT(r->first_line, HasSubstr("200"));
}

TEST(route_upload_to, an_open_breaker_in_chunks_ends_the_connection) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  g.trip(u);
  auto const c = connection::to(g.port());
  c.send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  auto const all = c.receive_all();
  EXPECT_THAT(all, HasSubstr("HTTP/1.1 503 "));
  EXPECT_THAT(all, HasSubstr("Connection: close"));
}

}  // namespace
}  // namespace halfopen::route
