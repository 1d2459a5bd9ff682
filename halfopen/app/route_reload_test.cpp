#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// A configuration that changes under a running gateway: a good one comes into force, a bad one does not.
namespace halfopen::route {
namespace {

constexpr auto long_open = "{initial: 1h, multiplier: 1, maximum: 1h, jitter: none}";

enum class by { signal, api, put, file };

std::string name_of(by b) {
  switch (b) {
    case by::signal: return "signal";
    case by::api: return "api";
    case by::put: return "put";
    case by::file: return "file";
  }
  return "";
}

void PrintTo(by b, std::ostream* out) { *out << name_of(b); }

class route_reload : public ::testing::TestWithParam<by> {
 protected:
  route_reload()
      : config_{.hosts = {u_.url()},
                .open_for = long_open,
                .watch = GetParam() == by::file ? "true" : "false"},
        g_{config_} {}

  setup with_another_tool() {
    auto s = config_;
    s.tools = "  new: {hosts: [" + u_.url() + "], policy: careful}\n";
    return s;
  }
  /// Asks for it, and gives the admin API's answer where there is one.
  int apply(std::string const& text) {
    if (GetParam() == by::put) return g_.admin("PUT", "/v1/config", text).status;
    g_.configure(text);
    if (GetParam() == by::api) return g_.admin("POST", "/v1/reload").status;
    if (GetParam() == by::file) return 0;
    g_.command().signal(SIGHUP);
    return 0;
  }

  upstream u_;
  setup config_;
  gateway g_;
};

TEST_P(route_reload, good_brings_a_new_tool) {
  EXPECT_EQ(g_.invoke("new").status, 404);
  auto const status = apply(with_another_tool().text());
  EXPECT_TRUE(status == 200 || status == 0) << status;
  EXPECT_TRUE(becomes_true([&] { return g_.invoke("new").status == 200; }));
}

TEST_P(route_reload, good_leaves_an_open_breaker_open) {
  g_.trip(u_);
  auto const before = g_.breaker();
  apply(with_another_tool().text());
  ASSERT_TRUE(becomes_true([&] { return g_.invoke("new").status != 404; }));
  EXPECT_EQ(g_.breaker()["state"], "open");
  EXPECT_EQ(g_.breaker()["epoch"], before["epoch"]);
  EXPECT_EQ(g_.get().status, 503);
}

TEST_P(route_reload, bad_leaves_the_old_one_in_force) {
  auto const status = apply("tools: {t: {hosts: [ftp://nowhere], policy: absent}}\nnonsense: 1\n");
  EXPECT_TRUE(status == 422 || status == 400 || status == 0) << status;
  bool const logged = GetParam() == by::signal || GetParam() == by::file;
  bool const told =
      !logged || becomes_true([&] { return g_.errors().find("nonsense") != std::string::npos; });
  EXPECT_TRUE(told) << g_.errors();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(g_.get().status, 200);
  EXPECT_EQ(g_.invoke("t").status, 200);
}

TEST_P(route_reload, good_after_a_bad_one_comes_into_force) {
  apply("nonsense: 1\n");
  apply(with_another_tool().text());
  EXPECT_TRUE(becomes_true([&] { return g_.invoke("new").status == 200; }));
}

TEST_P(route_reload, good_leaves_calls_under_way_alone) {
  auto const door = std::make_shared<gate>();
  u_.now(answers_after(door, 200, "from before"));
  client c{g_.port()};
  c.start("GET", "/");
  ASSERT_TRUE(becomes_true([&] { return door->waiting() == 1; }));
  apply(with_another_tool().text());
  u_.now(answers(200));
  ASSERT_TRUE(becomes_true([&] { return g_.invoke("new").status == 200; }));
  door->open();
  EXPECT_EQ(c.finish().body, "from before");
  c.start("GET", "/");
  EXPECT_EQ(c.finish().status, 200) << "the client's connection was lost";
}

INSTANTIATE_TEST_SUITE_P(by, route_reload, ::testing::Values(by::signal, by::api, by::put, by::file),
                         [](auto const& info) { return name_of(info.param); });

TEST(route_reload, bad_by_api_tells_every_problem_with_line_and_column) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  g.configure("tools:\n  t: {hosts: [ftp://nowhere], policy: absent}\nnonsense: 1\n");
  auto const r = g.admin("POST", "/v1/reload");
  EXPECT_GE(r.status, 400);
  EXPECT_NE(r.body.find("nonsense"), std::string::npos) << r.body;
  EXPECT_NE(r.body.find("absent"), std::string::npos) << r.body;
  EXPECT_NE(r.body.find("\"line\":3"), std::string::npos) << r.body;
}

TEST(route_reload, by_put_follows_a_link_and_keeps_who_may_read_the_file) {
  upstream u;
  setup const s{.hosts = {u.url()}};
  gateway g{s};
  std::filesystem::rename(g.config_file(), g.file("real.yaml"));
  std::filesystem::permissions(g.file("real.yaml"), std::filesystem::perms::owner_read);
  std::filesystem::create_symlink("real.yaml", g.config_file());
  EXPECT_EQ(g.admin("PUT", "/v1/config", s.text() + "# another\n").status, 200);
  EXPECT_TRUE(std::filesystem::is_symlink(g.config_file()));
  EXPECT_TRUE(contents(g.file("real.yaml")).ends_with("# another\n"));
  EXPECT_EQ(std::filesystem::status(g.file("real.yaml")).permissions(), std::filesystem::perms::owner_read);
}

// What needs a new start is told, and the configuration that is shown is the one that is in force.
TEST(route_reload, says_what_it_did_not_change_and_does_not_pretend) {
  upstream u;
  setup s{.hosts = {u.url()}};
  gateway g{s};
  auto const told = [&](setup const& wanted) {
    std::vector<std::string> found;
    auto const r = g.admin("PUT", "/v1/config", wanted.text());
    auto const body = json::parse(r.body);
    for (auto const& p : body["problems"])
      if (p["code"] == "config.needs-restart") found.push_back(p["found"]);
    return found;
  };
  auto other = s;
  other.storage = "flush: 20ms";
  other.audit = "{successes: 50%, retention: 1d}";
  other.loops = "3";
  other.timeouts = "drain: 3s, dns_ttl: 7s";
  other.more = "limits: {request_head_max: 1kB, reply_head_max: 2kB}\n";
  EXPECT_THAT(told(other), ::testing::UnorderedElementsAre(
                               "another storage.flush", "another storage.audit.retention",
                               "another limits.request_head_max", "another limits.reply_head_max",
                               "another timeouts.dns_ttl", "another timeouts.drain", "another loops"));
  auto const shown = json::parse(g.admin("GET", "/v1/config", {}, {"Accept: application/json"}).body);
  EXPECT_EQ(shown["timeouts"]["drain"], "10s");
  EXPECT_EQ(shown["storage"]["flush"], "10ms");
  EXPECT_THAT(told(s), ::testing::IsEmpty());
}

TEST(route_reload, that_drops_a_tool_ends_its_routes) {
  upstream u;
  setup s{.hosts = {u.url()}, .tools = "  other: {hosts: [" + u.url() + "], policy: careful}\n"};
  gateway g{s};
  EXPECT_EQ(g.invoke("other").status, 200);
  s.tools.clear();
  g.configure(s);
  EXPECT_EQ(g.admin("POST", "/v1/reload").status, 200);
  EXPECT_EQ(g.invoke("other").status, 404);
  EXPECT_EQ(g.get().status, 200);
}

TEST(route_config, with_mistakes_ends_the_start_with_code_2_and_tells_them_all) {
  temporary_folder f;
  write(f / "gateway.yaml",
        "lisen: 127.0.0.1:0\nadmin: {listen: nowhere}\nstorage: {flush: 200}\n"
        "policies:\n  p:\n    - timeout: soon\n    - circuit_breaker: {failure_rate: 500%, window: {calls: "
        "many}}\n"
        "    - circuit_braker: {}\n"
        "tools:\n  a: {hosts: [], policy: p}\n  b: {hosts: [http://127.0.0.1:1], policy: absent}\n"
        "routes:\n  - {match: {path: /}, tool: nobody}\n");
  auto const r = run_halfopen({"serve", "--config", (f / "gateway.yaml").string()});
  EXPECT_EQ(r.code, 2);
  for (int line : {1, 2, 3, 6, 7, 8, 10, 11, 13})
    EXPECT_NE(r.err.find("gateway.yaml:" + std::to_string(line) + ":"), std::string::npos) << line << '\n'
                                                                                           << r.err;
}

TEST(route_config, that_names_a_policy_that_is_not_built_is_refused_with_its_place) {
  temporary_folder f;
  write(f / "gateway.yaml",
        "policies:\n  p:\n    - hedge: {after: 1s}\ntools:\n  t: {hosts: [http://127.0.0.1:1], policy: p}\n");
  auto const r = run_halfopen({"serve", "--config", (f / "gateway.yaml").string()});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("gateway.yaml:3:"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace halfopen::route
