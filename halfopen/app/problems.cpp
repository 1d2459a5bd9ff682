#include <algorithm>
#include <ostream>

#include <halfopen/app/problems.hpp>

namespace halfopen::app {
namespace {

std::string counted(std::size_t n, std::string const& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

config::node_ptr as_tree(diagnostic const& d) {
  return config::map({{"file", config::text(d.file)},
                      {"line", config::plain(std::to_string(d.at.line))},
                      {"column", config::plain(std::to_string(d.at.column))},
                      {"severity", config::text(d.level == severity::error ? "error" : "warning")},
                      {"code", config::text(d.code)},
                      {"found", config::text(d.found)},
                      {"expected", config::text(d.expected)},
                      {"hint", config::text(d.hint)}});
}

}  // namespace

bool has_error(std::vector<diagnostic> const& problems) {
  return std::ranges::find(problems, severity::error, &diagnostic::level) != problems.end();
}

void tell_problems(terminal& t, std::vector<diagnostic> const& problems) {
  for (auto const& d : problems) t.err << to_string(d) << '\n';
  auto const errors =
      static_cast<std::size_t>(std::ranges::count(problems, severity::error, &diagnostic::level));
  if (errors > 1) t.err << counted(errors, "error") << '\n';
}

config::node_ptr problems_as_tree(std::vector<diagnostic> const& problems) {
  std::vector<config::node_ptr> items;
  for (auto const& d : problems) items.push_back(as_tree(d));
  return config::map({{"ok", config::plain(has_error(problems) ? "false" : "true")},
                      {"problems", config::list(std::move(items))}});
}

}  // namespace halfopen::app
