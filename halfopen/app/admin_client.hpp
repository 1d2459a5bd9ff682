#pragma once

#include <string>

#include <halfopen/app/command.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/net/endpoint.hpp>
#include <halfopen/net/http_client.hpp>

namespace halfopen::app {

/// Why the admin API gave no answer, for a person; and what the command then returns.
struct admin_fault {
  std::string what;
  exit_code code = exit_code::failed;
};

/// Asks a running gateway through its admin API.
class admin_client {
 public:
  /// Finds address and token: as given, else from the gateway's file.
  [[nodiscard]] static expected<admin_client, admin_fault> make(admin_target const& target);

  /// The body of a 200.
  [[nodiscard]] expected<std::string, admin_fault> get(std::string const& path);
  [[nodiscard]] std::string const& address() const noexcept { return address_; }

 private:
  admin_client(net::endpoint at, std::string token, std::string token_file);

  std::string address_;
  std::string token_;
  std::string token_file_;
  net::http_client client_;
};

}  // namespace halfopen::app
