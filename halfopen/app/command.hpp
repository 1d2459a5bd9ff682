#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <halfopen/app/terminal.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/tla/trace.hpp>

/// What a command line asks for, once it has been understood. No command parses flags by itself.
namespace halfopen::app {

enum class log_format : std::uint8_t { automatic, text, json };

constexpr char const* usual_config = "gateway.yaml";

struct serve_command {
  std::filesystem::path config = usual_config;
  bool check_config = false;
  bool json = false;                 // the report of check_config
  std::filesystem::path ready_file;  // written when the ports are open; empty = none
  log_format log = log_format::automatic;
};

struct init_command {
  std::filesystem::path file = usual_config;
  bool force = false;
};

/// Where a running gateway's admin API is: given, or read from the gateway's file.
struct admin_target {
  std::filesystem::path config = usual_config;
  bool config_given = false;
  std::string address{};               // empty = from the config
  std::filesystem::path token_file{};  // empty = from the config
};

struct status_command {
  admin_target target;
  bool watch = false;
  bool json = false;
  duration every = std::chrono::seconds{1};
};

struct demo_command {
  bool once = false;
  bool json = false;  // a line of JSON for each thing that happens
};

struct config_show_command {
  std::filesystem::path file = usual_config;
  bool effective = false;
  bool json = false;
};
struct config_schema_command {};
struct config_reference_command {};

struct audit_verify_command {
  std::filesystem::path config = usual_config;
  std::filesystem::path database;  // empty = from the config
  bool json = false;
};

struct check_command {
  std::filesystem::path spec{};
  std::filesystem::path config{};  // empty = beside the spec
  std::filesystem::path all{};     // a folder; then no spec
  std::vector<std::string> search_path{};
  bool no_deadlock = false;
  bool stats = false;
  bool json = false;
  bool parse_only = false;
  tla::trace_form trace = tla::trace_form::text;
  std::filesystem::path trace_file{};  // empty = the trace goes where the rest goes
  std::filesystem::path junit{};       // with all: a report for CI servers
  std::uint32_t workers = 0;           // 0: as many as pay
  std::filesystem::path checkpoint{};  // a folder; empty = none
  duration checkpoint_every{0};
  std::uint64_t states_max = 0;  // these: 0 = no limit
  std::uint32_t depth_max = 0;
  std::uint64_t memory_max_mb = 0;
  duration time_max{0};

  bool simulate = false;
  std::uint64_t walks = 0;       // 0 = until the time is up, or somebody stops it
  std::uint64_t first_walk = 1;  // to repeat one
  std::uint32_t walk_depth = 100;
  std::optional<std::uint64_t> seed{};           // none: drawn, and told
  std::vector<std::string> trace_expressions{};  // or @FILE, one a line
  bool force_liveness = false;
  bool coverage = false;
  std::filesystem::path dump_graph{};  // .dot, .gv or .json; empty = none
  std::size_t dump_states = 100'000;   // at most
  bool no_warnings = false;

  std::vector<std::string> evaluate{};  // then nothing is checked
  bool repl = false;
};

enum class shell : std::uint8_t { bash, zsh, fish };
struct completion_command {
  shell for_shell = shell::bash;
};

/// Nothing to run: help, a version, or what is wrong with the command line.
struct say {
  std::string text;
  exit_code code = exit_code::done;  // anything but done goes to err
};

using command = std::variant<say, serve_command, init_command, status_command, demo_command,
                             config_show_command, config_schema_command, config_reference_command,
                             audit_verify_command, check_command, completion_command>;

/// Understands a command line, without the program's name.
[[nodiscard]] command parse(std::vector<std::string> const& arguments);

/// The commands and their options, for completion and for docs.
struct option_info {
  std::vector<std::string> names;  // "--json", "-h"
  std::string help;
  std::vector<std::string> values;  // what may follow, where that is a fixed set
  bool takes_value = false;
};
struct command_info {
  std::string name;
  std::string help;
  std::string text;  // what --help prints
  std::vector<option_info> options;
  std::vector<std::string> words;  // positional words from a fixed set
  std::vector<command_info> below;
};
[[nodiscard]] command_info describe_commands();

[[nodiscard]] std::string version_line();

}  // namespace halfopen::app
