#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <halfopen/app/terminal.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/config/gateway_config.hpp>
#include <halfopen/gateway/server.hpp>

namespace halfopen::app {

/// Why there is no gateway, in one line with the address or file that is at fault, and what `halfopen`
/// returns.
struct start_failure {
  std::string text;
  exit_code code = exit_code::failed;
};

using log_sink = std::function<void(gateway::log_message const&)>;

/// A gateway with all that it stands on, wired and bound, not yet running.
class running_gateway {
 public:
  [[nodiscard]] static expected<std::unique_ptr<running_gateway>, start_failure> make(
      config::gateway_config c, std::filesystem::path const& file, log_sink log);
  ~running_gateway();

  [[nodiscard]] gateway::server& server() noexcept { return *server_; }

 private:
  running_gateway() = default;

  // In the order in which they stand on each other: a server is ended before its storage, that before the
  // counts.
  std::unique_ptr<gateway::health_board> board_;
  std::unique_ptr<gateway::storage> storage_;
  std::unique_ptr<gateway::server> server_;
};

/// Why nobody can listen there, or an empty text. The gateway's own listeners would find out too; asked
/// first, the answer names the reason before a database is opened.
[[nodiscard]] std::string unusable_address(config::listen_address const& a);

/// Why this file cannot become or be the database, or an empty text. A database that is there and damaged, or
/// a disk that is full, is no reason: storage deals with those while the gateway serves.
[[nodiscard]] std::string unusable_database(std::filesystem::path const& file);

}  // namespace halfopen::app
