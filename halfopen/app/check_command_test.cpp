#include <cstdlib>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>

#include <halfopen/app/run.hpp>
#include <halfopen/base/temporary_folder_fixture.hpp>

namespace halfopen::app {
namespace {

struct said {
  int code;
  std::string out;
  std::string err;
};

said ran(std::vector<std::string> const& arguments) {
  std::ostringstream out, err;
  terminal t{out, err};
  auto const code = static_cast<int>(run(arguments, t));
  return {code, out.str(), err.str()};
}

std::string const specs = HALFOPEN_SOURCE_DIR "/specs";
std::string const breaker = specs + "/circuit_breaker/CircuitBreaker.tla";

TEST(check_command, has_tlcs_exit_codes_and_ends_with_the_counts) {
  auto const s = ran({"check", breaker, "--stats"});
  EXPECT_EQ(s.code, 0) << s.err;
  EXPECT_THAT(s.out, testing::HasSubstr("distinct=13 generated=43 depth=10 seconds="));
  EXPECT_EQ(ran({"check", breaker, "--config", specs + "/circuit_breaker/CircuitBreakerNaive.cfg"}).code, 12);
  EXPECT_EQ(ran({"check", breaker, "--config", specs + "/circuit_breaker/CircuitBreakerLiveNaive.cfg"}).code,
            13);
  EXPECT_EQ(ran({"check", breaker, "--max-states", "5"}).code, 124);
  EXPECT_EQ(ran({"check", specs + "/no_such.tla"}).code, 150);
  EXPECT_EQ(ran({"check", breaker, "--config", "no_such.cfg"}).code, 151);
  EXPECT_EQ(ran({"check"}).code, 2);
}

TEST(check_command, understands_tlcs_spellings) {
  EXPECT_EQ(ran({"check", "-deadlock", "-workers", "2", "-config",
                 specs + "/circuit_breaker/CircuitBreaker3.cfg", breaker})
                .code,
            0);
}

TEST(check_command, every_spec_of_this_project_ends_as_its_first_line_says) {
  auto const s = ran({"check", "--all", specs});
  EXPECT_EQ(s.code, 0) << s.out;
  EXPECT_THAT(s.out, testing::HasSubstr(" 0 not"));
}

TEST(check_command, shows_a_counterexample_in_the_form_that_is_asked_for) {
  auto const naive = specs + "/circuit_breaker/CircuitBreakerNaive.cfg";
  EXPECT_THAT(ran({"check", breaker, "-c", naive, "--trace", "table"}).out,
              testing::HasSubstr("callerActive    {}"));
  EXPECT_THAT(ran({"check", breaker, "-c", naive, "-difftrace"}).out,
              testing::HasSubstr("State 2: <ClosedCallFailure"));
  temporary_folder const folder;
  auto const page = folder / "trace.html";
  EXPECT_EQ(ran({"check", breaker, "-c", naive, "--trace", "html", "--trace-file", page.string()}).code, 12);
  EXPECT_THAT(contents(page), testing::HasSubstr("\"property\": \"NoDoubleProbe\""));
  EXPECT_EQ(ran({"check", breaker, "--trace", "pdf"}).code, 2);
}

TEST(check_command, walks_at_random_and_tells_how_to_walk_there_again) {
  auto const s = ran({"check", breaker, "--simulate", "3", "--depth", "7", "--seed", "5"});
  EXPECT_EQ(s.code, 0) << s.err;
  EXPECT_THAT(s.out, testing::HasSubstr("No error found, but not exhaustive: 3 random walks, 18 steps"));
  auto const naive = specs + "/circuit_breaker/CircuitBreakerNaive.cfg";
  auto const found = ran({"check", breaker, "-config", naive, "-simulate", "-depth", "40", "-seed", "5"});
  EXPECT_EQ(found.code, 12) << found.out;
  auto const at = found.out.find("  halfopen check ");
  ASSERT_NE(at, std::string::npos) << found.out;
  std::istringstream words{found.out.substr(at + std::string_view{"  halfopen "}.size())};
  auto const again = ran({std::istream_iterator<std::string>{words}, {}});
  EXPECT_EQ(again.out, found.out);
}

TEST(check_command, evaluates_expressions_along_a_counterexample) {
  auto const naive = specs + "/circuit_breaker/CircuitBreakerNaive.cfg";
  temporary_folder const folder;
  auto const file = folder / "expressions.txt";
  write(file, "\\* how many\nwaiting == Cardinality(callerActive)\n\n");
  auto const s = ran({"check", breaker, "-c", naive, "--trace-expr", "@" + file.string(), "--trace-expr",
                      "callerActive # {}"});
  EXPECT_EQ(s.code, 12) << s.out;
  EXPECT_THAT(s.out, testing::HasSubstr("/\\ waiting = 0\n/\\ callerActive # {} = FALSE"));
  EXPECT_EQ(ran({"check", breaker, "--trace-expr", "@/no/such/file"}).code, 2);
}

TEST(check_command, prints_the_values_of_expressions) {
  auto const s = ran({"check", breaker, "--eval", "Cardinality(Callers)", "--eval", "state"});
  EXPECT_EQ(s.code, 0) << s.err;
  EXPECT_EQ(s.out, "2\n\"Closed\"\n");
  EXPECT_THAT(ran({"check", breaker, "--eval", "1 + 1", "--json"}).out,
              testing::HasSubstr("{\"expression\": \"1 + 1\", \"states\": 0, \"output\": \"\", \"values\""));
  auto const wrong = ran({"check", breaker, "--eval", "Cardinality(3)"});
  EXPECT_EQ(wrong.code, 75);
  EXPECT_THAT(wrong.err, testing::HasSubstr("(expression):1:"));
  EXPECT_EQ(ran({"check", breaker, "--eval", "1 +"}).code, 150);
}

TEST(check_command, converses_a_line_at_a_time) {
  std::ostringstream out, err;
  std::istringstream in{"twice(n) == 2 * n\ntwice(4)\n:next\n:quit\n1 + 1\n"};
  terminal t{out, err};
  t.in = &in;
  EXPECT_EQ(run({"check", breaker, "--repl"}, t), exit_code::done);
  EXPECT_THAT(out.str(), testing::StartsWith("twice is defined\n8\n  1  "));
  EXPECT_THAT(out.str(), testing::Not(testing::EndsWith("\n2\n")));
}

TEST(check_command, reports_as_json) {
  auto const naive = specs + "/circuit_breaker/CircuitBreakerNaive.cfg";
  auto const s = ran({"check", breaker, "-c", naive, "--json"});
  EXPECT_THAT(s.out, testing::HasSubstr("\"verdict\": \"safety\", \"exit_code\": 12"));
  EXPECT_THAT(s.out, testing::HasSubstr("\"action\": \"Initial predicate\""));
}

bool fits(std::string const& json, std::string const& schema) {
  temporary_folder const folder;
  folder.write("sample.json", json);
  auto const run =
      "python3 -c 'import json,sys,jsonschema; jsonschema.validate(json.load(open(sys.argv[1])), "
      "json.load(open(sys.argv[2])))' '" +
      (folder / "sample.json").string() + "' '" HALFOPEN_SOURCE_DIR "/docs/schemas/" + schema +
      ".schema.json'";
  return std::system(run.c_str()) == 0;
}

TEST(check_command, what_is_written_for_machines_fits_its_schema) {
  if (std::system("python3 -c 'import jsonschema' 2>/dev/null") != 0) GTEST_SKIP() << "no jsonschema here";
  auto const config = specs + "/circuit_breaker/CircuitBreaker";
  temporary_folder const folder;
  auto const out = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"check", breaker});
    return ran(more).out;
  };
  EXPECT_TRUE(fits(out({"--json", "--coverage"}), "check-result"));
  EXPECT_TRUE(fits(out({"--json", "-c", config + "LiveNaive.cfg", "--trace-expr", "state"}), "check-result"));
  EXPECT_TRUE(fits(out({"--json", "--simulate", "2", "-c", config + "Naive.cfg"}), "check-result"));
  EXPECT_TRUE(fits(out({"--json", "-c", "no_such.cfg"}), "check-result"));
  EXPECT_TRUE(fits(out({"--json", "--eval", "state", "--eval", "Callers"}), "check-eval"));
  EXPECT_TRUE(fits(ran({"check", "--all", specs + "/circuit_breaker", "--json"}).out, "check-all"));
  auto const trace = (folder / "trace.json").string(), graph = (folder / "graph.json").string();
  out({"-c", config + "LiveNaive.cfg", "--trace", "json", "--trace-file", trace, "--trace-expr", "a == 1"});
  EXPECT_TRUE(fits(contents(trace), "trace"));
  out({"-c", config + "Naive.cfg", "--dump-graph", graph});
  EXPECT_TRUE(fits(contents(graph), "state-graph"));
}

TEST(check_command, writes_the_state_graph_and_says_when_it_is_large) {
  temporary_folder const folder;
  auto const file = (folder / "graph.dot").string();
  auto const s = ran({"check", breaker, "--dump-graph", file});
  EXPECT_EQ(s.code, 0) << s.err;
  EXPECT_THAT(s.err, testing::HasSubstr("13 states"));
  EXPECT_THAT(s.err, testing::HasSubstr("draw it: dot -Tsvg"));
  EXPECT_THAT(contents(file), testing::HasSubstr("penwidth=3"));
  EXPECT_THAT(ran({"check", breaker, "-dump", "dot", file, "--dump-states", "5"}).err,
              testing::HasSubstr("warning: there are more states; it has the nearest 5"));
  EXPECT_EQ(ran({"check", breaker, "--dump-graph", "graph.png"}).code, 2);
  EXPECT_EQ(ran({"check", breaker, "--dump-graph", "/no/such/folder/g.dot"}).code, 1);
}

TEST(check_command, tells_what_was_covered) {
  auto const s = ran({"check", breaker, "--coverage"});
  EXPECT_EQ(s.code, 0) << s.err;
  EXPECT_THAT(s.out,
              testing::AllOf(testing::HasSubstr("Coverage of actions:"), testing::HasSubstr("OpenTick"),
                             testing::HasSubstr("Coverage of their parts:")));
}

TEST(check_command, parses_only) {
  EXPECT_EQ(ran({"check", breaker, "--parse-only"}).code, 0);
  EXPECT_EQ(ran({"check", specs + "/no_such.tla", "--parse-only"}).code, 150);
}

TEST(check_command, writes_a_report_for_ci_servers) {
  temporary_folder const folder;
  auto const file = folder / "junit.xml";
  EXPECT_EQ(ran({"check", "--all", specs, "--junit", file.string()}).code, 0);
  EXPECT_THAT(contents(file), testing::HasSubstr("failures=\"0\""));
}

}  // namespace
}  // namespace halfopen::app
