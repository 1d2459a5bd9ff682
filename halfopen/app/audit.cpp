#include <filesystem>
#include <ostream>

#include <halfopen/app/audit.hpp>
#include <halfopen/app/problems.hpp>
#include <halfopen/config/load.hpp>
#include <halfopen/gateway/audit_chain.hpp>

namespace halfopen::app {
namespace {

config::node_ptr as_tree(std::filesystem::path const& file, gateway::chain_report const& r) {
  std::vector<config::node_ptr> faults;
  for (auto const& f : r.faults)
    faults.push_back(
        config::map({{"id", config::plain(std::to_string(f.id))}, {"what", config::text(f.what)}}));
  return config::map({{"ok", config::plain(r.holds() ? "true" : "false")},
                      {"database", config::text(file.string())},
                      {"rows", config::plain(std::to_string(r.rows))},
                      {"first_id", config::plain(std::to_string(r.first_id))},
                      {"last_id", config::plain(std::to_string(r.last_id))},
                      {"faults", config::list(std::move(faults))}});
}

void tell(terminal& t, std::filesystem::path const& file, gateway::chain_report const& r) {
  for (auto const& f : r.faults) t.out << file.string() << ": row " << f.id << ": " << f.what << '\n';
  auto const rows = std::to_string(r.rows) + (r.rows == 1 ? " row" : " rows");
  t.out << file.string() << ": " << rows;
  if (r.rows != 0) t.out << ", " << r.first_id << " to " << r.last_id;
  t.out << (r.holds() ? painted(t, colour::green, ", the chain holds")
                      : painted(t, colour::red, ", the chain is broken"))
        << '\n';
}

}  // namespace

exit_code run(audit_verify_command const& c, terminal& t) {
  auto file = c.database;
  if (file.empty()) {
    auto const read = config::load(c.config);
    if (!read) {
      tell_problems(t, read.error());
      return exit_code::usage;
    }
    file = read->config.storage.sqlite;
  }
  if (!std::filesystem::exists(file)) {
    complain(t, "no database " + file.string());
    return exit_code::usage;
  }
  auto const report = gateway::verify_chain(file);
  if (!report) {
    complain(t, "cannot read " + file.string() + ": " + report.error().message);
    return exit_code::failed;
  }
  if (c.json)
    t.out << config::to_json(*as_tree(file, *report));
  else
    tell(t, file, *report);
  return report->holds() ? exit_code::done : exit_code::failed;
}

}  // namespace halfopen::app
