#include <csignal>
#include <string>

#include <gtest/gtest.h>

#include <halfopen/net/http_client.hpp>
#include <halfopen/net/http_server.hpp>

namespace halfopen::net {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<http_server> serve(whole_reply reply) {
  return std::move(http_server::start([r = std::move(reply)](whole_request const&) { return r; }).value());
}

TEST(http_kit, carries_a_request_and_its_reply) {
  whole_request seen;
  auto server =
      http_server::start([&](whole_request const& request) {
        seen = request;
        return whole_reply{.status = 201, .fields = {{"X-Made", "yes"}}, .body = "made " + request.body};
      }).value();
  http_client client{server->local()};
  auto const reply = client.send("POST", "/things?x=1", {{"X-Asked", "yes"}}, "it", 20s);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 201);
  EXPECT_EQ(reply->body, "made it");
  EXPECT_EQ(reply->field("x-made"), "yes");
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/things?x=1");
  EXPECT_EQ(seen.field("x-asked"), "yes");
  EXPECT_EQ(seen.body, "it");
}

TEST(http_kit, keeps_the_connection) {
  auto server = serve({.body = "again"});
  http_client client{server->local()};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/", 20s).value().body, "again");
  EXPECT_EQ(server->connections(), 1U);
  EXPECT_EQ(server->requests(), 3U);
}

TEST(http_kit, closes_when_it_says_so) {
  auto server = serve({.body = "bye", .close = true});
  http_client client{server->local()};
  EXPECT_EQ(client.get("/", 20s).value().body, "bye");
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(client.get("/", 20s).value().body, "bye");
  EXPECT_EQ(server->connections(), 2U);
}

TEST(http_kit, carries_chunks_and_large_bodies) {
  std::string const large(3'000'000, 'x');
  auto server = http_server::start([&](whole_request const& r) {
                  return whole_reply{.body = r.body, .chunked = true, .slice = 10'000};
                }).value();
  http_client client{server->local()};
  EXPECT_EQ(client.send("PUT", "/", {}, large, 20s).value().body, large);
  EXPECT_EQ(
      client
          .send_raw("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
                    20s)
          .value()
          .body,
      "abc");
}

TEST(http_kit, sends_no_body_where_none_may_be) {
  auto server = serve({.status = 204});
  http_client client{server->local()};
  EXPECT_EQ(client.get("/", 20s).value().status, 204);
  EXPECT_EQ(client.get("/", 20s).value().body, "");
  auto other = serve({.body = "hidden"});
  http_client head{other->local()};
  auto const reply = head.send("HEAD", "/", {}, {}, 20s);
  EXPECT_EQ(reply->field("content-length"), "6");
  EXPECT_EQ(reply->body, "");
  EXPECT_TRUE(head.send("HEAD", "/", {}, {}, 20s));
}

TEST(http_kit, goes_wrong_as_it_is_told) {
  auto const outcome = [](whole_reply reply, duration limit = 20s) {
    auto server = serve(std::move(reply));
    auto const got = http_client{server->local()}.get("/", limit);
    return got ? io_errc{} : got.error().why;
  };
  EXPECT_EQ(outcome({.raw = "lorem ipsum"}), io_errc::bad_message);
  EXPECT_EQ(outcome({.body = "0123456789", .cut_after = 45}), io_errc::closed);
  EXPECT_EQ(outcome({.body = "0123456789", .reset = true}), io_errc::reset);
  EXPECT_EQ(outcome({.hang = true}, 50ms), io_errc::timed_out);
  EXPECT_EQ(outcome({.body = "late", .delay = 1h}, 50ms), io_errc::timed_out);
  EXPECT_EQ(outcome({.body = std::string(100, 'x'), .pause = 1h, .slice = 10}, 50ms), io_errc::timed_out);
}

TEST(http_kit, answers_a_malformed_request_with_the_rule_that_it_breaks) {
  auto server = serve({});
  http_client client{server->local()};
  auto const reply = client.send_raw("GET / HTTP/1.1\r\n\r\n", 20s);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 400);
  EXPECT_EQ(reply->body, "HTTP/1.1 requests must have a Host field");
}

TEST(http_kit, turns_what_a_handler_throws_into_a_500) {
  auto server =
      http_server::start([](whole_request const&) -> whole_reply { throw std::runtime_error{"no"}; }).value();
  EXPECT_EQ(http_client{server->local()}.get("/", 20s).value().status, 500);
}

TEST(http_kit, tells_a_client_to_go_on) {
  auto server =
      http_server::start([](whole_request const& r) { return whole_reply{.body = r.body}; }).value();
  http_client client{server->local()};
  ASSERT_TRUE(client.open(20s));
  ASSERT_TRUE(
      client.write("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n", 20s));
  ASSERT_TRUE(client.write("ok", 20s));
  EXPECT_EQ(client.read_reply(20s).value().body, "ok");
}

TEST(http_kit, says_that_nobody_listens) {
  std::uint16_t port = 0;
  {
    port = serve({})->port();
  }
  EXPECT_EQ(http_client{endpoint::loopback(port)}.get("/", 20s).error().why, io_errc::refused);
}

}  // namespace
}  // namespace halfopen::net
