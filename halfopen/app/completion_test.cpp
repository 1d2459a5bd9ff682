#include <array>
#include <cstdio>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/app/completion.hpp>
#include <halfopen/base/temporary_folder_fixture.hpp>

namespace halfopen::app {
namespace {

std::string output_of(std::string const& command) {
  std::string out;
  std::array<char, 4096> piece{};
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "no shell";
  while (std::fgets(piece.data(), static_cast<int>(piece.size()), pipe) != nullptr) out += piece.data();
  return ::pclose(pipe) == 0 ? out : "failed: " + out;
}

// What bash offers for the last of `words`.
std::set<std::string> offered(std::string const& words, int last) {
  temporary_folder const folder;
  auto const file = (folder / "completion").string();
  std::ofstream{file} << completion_script(shell::bash, describe_commands()) << "COMP_WORDS=(" << words
                      << ")\nCOMP_CWORD=" << last << "\n_halfopen\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  std::set<std::string> out;
  std::istringstream lines{output_of("bash " + file)};
  for (std::string line; std::getline(lines, line);) out.insert(line);
  return out;
}

TEST(completion, offers_commands_then_their_options_in_bash) {
  EXPECT_THAT(offered("halfopen ''", 1), ::testing::IsSupersetOf({"demo", "serve", "--help", "completion"}));
  EXPECT_THAT(offered("halfopen se", 1), ::testing::ElementsAre("serve"));
  EXPECT_THAT(offered("halfopen serve --ch", 2), ::testing::ElementsAre("--check-config"));
  EXPECT_THAT(offered("halfopen config s", 2), ::testing::ElementsAre("schema", "show"));
  EXPECT_THAT(offered("halfopen config show --e", 3), ::testing::ElementsAre("--effective"));
  EXPECT_THAT(offered("halfopen serve --log ''", 3), ::testing::ElementsAre("auto", "json", "text"));
  EXPECT_THAT(offered("halfopen check --trace t", 3), ::testing::ElementsAre("table", "text", "tla"));
  EXPECT_THAT(offered("halfopen check --simu", 2), ::testing::ElementsAre("--simulate"));
  EXPECT_THAT(offered("halfopen completion ''", 2), ::testing::IsSupersetOf({"bash", "fish", "zsh"}));
  EXPECT_THAT(offered("halfopen help ex", 2), ::testing::ElementsAre("exit-codes"));
}

TEST(completion, names_every_command_for_every_shell) {
  auto const root = describe_commands();
  for (auto const s : {shell::bash, shell::zsh, shell::fish}) {
    auto const script = completion_script(s, root);
    for (auto const& c : root.below) EXPECT_THAT(script, ::testing::HasSubstr(c.name));
  }
}

TEST(completion, is_read_without_complaint_by_the_shells_that_are_here) {
  for (auto const& [s, name] : {std::pair{shell::bash, "bash"}, {shell::zsh, "zsh"}, {shell::fish, "fish"}}) {
    if (output_of(std::string{"command -v "} + name + " >/dev/null && echo yes || echo no") != "yes\n")
      continue;
    temporary_folder const folder;
    auto const file = (folder / "completion").string();
    write(file, completion_script(s, describe_commands()));
    EXPECT_EQ(output_of(std::string{name} + " -n " + file + " 2>&1"), "") << name;
  }
}

}  // namespace
}  // namespace halfopen::app
