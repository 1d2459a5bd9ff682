#include <ostream>

#include <halfopen/app/config_command.hpp>
#include <halfopen/app/problems.hpp>
#include <halfopen/config/describe.hpp>
#include <halfopen/config/load.hpp>

namespace halfopen::app {
namespace {

std::string counted(std::size_t n, std::string const& one, std::string const& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

}  // namespace

exit_code run(config_show_command const& c, terminal& t) {
  auto const read = config::load(c.file);
  tell_problems(t, read ? read->warnings : read.error());
  if (!read) return exit_code::usage;
  auto const tree = c.effective ? config::effective(read->config) : read->written;
  t.out << (c.json ? config::to_json(*tree) : config::to_yaml(*tree));
  return exit_code::done;
}

exit_code run(config_schema_command const&, terminal& t) {
  t.out << config::to_json(*config::schema());
  return exit_code::done;
}

exit_code run(config_reference_command const&, terminal& t) {
  t.out << config::reference();
  return exit_code::done;
}

exit_code check_config(serve_command const& c, terminal& t) {
  auto const read = config::load(c.config);
  auto const& problems = read ? read->warnings : read.error();
  auto const code = read ? exit_code::done : exit_code::usage;
  if (c.json) {
    t.out << config::to_json(*problems_as_tree(problems));
    return code;
  }
  tell_problems(t, problems);
  if (read)
    t.out << c.config.string() << ": ok, " << counted(read->config.tools.size(), "tool", "tools") << ", "
          << counted(read->config.policies.size(), "policy", "policies") << ", "
          << counted(read->config.routes.size(), "route", "routes") << '\n';
  return code;
}

}  // namespace halfopen::app
