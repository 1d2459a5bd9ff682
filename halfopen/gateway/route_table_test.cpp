#include <gtest/gtest.h>

#include <halfopen/gateway/route_table.hpp>

namespace halfopen::gateway {
namespace {

config::gateway_config three_routes() {
  config::gateway_config c;
  c.tools.resize(3);
  c.tools[0].name = "payments";
  c.tools[1].name = "search";
  c.tools[2].name = "rest";
  c.routes = {{.host = "api.example.com", .path = "/pay/", .methods = {}, .tool = "payments"},
              {.host = "*.example.org", .path = "/find", .methods = {"GET", "HEAD"}, .tool = "search"},
              {.host = "", .path = "/", .methods = {}, .tool = "rest"}};
  return c;
}

TEST(route_table, takes_the_first_route_that_matches) {
  route_table const t{three_routes()};
  EXPECT_EQ(t.find("GET", "api.example.com", "/pay/1").tool, 0u);
  EXPECT_EQ(t.find("GET", "other.example.com", "/pay/1").tool, 2u);
}

TEST(route_table, compares_hosts_without_port_and_case) {
  route_table const t{three_routes()};
  EXPECT_EQ(t.find("GET", "API.Example.COM:8080", "/pay/").tool, 0u);
  EXPECT_EQ(t.find("GET", "a.b.example.org", "/find").tool, 1u);
  EXPECT_EQ(t.find("GET", "example.org", "/find").tool, 2u);
}

TEST(route_table, path_without_a_final_slash_is_that_path_alone) {
  route_table const t{three_routes()};
  EXPECT_EQ(t.find("GET", "x.example.org", "/find").tool, 1u);
  EXPECT_EQ(t.find("GET", "x.example.org", "/find/more").tool, 2u);
  EXPECT_EQ(t.find("GET", "api.example.com", "/payment").tool, 2u);
}

TEST(route_table, tells_a_method_that_is_not_allowed_from_a_place_that_is_not_there) {
  auto c = three_routes();
  c.routes.pop_back();
  route_table const t{c};
  auto const post = t.find("POST", "x.example.org", "/find");
  EXPECT_EQ(post.tool, route_table::none);
  EXPECT_FALSE(post.method_known);
  EXPECT_EQ(t.allowed("x.example.org", "/find"), "GET, HEAD");
  auto const missing = t.find("POST", "x.example.org", "/nothing");
  EXPECT_EQ(missing.tool, route_table::none);
  EXPECT_TRUE(missing.method_known);
}

TEST(route_table, query_is_no_part_of_the_path) {
  EXPECT_EQ(path_of("/find?q=/pay/"), "/find");
  EXPECT_EQ(path_of("/find"), "/find");
}

TEST(route_table, finds_paths_that_climb) {
  for (auto const* climbs : {"/pay/../admin", "/..", "/.", "/a/./b", "/a/%2e%2E/b", "/a/.%2e", "/a/%2e/",
                             "/a/..;/b", "/a/..\\b", "/a/..%2fb"})
    EXPECT_TRUE(has_dot_segments(climbs)) << climbs;
  for (auto const* stays : {"/", "/a/.well-known/x", "/a..b/c", "/a/...", "/a/..b", "/a.b/c.", "/a/%2f"})
    EXPECT_FALSE(has_dot_segments(stays)) << stays;
}

}  // namespace
}  // namespace halfopen::gateway
