#pragma once

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <halfopen/base/becomes_true_fixture.hpp>
#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/config/load.hpp>
#include <halfopen/gateway/server.hpp>
#include <halfopen/net/http_client.hpp>
#include <halfopen/net/http_server.hpp>

namespace halfopen::gateway {

using namespace std::chrono_literals;

/// An upstream whose answers a test chooses, and changes.
class test_upstream {
 public:
  using handler = net::http_server::handler;

  explicit test_upstream(handler h) {
    answer(std::move(h));
    server_ = net::http_server::start([this](net::whole_request const& r) { return current()(r); }).value();
  }
  test_upstream() : test_upstream{always(200, "hello")} {}

  void answer(handler h) {
    std::lock_guard const lock{mutex_};
    handler_ = std::move(h);
  }
  void answer(int status, std::string body = {}) { answer(always(status, std::move(body))); }
  void answer(net::whole_reply reply) {
    answer([reply](net::whole_request const&) { return reply; });
  }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  [[nodiscard]] net::http_server& server() noexcept { return *server_; }
  [[nodiscard]] std::uint64_t requests() const { return server_->requests(); }

  static handler always(int status, std::string body) {
    return [status, body](net::whole_request const&) {
      net::whole_reply r;
      r.status = status;
      r.body = body;
      return r;
    };
  }

 private:
  handler current() {
    std::lock_guard const lock{mutex_};
    return handler_;
  }

  std::mutex mutex_;
  handler handler_;
  std::unique_ptr<net::http_server> server_;
};

/// A client that sends bytes as they are and looks at what comes back, for what no proper client does.
class raw_client {
 public:
  explicit raw_client(net::endpoint to) : fd_{::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    timeval const limit{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    EXPECT_EQ(::connect(fd_.get(), to.data(), to.size()), 0);
  }

  raw_client& send(std::string_view bytes) {
    EXPECT_EQ(::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    return *this;
  }
  /// Reads until `text` has come, or the end; gives all that was read so far.
  std::string const& read_until(std::string_view text) {
    while (seen_.find(text) == std::string::npos && read_some()) {
    }
    return seen_;
  }
  std::string const& read_to_end() {
    while (read_some()) {
    }
    return seen_;
  }
  /// Whether the end was a break rather than a close.
  [[nodiscard]] bool was_reset() const noexcept { return reset_; }
  void finish() noexcept { ::shutdown(fd_.get(), SHUT_WR); }
  void close() noexcept { fd_.reset(); }

 private:
  bool read_some() {
    char bytes[4096];
    auto const n = ::recv(fd_.get(), bytes, sizeof bytes, 0);
    if (n > 0) seen_.append(bytes, static_cast<std::size_t>(n));
    if (n < 0) reset_ = errno == ECONNRESET;
    if (n < 0 && !reset_) ADD_FAILURE() << "nothing more came; so far: " << seen_;
    return n > 0;
  }

  net::unique_fd fd_;
  std::string seen_;
  bool reset_ = false;
};

/// A gateway on free ports, on threads of its own, from the text of a configuration. `listen`, `admin`,
/// `storage` and `log` are added; the text has the rest.
class test_gateway {
 public:
  /// The same tests, without io_uring: HALFOPEN_TEST_RING=off.
  [[nodiscard]] static bool with_ring() {
    auto const* const said = std::getenv("HALFOPEN_TEST_RING");
    return said == nullptr || std::string_view{said} != "off";
  }

  explicit test_gateway(std::string const& yaml, std::string const& log = "off")
      : store_{storage_in(folder_.path()), board_} {
    auto const file = folder_.path() / "gateway.yaml";
    auto read = config::read(
        "listen: 127.0.0.1:0\nadmin: {listen: 127.0.0.1:0}\nloops: 1\nlog: {access: " + log + "}\n" + yaml,
        file);
    if (!read) {
      for (auto const& p : read.error()) ADD_FAILURE() << to_string(p);
      std::abort();
    }
    auto made = server::make(std::move(read->config), {.store = store_,
                                                       .board = board_,
                                                       .log = {},
                                                       .config_file = file,
                                                       .version = "test",
                                                       .gate = {},
                                                       .ring = with_ring()});
    if (!made) {
      ADD_FAILURE() << made.error();
      std::abort();
    }
    server_ = *std::move(made);
    thread_ = std::thread{[this] { server_->run(); }};
  }
  ~test_gateway() { end(); }

  void end() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }

  [[nodiscard]] server& operator*() noexcept { return *server_; }
  [[nodiscard]] server* operator->() noexcept { return server_.get(); }
  [[nodiscard]] std::filesystem::path const& folder() const noexcept { return folder_.path(); }
  [[nodiscard]] health_board& board() noexcept { return board_; }
  [[nodiscard]] storage& store() noexcept { return store_; }

  /// Asks the admin API, with the token.
  [[nodiscard]] net::received_reply admin(std::string_view method, std::string_view target,
                                          std::string_view body = {}, net::field_list fields = {}) {
    fields.emplace_back("Authorization", "Bearer " + server_->token());
    return admin_without_token(method, target, body, fields);
  }
  [[nodiscard]] net::received_reply admin_without_token(std::string_view method, std::string_view target,
                                                        std::string_view body = {},
                                                        net::field_list const& fields = {}) {
    net::http_client c{server_->admin_endpoint()};
    auto reply = c.send(method, target, fields, body, 10s);
    if (reply) return *std::move(reply);
    ADD_FAILURE() << method << ' ' << target << ": " << name(reply.error().why);
    return {};
  }
  [[nodiscard]] nlohmann::json admin_json(std::string_view target) {
    auto const r = admin("GET", target);
    EXPECT_EQ(r.status, 200) << target << r.body;
    return nlohmann::json::parse(r.body, nullptr, false);
  }

  [[nodiscard]] raw_client raw() const { return raw_client{server_->endpoint()}; }
  [[nodiscard]] net::http_client client() const { return net::http_client{server_->endpoint()}; }

  /// One request on a connection of its own.
  [[nodiscard]] net::received_reply get(std::string_view target, net::field_list const& fields = {}) {
    return send("GET", target, {}, fields);
  }
  [[nodiscard]] net::received_reply send(std::string_view method, std::string_view target,
                                         std::string_view body, net::field_list const& fields = {}) {
    auto c = client();
    auto reply = c.send(method, target, fields, body, 10s);
    if (reply) return *std::move(reply);
    ADD_FAILURE() << method << ' ' << target << ": " << name(reply.error().why);
    return {};
  }

 private:
  static storage_config storage_in(std::filesystem::path const& folder) {
    storage_config c;
    c.file = folder / "halfopen.db";
    return c;
  }

  temporary_folder folder_;
  health_board board_;
  storage store_;
  std::unique_ptr<server> server_;
  std::thread thread_;
};

}  // namespace halfopen::gateway
