#include <ostream>

#include <halfopen/app/audit.hpp>
#include <halfopen/app/check_command.hpp>
#include <halfopen/app/command.hpp>
#include <halfopen/app/completion.hpp>
#include <halfopen/app/config_command.hpp>
#include <halfopen/app/demo.hpp>
#include <halfopen/app/init.hpp>
#include <halfopen/app/run.hpp>
#include <halfopen/app/serve.hpp>
#include <halfopen/app/status.hpp>

namespace halfopen::app {
namespace {

exit_code run(say const& s, terminal& t) {
  if (s.code == exit_code::done)
    t.out << s.text;
  else if (s.text.ends_with('\n'))
    t.err << s.text;
  else
    complain(t, s.text);
  return s.code;
}

exit_code run(completion_command const& c, terminal& t) {
  t.out << completion_script(c.for_shell, describe_commands());
  return exit_code::done;
}

}  // namespace

exit_code run(std::vector<std::string> const& arguments, terminal& t) {
  return std::visit([&](auto const& c) { return run(c, t); }, parse(arguments));
}

}  // namespace halfopen::app
