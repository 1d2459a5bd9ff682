#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <halfopen/app/route_process_fixture.hpp>
#include <halfopen/app/route_socket_fixture.hpp>
#include <halfopen/app/route_upstream_fixture.hpp>

namespace halfopen::route {

using nlohmann::json;

/// The text of a gateway's file: one tool `t` behind every path, with times short enough for a test.
struct setup {
  std::vector<std::string> hosts;
  std::string window = "{calls: 4}";
  std::string minimum_calls = "4";
  std::string open_for = "{initial: 60ms, multiplier: 2, maximum: 10s, jitter: none}";
  std::string per = "tool";
  std::string breaker = {};             // further keys, each with ", " before it
  std::string call_timeout = "10s";     // outermost layer
  std::string attempt_timeout = "10s";  // innermost layer
  std::string tool = {};                // further keys of the tool, likewise
  std::string tools = {};               // whole lines under `tools`
  std::string routes = {};              // whole lines, before the route of `t`
  std::string storage = "flush: 10ms";
  std::string audit = "{successes: 100%}";
  std::string log = "{access: \"off\"}";
  std::string timeouts = "drain: 10s";
  std::string loops = "1";
  std::string watch = "false";
  std::string more = {};  // whole sections

  [[nodiscard]] std::string text() const;
};

/// The value of one line of Prometheus text, by its name and labels as they stand there.
using metrics = std::map<std::string, double>;
[[nodiscard]] metrics parse_metrics(std::string const& text);

/// A member that is a text, or an empty text where it is absent, null or something else.
[[nodiscard]] std::string text_at(json const& object, std::string const& member);

/// Runs SQL on a database as any other program would.
void run_sql(std::filesystem::path const& file, std::string const& sql);

/// `halfopen serve` on free ports, in a folder of its own.
class gateway {
 public:
  explicit gateway(setup const& s, std::string const& command = halfopen_command())
      : gateway{s.text(), command} {}
  explicit gateway(std::string const& config, std::string const& command = halfopen_command());
  gateway(gateway const&) = delete;
  gateway& operator=(gateway const&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::uint16_t admin_port() const { return admin_port_; }
  [[nodiscard]] std::string const& token() const { return token_; }
  [[nodiscard]] process& command() { return *process_; }
  [[nodiscard]] std::filesystem::path file(std::string const& name) const { return folder_ / name; }
  [[nodiscard]] std::filesystem::path config_file() const { return file("gateway.yaml"); }
  [[nodiscard]] std::string errors() const { return contents(file("err")); }

  // its life
  void start();
  /// SIGTERM, and its exit code.
  [[nodiscard]] std::optional<int> end();
  void kill() { process_->kill(); }
  void configure(setup const& s) const { configure(s.text()); }
  void configure(std::string const& text) const { write(config_file(), text); }

  // calls
  reply get(std::string const& target = "/", field_lines const& fields = {}) const;
  reply post(std::string const& target, std::string const& body, field_lines const& fields = {}) const;
  reply invoke(std::string const& tool = "t", std::string const& body = "{}") const;

  // the admin API
  reply admin(std::string const& method, std::string const& target, std::string const& body = {},
              field_lines fields = {}) const;
  [[nodiscard]] json ask(std::string const& target) const;
  /// POST tools/t/breaker/ACT, with a reason.
  reply operate(std::string const& act, std::string const& reason = "a test") const;
  [[nodiscard]] json breaker(std::string const& tool = "t") const;
  [[nodiscard]] std::string state() const { return text_at(breaker(), "state"); }
  [[nodiscard]] bool reaches(std::string const& wanted) const;
  /// The tool's counts as GET tools/t tells them: "success", "failure", ...
  [[nodiscard]] std::uint64_t count(std::string const& name, std::string const& tool = "t") const;
  [[nodiscard]] metrics scrape() const;

  // whole stories
  /// Calls until the breaker is open, with an upstream that fails.
  void trip(upstream& u) const;
  /// Calls until one is let through again with `status`.
  [[nodiscard]] bool calls_until(int status) const;

 private:
  std::string command_;
  temporary_folder folder_;
  std::optional<process> process_;
  std::uint16_t port_ = 0;
  std::uint16_t admin_port_ = 0;
  std::string token_;
};

}  // namespace halfopen::route
