#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/config/describe.hpp>
#include <halfopen/config/load.hpp>

namespace halfopen::config {
namespace {

constexpr char const* everything = R"(listen: "[::1]:8080"
storage: {flush: 1.5s, audit: {successes: 5%, redact: []}}
policies:
  a:
    - timeout: 2s
    - circuit_breaker: {per: host, window: {consecutive: 3}, slow_after: 90s, slow_rate: 10%, open_for: {multiplier: 1.5, jitter: none}, seed: 18446744073709551615}
    - timeout: 1s
  b: [circuit_breaker: {window: {time: 30s, buckets: 6}}, timeout: 1s]
  c: [circuit_breaker: {window: {calls: 100}}, timeout: 1s]
assume:
  x: {rate: 200/m, reply_delay_max: 5s}
tools:
  x: {hosts: [http://h, "http://[::1]:90"], policy: a, classify: {success: [404, 418-420, bad_reply], failure: [2xx]}, methods: [GET]}
  y: {hosts: [http://h:1], policy: b, last_host: reject, path: "/a-b%20c"}
  z: {hosts: [http://h:1], policy: c, request_body_max: 12B}
routes:
  - {match: {host: "*.example.com", path: /pay/, methods: [GET, POST]}, tool: x}
  - {match: {path: /null}, tool: y}
)";

TEST(effective, is_read_back_to_the_same_settings) {
  auto const first = read(everything, "g.yaml");
  ASSERT_TRUE(first) << to_string(first.error().at(0));
  auto const shown = to_yaml(*effective(first->config));
  auto const second = read(shown, "g.yaml");
  ASSERT_TRUE(second) << to_string(second.error().at(0)) << "\n" << shown;
  EXPECT_EQ(to_yaml(*effective(second->config)), shown);
  EXPECT_EQ(second->config.tools[0].classify.by_status, first->config.tools[0].classify.by_status);
  EXPECT_EQ(second->config.tools[0].classify.bad_reply, result_class::success);
  auto const breaker = [](loaded const& l, std::size_t policy, std::size_t layer) {
    return std::get<circuit_breaker_spec>(l.config.policies.at(policy).layers.at(layer)).settings;
  };
  EXPECT_EQ(breaker(*second, 0, 1), breaker(*first, 0, 1));
  EXPECT_EQ(breaker(*second, 1, 0), breaker(*first, 1, 0));
  EXPECT_EQ(breaker(*second, 2, 0), breaker(*first, 2, 0));
}

TEST(effective, shows_the_defaults_too) {
  auto const r = read("tools: {t: {hosts: [http://h]}}\n", "g.yaml");
  ASSERT_TRUE(r);
  auto const shown = to_yaml(*effective(r->config));
  EXPECT_THAT(shown, ::testing::HasSubstr("flush: 200ms"));
  EXPECT_THAT(shown, ::testing::HasSubstr("hosts: [http://h:80]"));
}

// Every key of a tree, with names and list positions left out: "tools.*.hosts".
void keys_of(node const& shown, node const& schema, std::string const& path,
             std::vector<std::string>& missing) {
  for (auto const& item : shown.items)
    if (auto const* const items = find(schema, "items"); items != nullptr)
      keys_of(*item, *items, path + "[]", missing);
  auto const* const properties = find(schema, "properties");
  auto const* const any = find(schema, "additionalProperties");
  for (auto const& e : shown.entries) {
    auto const* const below = properties != nullptr ? find(*properties, e.key) : any;
    if (below == nullptr)
      missing.push_back(path + "." + e.key);
    else
      keys_of(*e.value, *below, path + "." + e.key, missing);
  }
}

TEST(schema, knows_every_setting_that_is_shown) {
  auto const r = read(everything, "g.yaml");
  ASSERT_TRUE(r);
  std::vector<std::string> missing;
  keys_of(*effective(r->config), *schema(), "", missing);
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

TEST(schema, is_json_with_its_dialect_named) {
  auto const text = to_json(*schema());
  EXPECT_THAT(text,
              ::testing::StartsWith("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\""));
}

TEST(reference, page_is_current) {
  std::ifstream in{HALFOPEN_SOURCE_DIR "/docs/configuration.md"};
  std::istringstream written{reference()};
  std::string is;
  std::string should_be;
  for (int line = 1; std::getline(written, should_be); ++line) {
    std::getline(in, is);
    ASSERT_EQ(is, should_be) << "line " << line
                             << "; write it anew: halfopen config reference > docs/configuration.md";
  }
  EXPECT_FALSE(std::getline(in, is)) << "more follows: " << is;
}

TEST(tree, keeps_numbers_that_stand_without_quotes) {
  auto const r = read(
      "tools: {t: {hosts: [http://h], classify: {failure: [404, \"418\", 5xx]}}}\nloops: 007\n", "g.yaml");
  ASSERT_TRUE(r);
  EXPECT_THAT(to_json(*r->written), ::testing::HasSubstr("404,\n          \"418\",\n          \"5xx\"\n"));
  EXPECT_THAT(to_json(*r->written), ::testing::HasSubstr("\"loops\": \"007\""));
}

TEST(tree, writes_json_that_escapes_what_it_must) {
  EXPECT_EQ(to_json(*map({{"a\"b", text("x\n\x01\\")}})), "{\n  \"a\\\"b\": \"x\\n\\u0001\\\\\"\n}\n");
}

TEST(tree, quotes_in_yaml_what_would_be_read_as_something_else) {
  for (char const* s :
       {"", "null", "yes", "12", "1.5", "a: b", "# x", "- x", "*x", "a\nb", "1:30", "~", "[x]", "x:"})
    EXPECT_EQ(to_yaml(*text(s)).front(), '"') << s;
  for (char const* s : {"5s", "http://h:1", "50%", "/pay/", "a-b"})
    EXPECT_NE(to_yaml(*text(s)).front(), '"') << s;
}

}  // namespace
}  // namespace halfopen::config
