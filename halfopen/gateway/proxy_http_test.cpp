#include <halfopen/gateway/gateway_fixture.hpp>

namespace halfopen::gateway {
namespace {

std::string plain(test_upstream const& u, std::string const& more = {}) {
  return "tools:\n  t: {hosts: [" + u.url() + "], path: /run}\nroutes:\n  - {match: {path: /}, tool: t}\n" +
         more;
}

test_upstream::handler echo() {
  return [](net::whole_request const& r) {
    net::whole_reply reply;
    reply.body = r.body;
    reply.fields = {{"X-Method", r.method}, {"X-Target", r.target}};
    for (auto const& [name, value] : r.fields) reply.fields.emplace_back("X-Saw-" + name, value);
    return reply;
  };
}

net::whole_reply raw(std::string bytes, bool close = false) {
  net::whole_reply r;
  r.raw = std::move(bytes);
  r.close = close;
  return r;
}

std::string big_text(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 7 % 26);
  return text;
}

TEST(proxy_http, sends_bodies_of_either_framing_whole) {
  test_upstream u{echo()};
  test_gateway g{plain(u)};
  EXPECT_EQ(g.send("POST", "/", "hello").body, "hello");
  auto c = g.raw();
  c.send(
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: "
      "close\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\n\r\n");
  EXPECT_NE(c.read_to_end().find("\r\n\r\nabcdefg"), std::string::npos);
}

TEST(proxy_http, sends_a_large_body_on_while_it_comes) {
  test_upstream u{echo()};
  test_gateway g{plain(u)};
  auto const text = big_text(5'000'000);
  EXPECT_EQ(g.send("PUT", "/", text).body, text);
}

TEST(proxy_http, takes_a_body_in_small_pieces) {
  test_upstream u{echo()};
  test_gateway g{plain(u)};
  auto c = g.raw();
  c.send("POST / HTTP/1.1\r\nHo");
  c.send("st: x\r\nContent-Length: 6\r\nConnection: close\r\n");
  c.send("\r\nab");
  c.send("cd");
  c.send("ef");
  EXPECT_NE(c.read_to_end().find("\r\n\r\nabcdef"), std::string::npos);
}

TEST(proxy_http, answers_requests_that_come_together_in_order) {
  test_upstream u{echo()};
  test_gateway g{plain(u)};
  auto c = g.raw();
  c.send(
      "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"
      "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  auto const& all = c.read_to_end();
  auto const one = all.find("X-Target: /1");
  auto const two = all.find("X-Target: /2");
  auto const three = all.find("X-Target: /3");
  EXPECT_LT(one, two);
  EXPECT_LT(two, three);
  EXPECT_NE(three, std::string::npos) << all;
  EXPECT_NE(all.find("\r\n\r\nhi"), std::string::npos);
}

TEST(proxy_http, tells_an_old_client_no_chunks) {
  net::whole_reply chunked;
  chunked.body = "some text";
  chunked.chunked = true;
  test_upstream u;
  u.answer(chunked);
  test_gateway g{plain(u)};
  auto c = g.raw();
  auto const& all = c.send("GET / HTTP/1.0\r\n\r\n").read_to_end();
  EXPECT_EQ(all.find("Transfer-Encoding"), std::string::npos) << all;
  EXPECT_NE(all.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(all.ends_with("\r\n\r\nsome text")) << all;
}

TEST(proxy_http, keeps_an_old_clients_connection_only_when_asked) {
  test_upstream u;
  test_gateway g{plain(u)};
  auto c = g.raw();
  c.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").read_until("hello");
  auto const& all = c.send("GET / HTTP/1.0\r\n\r\n").read_to_end();
  EXPECT_NE(all.find("Connection: keep-alive\r\n"), std::string::npos);
  EXPECT_NE(all.rfind("HTTP/1.1 200"), 0u);
}

TEST(proxy_http, gives_a_request_without_host_that_of_the_tool) {
  test_upstream u{echo()};
  test_gateway g{plain(u)};
  auto c = g.raw();
  auto const& all = c.send("GET / HTTP/1.0\r\n\r\n").read_to_end();
  EXPECT_NE(all.find("X-Saw-Host: 127.0.0.1:"), std::string::npos) << all;
}

TEST(proxy_http, puts_a_body_that_ends_with_the_connection_into_chunks) {
  test_upstream u;
  u.answer(raw("HTTP/1.1 200 OK\r\n\r\nuntil the end", true));
  test_gateway g{plain(u)};
  auto const r = g.get("/");
  EXPECT_EQ(r.status, 200);
  EXPECT_EQ(r.body, "until the end");
  EXPECT_TRUE(r.field("Transfer-Encoding").has_value());
}

TEST(proxy_http, passes_interim_replies_by) {
  test_upstream u;
  u.answer(
      raw("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
          "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  test_gateway g{plain(u)};
  EXPECT_EQ(g.get("/").body, "ok");
}

TEST(proxy_http, knows_replies_without_a_body) {
  test_upstream u;
  test_gateway g{plain(u)};
  for (auto const* head :
       {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n"}) {
    u.answer(raw(head));
    auto c = g.client();
    EXPECT_TRUE(c.get("/", 5s).has_value()) << head;
    EXPECT_TRUE(c.get("/", 5s).has_value()) << head;
  }
}

TEST(proxy_http, garbage_from_a_tool_is_a_bad_reply) {
  test_upstream u;
  test_gateway g{plain(u)};
  for (auto const* bad :
       {"nonsense\r\n\r\n", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "HTTP/1.1 99 x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"}) {
    u.answer(raw(bad, true));
    auto const r = g.get("/");
    EXPECT_EQ(r.status, 502) << bad;
    EXPECT_EQ(nlohmann::json::parse(r.body)["reason"], "bad_reply") << bad;
  }
}

TEST(proxy_http, a_reply_that_is_cut_before_its_head_is_whole_is_a_reset) {
  test_upstream u;
  u.answer(raw("HTTP/1.1 200 OK\r\nContent-Le", true));
  test_gateway g{plain(u)};
  auto const r = g.get("/");
  EXPECT_EQ(r.status, 502);
  EXPECT_EQ(nlohmann::json::parse(r.body)["reason"], "reset");
}

TEST(proxy_http, a_reply_whose_body_is_cut_never_looks_whole) {
  test_upstream u;
  test_gateway g{plain(u)};
  for (auto const* cut : {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
                          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"}) {
    u.answer(raw(cut, true));
    auto c = g.client();
    auto const r = c.get("/", 5s);
    EXPECT_TRUE(!r || r->status == 502) << cut;
  }
}

TEST(proxy_http, a_head_in_many_pieces_is_read) {
  net::whole_reply slow;
  slow.body = "text";
  slow.fields = {{"X-Long", std::string(5000, 'x')}};
  slow.slice = 1;
  slow.pause = 1us;
  test_upstream u;
  u.answer(slow);
  test_gateway g{plain(u)};
  EXPECT_EQ(g.get("/").body, "text");
}

TEST(proxy_http, a_large_reply_comes_whole_through_a_slow_client) {
  auto const text = big_text(20'000'000);
  net::whole_reply big;
  big.body = text;
  test_upstream u;
  u.answer(big);
  test_gateway g{plain(u)};
  auto c = g.raw();
  c.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(becomes_true([&] { return u.requests() == 1; }));
  auto const& all = c.read_to_end();
  auto const body = all.find("\r\n\r\n");
  ASSERT_NE(body, std::string::npos);
  EXPECT_EQ(std::string_view{all}.substr(body + 4), text);
}

TEST(proxy_http, a_kept_connection_is_used_again) {
  test_upstream u;
  test_gateway g{plain(u)};
  auto c = g.client();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(c.get("/", 5s).has_value());
  EXPECT_EQ(u.server().connections(), 1u);
}

TEST(proxy_http, a_kept_connection_that_has_died_costs_nobody_anything) {
  test_upstream u;
  net::whole_reply closing;
  closing.body = "x";
  test_gateway g{plain(u)};
  auto c = g.client();
  ASSERT_TRUE(c.get("/", 5s).has_value());
  // The tool reads the next request on the kept connection and closes without a word, once.
  auto const before = u.requests();
  u.answer([before, &u](net::whole_request const&) {
    net::whole_reply r;
    if (u.requests() == before + 1) r.reset = true;
    r.body = "again";
    return r;
  });
  auto const r = c.get("/", 5s);
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->body, "again");
  EXPECT_EQ(u.requests(), before + 2);
  EXPECT_EQ(g.board().read({"t", ""}).failure, 0u);
}

TEST(proxy_http, a_request_that_may_not_be_repeated_is_not) {
  test_upstream u;
  test_gateway g{plain(u)};
  auto c = g.client();
  ASSERT_TRUE(c.get("/", 5s).has_value());
  auto const before = u.requests();
  net::whole_reply broken;
  broken.reset = true;
  u.answer(broken);
  auto const r = c.send("POST", "/", {}, "once", 5s);
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(r->status, 502);
  EXPECT_EQ(u.requests(), before + 1);
  EXPECT_EQ(g.board().read({"t", ""}).failure, 0u) << "a kept connection that died says nothing about health";
}

/// A tool that takes one connection, reads a little, and says its piece without waiting for the rest.
class hasty_upstream {
 public:
  explicit hasty_upstream(std::string answer) : listening_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    auto at = net::endpoint::loopback(0);
    EXPECT_EQ(::bind(listening_.get(), at.data(), at.size()), 0);
    EXPECT_EQ(::listen(listening_.get(), 1), 0);
    thread_ = std::thread{[this, answer = std::move(answer)] {
      net::unique_fd const fd{::accept(listening_.get(), nullptr, nullptr)};
      char some[1000];
      (void)!::recv(fd.get(), some, sizeof some, 0);
      (void)!::send(fd.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
      ::shutdown(fd.get(), SHUT_WR);
      while (::recv(fd.get(), some, sizeof some, 0) > 0) {
      }
    }};
  }
  ~hasty_upstream() { thread_.join(); }
  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(net::local_endpoint(listening_.get()).port());
  }

 private:
  net::unique_fd listening_;
  std::thread thread_;
};

TEST(proxy_http, an_early_answer_to_a_large_body_reaches_the_client) {
  hasty_upstream u{"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"};
  test_gateway g{"tools:\n  t: {hosts: [" + u.url() + "]}\nroutes:\n  - {match: {path: /}, tool: t}\n"};
  auto c = g.raw();
  c.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + std::string(70'000, 'x'));
  auto const& all = c.read_until("\r\n\r\nno");
  EXPECT_TRUE(all.starts_with("HTTP/1.1 403")) << all;
  EXPECT_NE(all.find("Connection: close\r\n"), std::string::npos) << "the rest of the body is not read";
}

TEST(proxy_http, refuses_paths_that_climb) {
  test_upstream u;
  test_gateway g{plain(u)};
  auto c = g.raw();
  auto const& all = c.send("GET /a/../b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").read_to_end();
  EXPECT_TRUE(all.starts_with("HTTP/1.1 400")) << all;
  EXPECT_EQ(u.requests(), 0u);
}

TEST(proxy_http, refuses_what_could_smuggle_and_ends_the_connection) {
  test_upstream u;
  test_gateway g{plain(u)};
  for (auto const* bad :
       {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n",
        "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n"}) {
    auto c = g.raw();
    auto const& all = c.send(bad).read_to_end();
    EXPECT_TRUE(all.starts_with("HTTP/1.1 400") || all.starts_with("HTTP/1.1 501")) << bad << all;
  }
  EXPECT_EQ(u.requests(), 0u);
}

TEST(proxy_http, invocation_of_a_tool_sends_its_body_to_the_tools_path) {
  test_upstream u{echo()};
  test_gateway g{plain(u)};
  auto const r = g.send("POST", "/v1/tools/t/invoke", R"({"a": [1, 2]})");
  EXPECT_EQ(r.status, 200);
  EXPECT_EQ(r.body, R"({"a": [1, 2]})");
  EXPECT_EQ(r.field("X-Target"), "/run");
  EXPECT_EQ(r.field("X-Saw-Host"), u.url().substr(7));
}

TEST(proxy_http, invocation_in_chunks_arrives_as_a_whole) {
  test_upstream u{echo()};
  test_gateway g{plain(u)};
  auto c = g.raw();
  c.send(
      "POST /v1/tools/t/invoke HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      "2\r\n[1\r\n2\r\n,2\r\n1\r\n]\r\n0\r\n\r\n");
  auto const& all = c.read_to_end();
  EXPECT_NE(all.find("X-Saw-Content-Length: 5\r\n"), std::string::npos) << all;
  EXPECT_TRUE(all.ends_with("[1,2]")) << all;
}

}  // namespace
}  // namespace halfopen::gateway
