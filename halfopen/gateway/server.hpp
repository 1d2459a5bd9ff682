#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/config/gateway_config.hpp>
#include <halfopen/gateway/health_counts.hpp>
#include <halfopen/gateway/storage.hpp>
#include <halfopen/net/endpoint.hpp>

namespace halfopen::gateway {

enum class log_level : std::uint8_t { info, warning, error };

/// Something an operator wants to know: a start, a reload, a breaker that changed state, storage that fails.
/// `fields` is a JSON object with what a machine would look for.
struct log_message {
  log_level level = log_level::info;
  std::string_view text;
  std::string_view fields;
};

/// What a server is given by whoever starts it.
struct server_parts {
  storage& store;
  health_board& board;
  std::function<void(log_message const&)> log;  // any thread; must not throw
  std::filesystem::path
      config_file;      // what a reload reads again and PUT /v1/config replaces; empty = neither
  std::string version;  // told by /healthz and the metrics
  /// Asked before a configuration comes into force: what speaks against it. Empty = nobody is asked.
  std::function<std::vector<diagnostic>(config::gateway_config const&)> gate;
  bool ring = true;  // let a loop make its calls together by io_uring, where the kernel allows it
};

/// The gateway: listeners, loops, tools and the admin API, from one checked configuration.
///
/// Life: make (sockets are bound, ports are known) -> run (blocks) -> drain or stop from another thread.
class server {
 public:
  /// Errors: an address that cannot be bound, a token file that cannot be used, a log that cannot be opened.
  [[nodiscard]] static expected<std::unique_ptr<server>, std::string> make(config::gateway_config config,
                                                                           server_parts parts);
  ~server();
  server(server const&) = delete;
  server& operator=(server const&) = delete;

  /// Where clients and operators connect; a port 0 in the configuration has become a real one.
  [[nodiscard]] net::endpoint endpoint() const noexcept;
  [[nodiscard]] net::endpoint admin_endpoint() const noexcept;
  /// The admin API's bearer token.
  [[nodiscard]] std::string const& token() const noexcept;

  /// Serves on `loops` threads, this one included, until drained or stopped.
  void run();

  /// Not ready from now on: new requests are answered 503, those under way end; run() returns when none is
  /// left or `limit` has passed. Threads: any.
  void drain(duration limit);

  /// Ends run() at once; what is under way is cut off. Threads: any.
  void stop();

  /// Puts another configuration in force: streams live on, breakers keep their state, pools survive. Returns
  /// what speaks against it, in which case the one in force stays. Settings that only a new start can change
  /// (addresses, loops, storage) are reported as warnings and ignored.
  /// Threads: any but a loop's.
  [[nodiscard]] std::vector<diagnostic> reload(config::gateway_config config);

  /// The same, from the configuration file.
  [[nodiscard]] std::vector<diagnostic> reload();

  /// The same when the file has changed by itself: not done if `watch` is off, nor if the file says what is
  /// in force already.
  enum class followed : std::uint8_t { read, no_news, not_wanted };
  [[nodiscard]] followed follow_file(std::vector<diagnostic>& problems);

 private:
  class body;
  explicit server(std::unique_ptr<body> b) noexcept;
  std::unique_ptr<body> body_;
};

}  // namespace halfopen::gateway
