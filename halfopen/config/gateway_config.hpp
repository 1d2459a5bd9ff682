#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <halfopen/base/percent.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_config.hpp>
#include <halfopen/policy/layer.hpp>

/// What a gateway's file says, once it has been checked: every value here is within its bounds, every name
/// is defined, and every default is filled in.
namespace halfopen::config {

/// A size in memory or on the wire.
struct byte_count {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(byte_count, byte_count) noexcept = default;
};

/// A numeric IPv4 or IPv6 address (without brackets) and a port; port 0 = any that is free.
struct listen_address {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  friend bool operator==(listen_address const&, listen_address const&) = default;
};

struct admin_config {
  listen_address listen{"127.0.0.1", 9090};
  std::filesystem::path token_file = "admin.token";  // resolved against the config file's folder
};

struct audit_config {
  duration retention = std::chrono::days{30};  // zero = kept for ever
  byte_count field_max{4096};                  // a longer field is cut at a UTF-8 boundary
  bool arguments = false;                      // whether the body sent to a tool is recorded
  std::vector<std::string> redact{"password", "token", "secret", "authorization",
                                  "api_key"};  // names, any case
  percent successes{1};                        // share of successful calls by route that is written
  percent invocations{100};  // the same of successful calls by name; everything else always is
};

struct storage_config {
  std::filesystem::path sqlite = "halfopen.db";  // resolved against the config file's folder
  duration flush = std::chrono::milliseconds{200};
  audit_config audit;
};

/// A bound on what is below: the whole call where it stands outside, one attempt where it stands inside.
struct timeout_spec {
  duration length{};
};

/// Which breakers a call passes: the tool's stands where it is listed, the host's right outside the attempt.
enum class breaker_scope : std::uint8_t { tool, host, both };

struct circuit_breaker_spec {
  breaker_config settings;
  breaker_scope per = breaker_scope::both;
};

using layer_spec = std::variant<timeout_spec, circuit_breaker_spec>;

/// Of a policy. The gateway adds two of its own to them: the bound of every call, and the choice of a host.
inline constexpr std::size_t layers_max = 6;

struct policy_config {
  std::string name;
  std::vector<layer_spec> layers;  // outermost first
};

struct rate {
  std::uint64_t count = 0;
  duration per = std::chrono::seconds{1};
};

/// What checks of the settings may believe about a tool. Today only `calls` is used; the rest is for proofs
/// to come.
struct assumption {
  std::string tool;
  std::optional<rate> calls;
  std::optional<duration> reply_delay_max;
  std::optional<percent> jitter_failures;
  std::optional<std::uint32_t> upstream_capacity;
  std::optional<duration> recover_within;
  std::optional<std::uint32_t> retry_depth;
};

/// How a tool's outcomes are seen by the policies. Everything that is not listed is a success.
struct classification {
  std::array<result_class, 500> by_status{};  // of status 100 + index
  result_class timeout = result_class::failure;
  result_class reset = result_class::failure;        // the connection broke before the reply was whole
  result_class unreachable = result_class::failure;  // no connection, or no address for the name
  result_class bad_reply = result_class::failure;    // what came is not HTTP

  [[nodiscard]] constexpr result_class of_status(int status) const noexcept {
    if (status < 100 || status > 599) return bad_reply;
    return by_status[static_cast<std::size_t>(status - 100)];
  }
};

/// One place where a tool runs. Plain HTTP; `host` is a name or an address (IPv6 without brackets).
struct upstream_host {
  std::string url;  // "http://host:port", always with the port: its name in logs, metrics and the database
  std::string host;
  std::uint16_t port = 80;
  friend bool operator==(upstream_host const&, upstream_host const&) = default;
};

/// What happens when every other host of a tool is open and one is left.
enum class last_host_rule : std::uint8_t { keep, reject };

struct tool_config {
  std::string name;
  std::vector<upstream_host> hosts;  // at least one
  std::string policy;                // a name in `policies`; empty = none: counted, never refused
  std::string path = "/";            // where POST /v1/tools/{name}/invoke sends its body
  classification classify;
  last_host_rule last_host = last_host_rule::keep;
  std::vector<std::string> methods;  // allowed; empty = all
  std::vector<std::string> idempotent{"GET",   "HEAD", "OPTIONS",
                                      "TRACE", "PUT",  "DELETE"};  // may be sent again
  byte_count request_body_max;  // filled from limits where the file does not say
};

/// The first route that matches wins.
struct route_config {
  std::string host;  // without port, lower case; empty = any; "*.example.com" = one that ends so
  std::string path;  // ends in '/': that folder and everything below; else exactly that path
  std::vector<std::string> methods;  // empty = all
  std::string tool;                  // a name in `tools`
};

struct limits_config {
  byte_count request_head_max{16 * 1024};        // 431
  byte_count request_body_max{8 * 1024 * 1024};  // 413
  byte_count reply_head_max{64 * 1024};          // 502
  std::uint32_t connections_max = 10'000;        // clients at once
  std::uint32_t upstream_connections_max = 512;  // to one host
  std::uint32_t upstream_idle_max = 64;          // kept open to one host
};

struct timeouts_config {
  duration request_head = std::chrono::seconds{10};   // a client's whole head
  duration request_body = std::chrono::seconds{30};   // between two pieces of a client's body
  duration client_idle = std::chrono::seconds{60};    // a connection between two requests
  duration connect = std::chrono::seconds{2};         // to a host
  duration call = std::chrono::seconds{30};           // every call, whatever its policy says
  duration upstream_idle = std::chrono::seconds{30};  // a kept connection to a host
  duration dns_ttl = std::chrono::seconds{30};
  duration drain = std::chrono::seconds{10};  // after SIGTERM
};

struct log_config {
  std::string access =
      "stdout";                // "stdout", "stderr", "off", or a file (resolved against the config's folder)
  bool reason_header = false;  // tell reason codes per attempt in a response header
};

struct gateway_config {
  listen_address listen{"127.0.0.1", 8080};
  admin_config admin;
  storage_config storage;
  std::vector<policy_config> policies;
  std::vector<assumption> assume;
  std::vector<tool_config> tools;
  std::vector<route_config> routes;
  limits_config limits;
  timeouts_config timeouts;
  log_config log;
  bool watch = true;        // whether an edit of the file comes into force by itself
  std::uint32_t loops = 0;  // event loops, a thread each; zero = one per core

  /// nullptr where there is none of that name.
  [[nodiscard]] policy_config const* policy(std::string_view name) const noexcept;
  [[nodiscard]] tool_config const* tool(std::string_view name) const noexcept;
};

}  // namespace halfopen::config
