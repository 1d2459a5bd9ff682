#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

// CLI11 is known to this file, to those that are built on it, and to no other.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <halfopen/app/command.hpp>

namespace halfopen::app {

/// The whole command line as CLI11 sees it, with what it writes to.
struct grammar {
  CLI::App app{"A circuit breaker that is shown to be safe and to recover: the gateway and its tools."};
  command chosen = say{};
  serve_command serve;
  init_command init;
  status_command status;
  demo_command demo;
  config_show_command show;
  audit_verify_command verify;
  check_command check;
  std::string check_time = "0s", checkpoint_every = "10m";
  std::string trace_form = "text";
  std::optional<std::uint64_t> walks;
  bool difftrace = false;
  std::string log = "auto";
  std::string every = "1s";
  std::string shell_name;
  std::string topic;

  grammar();
  grammar(grammar const&) = delete;
  grammar& operator=(grammar const&) = delete;

 private:
  CLI::App* add(CLI::App& to, char const* name, char const* does, char const* footer);
  void add_serve();
  void add_init();
  void add_status();
  void add_demo();
  void add_config();
  void add_audit();
  void add_check();
  void add_simulate(CLI::App& c);
  void add_words();
};

/// An option whose value is the name of a file.
CLI::Option* add_file(CLI::App& to, std::string const& names, std::filesystem::path& into,
                      std::string const& help);

}  // namespace halfopen::app
