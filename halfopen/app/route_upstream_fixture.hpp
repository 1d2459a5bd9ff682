#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <halfopen/app/route_socket_fixture.hpp>

namespace halfopen::route {

/// A door that many wait at until it is opened, once.
class gate {
 public:
  ~gate() { open(); }
  void open();
  void pass();
  [[nodiscard]] int waiting() const { return waiting_; }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
  std::atomic<int> waiting_{0};
};

/// What an upstream does with a request: sends whatever it likes on the connection. Returns whether to go on.
using behaviour = std::function<bool(message const& request, connection& to)>;

// Replies, good and bad.
[[nodiscard]] std::string reply_text(int status, std::string const& body = "ok",
                                     field_lines const& fields = {});
[[nodiscard]] behaviour answers(int status, std::string const& body = "ok", field_lines const& fields = {});
[[nodiscard]] behaviour answers_with(std::string bytes, bool then_closes = true);
[[nodiscard]] behaviour answers_after(std::shared_ptr<gate> g, int status, std::string const& body = "ok");
[[nodiscard]] behaviour never_answers();
[[nodiscard]] behaviour resets();
[[nodiscard]] behaviour resets_inside_the_body();
[[nodiscard]] behaviour closes_without_a_word();
[[nodiscard]] behaviour speaks_garbage();
[[nodiscard]] behaviour cuts_the_body();
[[nodiscard]] behaviour cuts_the_chunks();
[[nodiscard]] behaviour cuts_the_head();
[[nodiscard]] behaviour ends_with(std::string bytes);  // and their end comes together with them
[[nodiscard]] behaviour stalls_inside_the_body();
[[nodiscard]] behaviour trickles(std::string const& body, std::chrono::milliseconds between);
[[nodiscard]] behaviour informs_first(int status);  // 100 Continue and 103 Early Hints, then the reply
[[nodiscard]] behaviour sends_a_huge_head();
[[nodiscard]] behaviour echoes();  // 200 with the request's first line, fields and body as the reply's body

/// A server that fails on command, on a port of its own, a thread a connection.
class upstream {
 public:
  explicit upstream(behaviour b = answers(200));
  upstream(upstream const&) = delete;
  upstream& operator=(upstream const&) = delete;
  ~upstream();

  /// From the next request on.
  void now(behaviour b);
  /// Nobody listens any more, connections are reset; the port stays reserved.
  void refuse();
  void listen_again();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] int requests() const { return requests_; }
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] message last_request() const;

 private:
  void open();
  void shut();
  void accept_all(int listener);
  void serve(int fd);

  mutable std::mutex mutex_;
  behaviour behaviour_;
  message last_;
  std::uint16_t port_ = 0;
  int reserved_ = -1;  // bound and silent, so that no other program gets the port
  int listener_ = -1;
  std::atomic<int> requests_{0}, connections_{0};
  std::atomic<bool> closing_{false};
  std::thread acceptor_;
  std::list<std::thread> servers_;
  std::vector<int> open_;  // sockets that are being served
};

}  // namespace halfopen::route
