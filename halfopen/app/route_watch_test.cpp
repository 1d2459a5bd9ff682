#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// A configuration that comes into force because its file has changed (route_reload_test.cpp has the ways that
// are asked for).
namespace halfopen::route {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class route_watch : public ::testing::Test {
 protected:
  explicit route_watch(std::string const& watch = "true")
      : config_{.hosts = {u_.url()}, .watch = watch}, g_{config_} {}

  setup with(std::string const& tool) {
    auto s = config_;
    s.tools = "  " + tool + ": {hosts: [" + u_.url() + "], policy: careful}\n";
    return s;
  }
  bool log_says(std::string const& text) {
    return becomes_true([&] { return g_.errors().find(text) != std::string::npos; });
  }
  bool answers(std::string const& tool) {
    return becomes_true([&] { return g_.invoke(tool).status == 200; });
  }

  upstream u_;
  setup config_;
  gateway g_;
};

class route_without_watch : public route_watch {
 protected:
  route_without_watch() : route_watch{"false"} {}
};

TEST_F(route_watch, puts_a_file_in_force_that_takes_the_place_of_the_other) {
  write(g_.file("next.yaml"), with("new").text());
  fs::rename(g_.file("next.yaml"), g_.config_file());
  EXPECT_TRUE(answers("new"));
  EXPECT_TRUE(log_says("the configuration was read again"));
}

// Kubernetes: gateway.yaml -> ..data/gateway.yaml, and ..data is turned.
TEST_F(route_watch, follows_a_config_map) {
  for (auto const* version : {"v1", "v2"}) fs::create_directory(g_.file(version));
  write(g_.file("v1") / "gateway.yaml", with("one").text());
  write(g_.file("v2") / "gateway.yaml", with("two").text());
  fs::create_symlink("v1", g_.file("..data"));
  fs::create_symlink("..data/gateway.yaml", g_.file("link"));
  fs::rename(g_.file("link"), g_.config_file());
  ASSERT_TRUE(answers("one"));
  fs::create_symlink("v2", g_.file("..data_tmp"));
  fs::rename(g_.file("..data_tmp"), g_.file("..data"));
  fs::remove_all(g_.file("v1"));
  EXPECT_TRUE(answers("two"));
}

TEST_F(route_watch, tells_every_mistake_and_keeps_what_is_in_force_until_it_is_mended) {
  g_.configure("tools: {t: {hosts: [nowhere], polcy: x}}\n");
  EXPECT_TRUE(log_says("gateway.yaml:1:21:"));
  EXPECT_TRUE(log_says("did you mean policy?"));
  EXPECT_TRUE(log_says("the configuration in force stays"));
  EXPECT_EQ(g_.get().status, 200);
  auto const rows = g_.ask("/v1/audit?kind=config")["rows"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["who"], "file");
  EXPECT_EQ(rows[0]["outcome"], "refused");
  g_.configure(config_);
  EXPECT_TRUE(log_says("says what is in force again"));
  g_.configure(with("mended"));
  EXPECT_TRUE(answers("mended"));
}

TEST_F(route_watch, of_a_file_that_has_gone_keeps_what_is_in_force) {
  fs::remove(g_.config_file());
  EXPECT_TRUE(log_says("the configuration in force stays"));
  EXPECT_EQ(g_.get().status, 200);
  g_.configure(with("back"));
  EXPECT_TRUE(answers("back"));
}

TEST_F(route_watch, has_no_news_of_what_the_api_wrote) {
  EXPECT_EQ(g_.admin("PUT", "/v1/config", with("put").text()).status, 200);
  g_.configure(with("edited"));  // what comes after it tells that the other has been looked at, or not needed
  ASSERT_TRUE(answers("edited"));
  EXPECT_TRUE(becomes_true([&] { return g_.ask("/v1/audit?kind=config")["rows"].size() == 2; }));
  auto const rows = g_.ask("/v1/audit?kind=config&order=oldest")["rows"];
  EXPECT_EQ(rows[0]["what"], "config");
  EXPECT_EQ(rows[1]["who"], "file");
}

TEST_F(route_watch, can_be_turned_off_by_the_file_itself) {
  auto off = with("first");
  off.watch = "false";
  g_.configure(off);
  ASSERT_TRUE(answers("first"));
  g_.configure(with("second"));
  EXPECT_TRUE(log_says("waits to be read"));
  EXPECT_EQ(g_.invoke("second").status, 404);
}

TEST_F(route_without_watch, a_change_waits_for_its_signal) {
  g_.configure(with("new"));
  EXPECT_TRUE(log_says("waits to be read"));
  EXPECT_EQ(g_.invoke("new").status, 404);
  EXPECT_THAT(g_.errors(), Not(HasSubstr("was read again")));
  g_.command().signal(SIGHUP);
  EXPECT_TRUE(answers("new"));
}

}  // namespace
}  // namespace halfopen::route
