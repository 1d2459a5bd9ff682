#include <halfopen/app/cli_reference.hpp>
#include <halfopen/app/topics.hpp>

namespace halfopen::app {
namespace {

void add(std::string& out, command_info const& c, std::string const& path) {
  out += "\n## `" + path + "`\n\n```text\n" + c.text + "```\n";
  for (auto const& b : c.below) add(out, b, path + " " + b.name);
}

}  // namespace

std::string cli_reference(command_info const& root) {
  std::string out =
      "# The `halfopen` command\n"
      "\n"
      "One binary. Results go to stdout; progress and complaints to stderr, colours to terminals only (and "
      "never where\n"
      "`NO_COLOR` is set). Whatever reports something also does so as JSON, with `--json`.\n"
      "\n"
      "This page is written by `halfopen help commands`; a test holds the two together.\n";
  add(out, root, root.name);
  return out + "\n## Exit codes\n\n```text\n" + topic_text("exit-codes") + "```\n";
}

}  // namespace halfopen::app
