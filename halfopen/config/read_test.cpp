#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/config/load.hpp>

namespace halfopen::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The least that a gateway's file may say; tests add to it.
constexpr char const* least = "tools: {t: {hosts: [http://h:1]}}\n";

loaded good(std::string const& text) {
  auto r = read(text, "g.yaml");
  if (r) return *r;
  for (auto const& d : r.error()) ADD_FAILURE() << to_string(d);
  return {};
}

// "line:column code", for each problem of the text.
std::vector<std::string> codes(std::string const& text) {
  auto const r = read(text, "g.yaml");
  std::vector<std::string> out;
  for (auto const& d : r ? r->warnings : r.error())
    out.push_back(std::to_string(d.at.line) + ":" + std::to_string(d.at.column) + " " + d.code);
  return out;
}

std::string first(std::string const& text) {
  auto const r = read(text, "g.yaml");
  auto const& found = r ? r->warnings : r.error();
  return found.empty() ? "" : to_string(found.front());
}

TEST(config, is_read_as_the_design_spells_it) {
  auto const c = good(R"(listen: 127.0.0.1:8080
admin: {listen: 127.0.0.1:9090, token_file: admin.token}
storage: {sqlite: halfopen.db, flush: 200ms, audit: {retention: 30d, field_max: 4kB}}
policies:
  careful:
    - timeout: 2s
    - circuit_breaker: {window: {time: 10s}, failure_rate: 50%, minimum_calls: 20, open_for: {initial: 1s, multiplier: 2, maximum: 60s}}
    - timeout: 500ms
assume:
  payments: {rate: 200/s, reply_delay_max: 5s, jitter_failures: 20%, upstream_capacity: 64, recover_within: 30s, retry_depth: 2}
tools:
  payments: {hosts: [http://127.0.0.1:9001, http://127.0.0.1:9002], policy: careful, classify: {failure: [5xx, timeout, reset], ignored: [4xx], throttled: [429]}}
routes:
  - {match: {host: api.example.com, path: /pay/}, tool: payments}
)")
                     .config;
  EXPECT_EQ(c.listen, (listen_address{"127.0.0.1", 8080}));
  EXPECT_EQ(c.storage.audit.field_max, byte_count{4000});
  ASSERT_EQ(c.policies.size(), 1U);
  ASSERT_EQ(c.policies[0].layers.size(), 3U);
  auto const& b = std::get<circuit_breaker_spec>(c.policies[0].layers[1]);
  EXPECT_EQ(b.settings.window, window_config{time_window{.length = 10s}});
  EXPECT_EQ(b.settings.open_for.maximum, 60s);
  EXPECT_EQ(b.per, breaker_scope::both);
  EXPECT_EQ(std::get<timeout_spec>(c.policies[0].layers[2]).length, 500ms);
  ASSERT_EQ(c.tools.size(), 1U);
  EXPECT_EQ(c.tools[0].hosts[1], (upstream_host{"http://127.0.0.1:9002", "127.0.0.1", 9002}));
  EXPECT_EQ(c.assume[0].calls->count, 200U);
  EXPECT_EQ(c.routes[0].host, "api.example.com");
}

TEST(config, has_safe_defaults_where_the_file_is_silent) {
  auto const c = good(least).config;
  EXPECT_EQ(c.listen.host, "127.0.0.1");
  EXPECT_EQ(c.admin.listen.host, "127.0.0.1");
  EXPECT_FALSE(c.storage.audit.arguments);
  EXPECT_EQ(c.storage.audit.successes, percent{1});
  EXPECT_EQ(c.storage.audit.invocations, percent{100});
  EXPECT_TRUE(c.watch);
  EXPECT_FALSE(c.log.reason_header);
  EXPECT_EQ(c.tools[0].request_body_max, c.limits.request_body_max);
  EXPECT_EQ(c.tools[0].last_host, last_host_rule::keep);
}

TEST(config, takes_relative_paths_from_the_folder_of_the_file) {
  auto const r = read("storage: {sqlite: data/h.db}\nlog: {access: access.log}\n" + std::string{least},
                      "/etc/halfopen/g.yaml");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->config.storage.sqlite, "/etc/halfopen/data/h.db");
  EXPECT_EQ(r->config.admin.token_file, "/etc/halfopen/admin.token");
  EXPECT_EQ(r->config.log.access, "/etc/halfopen/access.log");
}

TEST(config, takes_the_body_limit_of_a_tool_from_limits_unless_it_has_its_own) {
  auto const c = good(R"(limits: {request_body_max: 1kB}
tools:
  a: {hosts: [http://h:1]}
  b: {hosts: [http://h:1], request_body_max: 0B}
)")
                     .config;
  EXPECT_EQ(c.tool("a")->request_body_max, byte_count{1000});
  EXPECT_EQ(c.tool("b")->request_body_max, byte_count{0});
}

TEST(config, lets_a_narrow_outcome_beat_a_wide_one) {
  auto const c = good(
                     "tools: {t: {hosts: [http://h:1], classify: {success: [404], failure: [400-409, 4xx], "
                     "ignored: [403]}}}\n")
                     .config;
  auto const& k = c.tools[0].classify;
  EXPECT_EQ(k.of_status(404), result_class::success);
  EXPECT_EQ(k.of_status(403), result_class::ignored);
  EXPECT_EQ(k.of_status(409), result_class::failure);
  EXPECT_EQ(k.of_status(429), result_class::failure);  // what the file says beats what is usual
  EXPECT_EQ(k.of_status(503), result_class::failure);
  EXPECT_EQ(k.timeout, result_class::failure);
  EXPECT_EQ(k.of_status(200), result_class::success);
  EXPECT_EQ(k.of_status(999), result_class::failure);
}

TEST(config, reads_each_kind_of_window) {
  auto const window = [](std::string const& w) {
    auto const c = good("policies: {p: [circuit_breaker: {window: " + w +
                        "}, timeout: 1s]}\ntools: {t: {hosts: [http://h:1], policy: p}}\n");
    return std::get<circuit_breaker_spec>(c.config.policies.at(0).layers.at(0)).settings.window;
  };
  EXPECT_EQ(window("{consecutive: 3}"), window_config{consecutive{3}});
  EXPECT_EQ(window("{calls: 50}"), window_config{call_window{.size = 50}});
  EXPECT_EQ(window("{time: 30s, buckets: 6}"), window_config(time_window{.length = 30s, .buckets = 6}));
}

TEST(config, asks_a_small_window_of_calls_for_no_more_than_it_holds) {
  auto const c = good(
      "policies: {p: [circuit_breaker: {window: {calls: 5}}, timeout: 1s]}\ntools: {t: {hosts: [http://h:1], "
      "policy: p}}\n");
  EXPECT_EQ(std::get<circuit_breaker_spec>(c.config.policies.at(0).layers.at(0)).settings.minimum_calls, 5U);
}

TEST(config, follows_aliases) {
  auto const c = good("tools:\n  a: &a {hosts: [http://h:1]}\n  b: *a\n").config;
  EXPECT_EQ(c.tool("b")->hosts, c.tool("a")->hosts);
}

TEST(config, reports_ten_mistakes_at_once_each_with_its_place) {
  EXPECT_THAT(codes(R"(listen: 127.0.0.1
admin: {listne: 127.0.0.1:9090}
storage: {flush: 200, audit: {retention: 30days}}
policies:
  careful:
    - timeout: 2s
    - retry: {attempts: 3}
    - circuit_breaker: {failure_rate: 150%}
tools:
  payments: {hosts: [https://127.0.0.1:9001], policy: carefull}
  payments: {}
routes:
  - {match: {path: pay}, tool: payment}
)"),
              ElementsAre("1:9 config.value", "2:9 config.unknown-key", "3:18 config.unit",
                          "3:42 config.unit", "7:7 config.not-built", "8:39 config.range", "10:22 config.url",
                          "10:55 config.unknown-policy", "11:3 config.duplicate-key", "13:20 config.value",
                          "13:32 config.unknown-tool"));
}

TEST(config, says_what_was_found_what_was_expected_and_what_may_have_been_meant) {
  EXPECT_EQ(first("storage: {flush: 200}\n" + std::string{least}),
            "g.yaml:1:18: error: found \"200\", expected a duration with its unit, such as 5s or 200ms; did "
            "you mean 200s? "
            "[config.unit]");
  EXPECT_THAT(first("lisen: 1\n" + std::string{least}), HasSubstr("did you mean listen?"));
  EXPECT_THAT(first("policies: {p: [retry: {}]}\n" + std::string{least}),
              HasSubstr("expected one of: timeout, circuit_breaker; this layer is not built yet"));
}

TEST(config, shows_nothing_that_a_terminal_would_act_on) {
  auto const r = read("tools: {\"t\\e[31m\": {policy: \"\\e[2J\", path: \"\\a\"}}\n", "g.yaml");
  ASSERT_FALSE(r);
  for (auto const& problem : r.error())
    EXPECT_EQ(to_string(problem).find_first_of("\x1b\a"), std::string::npos) << to_string(problem);
}

TEST(config, tells_a_breakers_fault_in_the_words_of_the_file) {
  EXPECT_THAT(first("tools: {t: {hosts: [http://h:1], policy: p}}\npolicies: {p: [circuit_breaker: {window: "
                    "{time: 0s}}, timeout: 1s]}\n"),
              HasSubstr("found window.time: 0s, expected at least 10ms [config.breaker]"));
}

struct sample {
  char const* name;
  std::string text;
  std::vector<std::string> problems;
};

class bad_text : public ::testing::TestWithParam<sample> {};

TEST_P(bad_text, is_refused_with_its_place) { EXPECT_EQ(codes(GetParam().text), GetParam().problems); }

std::string tool(std::string const& settings) {
  return "tools: {t: {hosts: [http://h:1], " + settings + "}}\n";
}
std::string policy(std::string const& layers) {
  return "tools: {t: {hosts: [http://h:1], policy: p}}\npolicies:\n  p: " + layers + "\n";
}
std::string url(std::string const& u) { return "tools: {t: {hosts: [" + u + "]}}\n"; }

std::string bombs() {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'j'; ++c) {
    std::string const before{static_cast<char>(c - 1)};
    text += std::string{c} + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) text += (i == 0 ? "*" : ", *") + before;
    text += "]\n";
  }
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    diagnostics, bad_text,
    ::testing::Values(
        sample{"empty", "", {"1:1 config.missing"}},
        sample{"only_a_comment", "# nothing\n", {"1:1 config.missing"}},
        sample{"no_map", "- a\n", {"1:1 config.type"}},
        sample{"no_tools", "tools: {}\n", {"1:1 config.missing"}},
        sample{"no_hosts", "tools: {t: {}}\n", {"1:9 config.missing"}},
        sample{"empty_hosts", "tools: {t: {hosts: []}}\n", {"1:20 config.missing"}},
        sample{"syntax", "tools: [\n", {"2:1 config.syntax"}},
        sample{"second_document", std::string{least} + "---\na: 1\n", {"3:1 config.syntax"}},
        sample{"tab", "tools:\n\tt: 1\n", {"2:1 config.tab"}},
        sample{"not_utf8", "tools: \xC3\x28\n", {"1:8 config.encoding"}},
        sample{"surrogate",
               "tools: \xED\xA0\x80\n",
               {"1:8 config.encoding", "1:9 config.encoding", "1:10 config.encoding"}},
        sample{"nul", std::string{"tools: \0\n", 9}, {"1:8 config.encoding"}},
        sample{"end_of_text_character", std::string{least} + "\x04rubbish", {"2:1 config.encoding"}},
        sample{"tag", "tools: !!python/object {t: {hosts: [http://h:1]}}\n", {"1:8 config.tag"}},
        sample{"alias_of_itself", "tools: &a [*a]\n", {"1:12 config.alias"}},
        sample{"billion_laughs", bombs(), {"5:20 config.too-large"}},
        sample{"too_deep",
               "tools: " + std::string(40, '[') + std::string(40, ']') + "\n",
               {"1:39 config.too-deep"}},
        sample{"too_large", std::string(2'000'000, ' '), {"0:0 config.too-large"}},
        sample{"merge_key",
               "tools: {a: &a {hosts: [http://h:1]}, b: {<<: *a, hosts: [http://h:1]}}\n",
               {"1:42 config.unknown-key"}},
        sample{"key_is_a_list", std::string{least} + "[a]: 1\n", {"2:1 config.type"}},
        sample{"duplicate_key",
               std::string{least} + "listen: 127.0.0.1:1\nlisten: 127.0.0.1:2\n",
               {"3:1 config.duplicate-key"}},
        sample{"scalar_for_section", std::string{least} + "admin: 9090\n", {"2:8 config.type"}},
        sample{"map_for_scalar", std::string{least} + "listen: {port: 1}\n", {"2:9 config.type"}},
        sample{"nothing_for_scalar", std::string{least} + "listen:\n", {"2:1 config.type"}},
        sample{"scalar_for_list", "tools: {t: {hosts: http://h:1}}\n", {"1:20 config.type"}},
        sample{"port_above", std::string{least} + "listen: 127.0.0.1:65536\n", {"2:9 config.range"}},
        sample{"listen_on_a_name", std::string{least} + "listen: localhost:80\n", {"2:9 config.value"}},
        sample{"listen_without_brackets", std::string{least} + "listen: ::1:80\n", {"2:9 config.value"}},
        sample{"truth_in_words", std::string{least} + "log: {reason_header: yes}\n", {"2:22 config.value"}},
        sample{"number_too_large",
               std::string{least} + "limits: {connections_max: 99999999999}\n",
               {"2:27 config.range"}},
        sample{"number_out_of_bounds",
               std::string{least} + "limits: {connections_max: 0}\n",
               {"2:27 config.range"}},
        sample{"number_above_the_most",
               std::string{least} + "limits: {connections_max: 1000001}\n",
               {"2:27 config.range"}},
        sample{"negative_number", std::string{least} + "loops: -1\n", {"2:8 config.value"}},
        sample{"duration_overflows",
               std::string{least} + "storage: {audit: {retention: 999999999999d}}\n",
               {"2:30 config.range"}},
        sample{
            "duration_out_of_bounds", std::string{least} + "storage: {flush: 0s}\n", {"2:18 config.range"}},
        sample{
            "duration_too_fine", std::string{least} + "timeouts: {connect: 1.5ns}\n", {"2:21 config.range"}},
        sample{"size_without_unit",
               std::string{least} + "limits: {request_body_max: 4096}\n",
               {"2:28 config.unit"}},
        sample{"size_overflows",
               std::string{least} + "limits: {request_body_max: 99999999999GiB}\n",
               {"2:28 config.range"}},
        sample{"share_without_sign",
               std::string{least} + "storage: {audit: {successes: 5}}\n",
               {"2:30 config.unit"}},
        sample{"share_of_more_than_all",
               std::string{least} + "storage: {audit: {successes: 101%}}\n",
               {"2:30 config.range"}},
        sample{"rate_without_unit", std::string{least} + "assume: {t: {rate: 200}}\n", {"2:20 config.unit"}},
        sample{"rate_of_none", std::string{least} + "assume: {t: {rate: 0/s}}\n", {"2:20 config.range"}},
        sample{"assumed_tool_unknown",
               std::string{least} + "assume: {tt: {rate: 1/s}}\n",
               {"2:10 config.unknown-tool"}},
        sample{"name_with_a_slash", "tools: {a/b: {hosts: [http://h:1]}}\n", {"1:9 config.name"}},
        sample{"url_without_scheme", url("h:1"), {"1:21 config.url"}},
        sample{"url_with_tls", url("https://h"), {"1:21 config.url"}},
        sample{"url_with_path", url("http://h/x"), {"1:21 config.url"}},
        sample{"url_with_user", url("http://u@h"), {"1:21 config.url"}},
        sample{"url_with_port_0", url("http://h:0"), {"1:21 config.url"}},
        sample{"url_with_bad_address", url("http://1.2.3.4.5"), {"1:21 config.url"}},
        sample{"url_without_host", url("http://:80"), {"1:21 config.url"}},
        sample{"host_twice", url("http://h:80, http://h"), {"1:34 config.host-twice"}},
        sample{"calls_itself", url("http://127.0.0.1:8080"), {"1:21 config.calls-itself"}},
        sample{"policy_unknown", tool("policy: p"), {"1:42 config.unknown-policy"}},
        sample{"method_in_small_letters", tool("methods: [get]"), {"1:44 config.value"}},
        sample{"path_is_relative", tool("path: x"), {"1:40 config.value"}},
        sample{"last_host_unknown", tool("last_host: maybe"), {"1:45 config.value"}},
        sample{"outcome_unknown", tool("classify: {failure: [timeot]}"), {"1:55 config.value"}},
        sample{"outcome_backwards", tool("classify: {failure: [504-500]}"), {"1:55 config.value"}},
        sample{"outcome_twice",
               tool("classify: {failure: [404], ignored: [404]}"),
               {"1:71 config.outcome-twice"}},
        sample{"outcome_class_unknown", tool("classify: {failed: [404]}"), {"1:45 config.unknown-key"}},
        sample{"policy_is_a_map", policy("{timeout: 1s}"), {"3:6 config.type"}},
        sample{"policy_is_empty", policy("[]"), {"3:6 config.missing"}},
        sample{"two_layers_in_one", policy("[{timeout: 1s, circuit_breaker: {}}]"), {"3:7 config.type"}},
        sample{"layer_unknown", policy("[timout: 1s]"), {"3:7 config.unknown-layer"}},
        sample{"layer_not_built", policy("[bulkhead: {}]"), {"3:7 config.not-built"}},
        sample{"timeout_of_none", policy("[timeout: 0s]"), {"3:16 config.range"}},
        sample{"timeout_without_length", policy("[timeout]"), {"3:7 config.type"}},
        sample{"window_of_two_kinds",
               policy("[circuit_breaker: {window: {time: 1s, calls: 5}}]"),
               {"3:33 config.window"}},
        sample{"window_of_no_kind", policy("[circuit_breaker: {window: {}}]"), {"3:33 config.window"}},
        sample{"window_is_a_scalar", policy("[circuit_breaker: {window: 10s}]"), {"3:33 config.type"}},
        sample{"buckets_of_calls",
               policy("[circuit_breaker: {window: {calls: 5, buckets: 5}}]"),
               {"3:53 config.window"}},
        sample{"breaker_opens_backwards",
               policy("[circuit_breaker: {open_for: {initial: 5s, maximum: 1s}}, timeout: 1s]"),
               {"3:58 config.breaker"}},
        sample{"breaker_with_no_window",
               policy("[circuit_breaker: {window: {calls: 0}}, timeout: 1s]"),
               {"3:41 config.breaker"}},
        sample{"breaker_minimum_above_window",
               policy("[circuit_breaker: {window: {calls: 5}, minimum_calls: 6}, timeout: 1s]"),
               {"3:60 config.breaker"}},
        // vllm-project/semantic-router#3740: no probe allowed = never leaves half-open.
        sample{"field_no_probes",
               policy("[circuit_breaker: {probes: 0}, timeout: 1s]"),
               {"3:33 config.breaker"}},
        // Sentinel#2136: two rules for one resource.
        sample{"field_breaker_twice",
               policy("[circuit_breaker: {per: tool}, circuit_breaker: {}, timeout: 1s]"),
               {"3:37 config.breaker-twice"}},
        sample{"too_many_layers",
               policy("[timeout: 7s, timeout: 6s, timeout: 5s, timeout: 4s, timeout: 3s, timeout: 2s, "
                      "timeout: 1s]"),
               {"3:85 config.too-many-layers"}},
        sample{"scope_unknown", policy("[circuit_breaker: {per: hosts}]"), {"3:30 config.value"}},
        sample{"route_without_match", std::string{least} + "routes: [{tool: t}]\n", {"2:10 config.missing"}},
        sample{"route_without_tool",
               std::string{least} + "routes: [{match: {path: /}}]\n",
               {"2:10 config.missing"}},
        sample{"route_to_nothing",
               std::string{least} + "routes: [{match: {path: /}, tool: x}]\n",
               {"2:35 config.unknown-tool"}},
        sample{"route_with_port",
               std::string{least} + "routes: [{match: {path: /, host: \"h:80\"}, tool: t}]\n",
               {"2:34 config.value"}},
        sample{"route_reserved",
               std::string{least} + "routes: [{match: {path: /v1/tools/x}, tool: t}]\n",
               {"2:25 config.reserved-path"}},
        sample{"route_shadowed",
               std::string{least} +
                   "routes:\n  - {match: {path: /}, tool: t}\n  - {match: {path: /a, host: h}, tool: t}\n",
               {"4:5 config.route-shadowed"}},
        sample{"route_shadowed_in_other_letters",
               std::string{least} + "routes:\n  - {match: {path: /, host: H}, tool: t}\n  - {match: {path: "
                                    "/, host: h}, tool: t}\n",
               {"4:5 config.route-shadowed"}},
        sample{"route_shadowed_by_a_star",
               std::string{least} + "routes:\n  - {match: {path: /, host: \"*.h\"}, tool: t}\n  - {match: "
                                    "{path: /, host: a.h}, tool: t}\n",
               {"4:5 config.route-shadowed"}},
        sample{"one_port_twice", std::string{least} + "listen: 127.0.0.1:9090\n", {"2:9 config.port-twice"}},
        sample{"one_port_twice_by_any_address",
               std::string{least} + "listen: 0.0.0.0:1\nadmin: {listen: 127.0.0.1:1}\n",
               {"3:17 config.port-twice"}}),
    [](auto const& info) { return info.param.name; });

class odd_text : public ::testing::TestWithParam<sample> {};

TEST_P(odd_text, is_taken_with_a_warning) {
  EXPECT_TRUE(read(GetParam().text, "g.yaml"));
  EXPECT_EQ(codes(GetParam().text), GetParam().problems);
}

INSTANTIATE_TEST_SUITE_P(
    warnings, odd_text,
    ::testing::Values(
        sample{"more_probes_than_needed",
               policy("[circuit_breaker: {probes: 2}, timeout: 1s]"),
               {"3:33 config.breaker"}},
        sample{"unused_policy",
               std::string{least} + "policies: {p: [timeout: 1s]}\n",
               {"2:12 config.unused-policy"}},
        sample{"timeout_longer_than_around_it",
               policy("[timeout: 1s, timeout: 2s]"),
               {"3:20 config.timeout-never-ends"}},
        sample{"timeout_longer_than_every_call", policy("[timeout: 40s]"), {"3:7 config.timeout-never-ends"}},
        // breaker.md, Reload: calls that are cancelled from outside are neutral and would never trip it.
        sample{"no_timeout_in_a_breaker",
               policy("[timeout: 1s, circuit_breaker: {}]"),
               {"3:20 config.neutral-timeout"}},
        // resilience4j#1443, #842: a minimum that a short window never reaches.
        sample{"field_minimum_never_reached",
               policy("[circuit_breaker: {window: {time: 1s}, minimum_calls: 20}, timeout: 1s]") +
                   "assume: {t: {rate: 10/s}}\n",
               {"3:60 config.never-trips"}}),
    [](auto const& info) { return info.param.name; });

TEST(config, has_no_complaint_about_routes_that_differ) {
  EXPECT_THAT(codes(std::string{least} + R"(routes:
  - {match: {path: /a}, tool: t}
  - {match: {path: /a/}, tool: t}
  - {match: {path: /, host: "*.h"}, tool: t}
  - {match: {path: /, host: h}, tool: t}
  - {match: {path: /, methods: [GET]}, tool: t}
  - {match: {path: /}, tool: t}
)"),
              IsEmpty());
}

TEST(config, has_no_complaint_about_ports_that_are_any) {
  EXPECT_THAT(codes(std::string{least} + "listen: 127.0.0.1:0\nadmin: {listen: 127.0.0.1:0}\n"), IsEmpty());
}

// With no timeout outside either, the bound of every call stands inside the breaker.
TEST(config, has_no_complaint_about_a_breaker_without_any_timeout) {
  EXPECT_THAT(codes(policy("[circuit_breaker: {}]")), IsEmpty());
}

TEST(config, takes_a_breaker_for_the_tool_beside_one_for_its_hosts) {
  EXPECT_THAT(codes(policy("[circuit_breaker: {per: tool}, circuit_breaker: {per: host}, timeout: 1s]")),
              IsEmpty());
}

TEST(config, keeps_quiet_about_names_whose_definition_is_itself_wrong) {
  EXPECT_THAT(codes("tools: {t: {hosts: [http://h:1], policy: p}}\npolicies: {p: [nonsense: 1]}\n"),
              ElementsAre("2:16 config.unknown-layer"));
}

TEST(config, says_why_a_file_cannot_be_read) {
  auto const missing = load("/nonexistent/g.yaml");
  ASSERT_FALSE(missing);
  EXPECT_THAT(to_string(missing.error().at(0)), HasSubstr("/nonexistent/g.yaml: error: found no such file"));
  auto const folder = load("/tmp");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().at(0).code, "config.unreadable");
}

TEST(config, is_read_from_a_file) {
  temporary_folder const folder;
  folder.write("gateway.yaml", least);
  EXPECT_TRUE(load(folder / "gateway.yaml"));
}

}  // namespace
}  // namespace halfopen::config
