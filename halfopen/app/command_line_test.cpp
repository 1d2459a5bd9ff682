#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/app/cli_reference.hpp>
#include <halfopen/app/command.hpp>
#include <halfopen/app/topics.hpp>

namespace halfopen::app {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

template <class Command>
Command understood(std::vector<std::string> const& arguments) {
  auto const c = parse(arguments);
  if (auto const* const wanted = std::get_if<Command>(&c)) return *wanted;
  ADD_FAILURE() << (std::holds_alternative<say>(c) ? std::get<say>(c).text : "another command");
  return {};
}

say said(std::vector<std::string> const& arguments) { return understood<say>(arguments); }

TEST(command_line, reads_serve) {
  auto const c = understood<serve_command>(
      {"serve", "--config", "a.yaml", "--check-config", "--ready-file=r", "--log", "json"});
  EXPECT_EQ(c.config, "a.yaml");
  EXPECT_TRUE(c.check_config);
  EXPECT_EQ(c.ready_file, "r");
  EXPECT_EQ(c.log, log_format::json);
  EXPECT_EQ(understood<serve_command>({"serve"}).config, "gateway.yaml");
}

TEST(command_line, reads_init) {
  EXPECT_EQ(understood<init_command>({"init"}).file, "gateway.yaml");
  auto const c = understood<init_command>({"init", "x.yaml", "--force"});
  EXPECT_EQ(c.file, "x.yaml");
  EXPECT_TRUE(c.force);
}

TEST(command_line, reads_status) {
  auto const c = understood<status_command>(
      {"status", "--watch", "--every", "250ms", "--admin", "127.0.0.1:1", "--json"});
  EXPECT_TRUE(c.watch);
  EXPECT_TRUE(c.json);
  EXPECT_EQ(c.every, 250ms);
  EXPECT_EQ(c.target.address, "127.0.0.1:1");
  EXPECT_FALSE(c.target.config_given);
  EXPECT_TRUE(understood<status_command>({"status", "-c", "x"}).target.config_given);
}

TEST(command_line, reads_the_rest) {
  EXPECT_TRUE(understood<demo_command>({"demo", "--once"}).once);
  EXPECT_TRUE(understood<config_show_command>({"config", "show", "--effective", "x"}).effective);
  understood<config_schema_command>({"config", "schema"});
  understood<config_reference_command>({"config", "reference"});
  EXPECT_EQ(understood<audit_verify_command>({"audit", "verify", "--database", "d"}).database, "d");
  EXPECT_EQ(understood<completion_command>({"completion", "fish"}).for_shell, shell::fish);
}

TEST(command_line, says_its_version) {
  EXPECT_THAT(said({"--version"}).text, ::testing::MatchesRegex("halfopen [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(said({"--version"}).code, exit_code::done);
}

TEST(command_line, helps_everywhere) {
  EXPECT_THAT(said({"--help"}).text, HasSubstr("halfopen demo"));
  EXPECT_THAT(said({"config", "--help"}).text, HasSubstr("Usage: halfopen config COMMAND"));
  EXPECT_THAT(said({"config", "show", "-h"}).text, HasSubstr("Usage: halfopen config show [FILE] [OPTIONS]"));
  EXPECT_EQ(said({"help", "serve"}).text, said({"serve", "--help"}).text);
  EXPECT_EQ(said({"help"}).text, said({"--help"}).text);
  EXPECT_EQ(said({"serve", "--help"}).code, exit_code::done);
}

void expect_examples(command_info const& c, std::string const& path) {
  EXPECT_THAT(c.text, HasSubstr("Examples:\n  ")) << path;
  for (auto const& b : c.below) expect_examples(b, path + " " + b.name);
}

TEST(command_line, shows_examples_in_the_help_of_every_command) { expect_examples(describe_commands(), ""); }

TEST(command_line, without_a_command_shows_the_help_and_fails) {
  EXPECT_EQ(said({}).code, exit_code::usage);
  EXPECT_THAT(said({}).text, HasSubstr("Usage: halfopen COMMAND"));
}

struct slip {
  std::vector<std::string> arguments;
  char const* answer;
};

class slips : public ::testing::TestWithParam<slip> {};

TEST_P(slips, are_told_in_one_line_with_what_was_meant) {
  auto const s = said(GetParam().arguments);
  EXPECT_EQ(s.code, exit_code::usage);
  EXPECT_EQ(s.text, GetParam().answer);
}

INSTANTIATE_TEST_SUITE_P(
    command_line, slips,
    ::testing::Values(
        slip{{"dmeo"},
             "no command \"dmeo\", expected one of: demo, init, serve, status, config, audit, check, "
             "completion, "
             "help; did you mean "
             "demo? (see `halfopen --help`)"},
        slip{{"config", "shwo"},
             "no command \"shwo\", expected one of: show, schema, reference; did you mean show? (see "
             "`halfopen config --help`)"},
        slip{{"serve", "--conifg", "x"},
             "no option --conifg; did you mean --config? (see `halfopen serve --help`)"},
        slip{{"demo", "--once=1", "--twice"}, "no option --twice (see `halfopen demo --help`)"},
        slip{{"serve", "--config"}, "--config: 1 required FILE missing (see `halfopen serve --help`)"},
        slip{{"status", "--every", "5"},
             "--every: expected a duration with its unit, such as 5s or 200ms, at least 50ms (see `halfopen "
             "status --help`)"},
        slip{{"completion", "csh"}, "SHELL: csh not in {bash,zsh,fish} (see `halfopen completion --help`)"},
        slip{{"completion"}, "SHELL is required (see `halfopen completion --help`)"},
        slip{{"check", "A.tla", "--workers", "-5"},
             "--workers: found -5, expected nothing below zero (see `halfopen check --help`)"},
        slip{{"check", "A.tla", "--max-states=many"},
             "--max-states: found many, expected a whole number (see `halfopen check --help`)"},
        slip{{"config"}, "A subcommand is required (see `halfopen config --help`)"},
        slip{{"help", "exit-code"},
             "no topic \"exit-code\"; did you mean exit-codes? (see `halfopen --help`)"}));

TEST(command_line, tells_the_exit_codes) {
  EXPECT_THAT(said({"help", "exit-codes"}).text, HasSubstr("  0   done\n  1   a check failed"));
}

TEST(cli_reference, page_is_current) {
  std::ifstream in{HALFOPEN_SOURCE_DIR "/docs/cli.md"};
  std::istringstream written{cli_reference(describe_commands())};
  std::string is;
  std::string should_be;
  for (int line = 1; std::getline(written, should_be); ++line) {
    std::getline(in, is);
    ASSERT_EQ(is, should_be) << "line " << line << "; write it anew: halfopen help commands > docs/cli.md";
  }
  EXPECT_FALSE(std::getline(in, is)) << "more follows: " << is;
}

}  // namespace
}  // namespace halfopen::app
