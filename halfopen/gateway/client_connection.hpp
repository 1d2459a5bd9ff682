#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <halfopen/gateway/call.hpp>
#include <halfopen/gateway/event_socket.hpp>
#include <halfopen/gateway/forwarding.hpp>
#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_parser.hpp>
#include <halfopen/net/timer_wheel.hpp>

namespace halfopen::gateway {

class worker;

/// What is told about a request when it is over.
struct request_record {
  std::string_view client;
  std::string_view method;
  std::string_view target;
  int status = 0;
  reason why = reason::none;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  instant began;
  call const* through = nullptr;  // null: no tool was called
  bool invoked = false;           // by name, not by a route
  std::string_view arguments{};   // of an invocation: the body
};

/// A client's connection: reads requests one after the other, hands each to a call, writes what comes back.
///
///     head ─▶ body (gathered up to a bound, then sent on as it comes) ─▶ call ─▶ reply ─▶ head ...
///                                                                              ├▶ discarding (the rest of
///                                                                              the body) ─▶ head └▶
///                                                                              lingering ─▶ closed
/// A further request that the client sends early waits until the one before it is answered.
/// Threads: its loop's.
class client_connection final : public event_socket,
                                private call_owner,
                                private net::timer,
                                private net::ready_step {
 public:
  explicit client_connection(worker& w) noexcept;

  /// Takes an accepted socket. `address`: the client's.
  void begin(net::unique_fd fd, std::string address);
  /// Answers 503 and closes: there is no room for another connection.
  void turn_away(net::unique_fd fd, std::string address);

  /// The gateway is about to stop: ends now if nothing is under way, else with the next answer.
  void drain();
  /// Ends at once.
  void cut();
  [[nodiscard]] bool busy() const noexcept { return state_ != state::closed && state_ != state::head; }

 private:
  enum class state : std::uint8_t { closed, head, gathering, calling, discarding, lingering };
  static constexpr std::size_t gathered_max = 64 * 1024;  // of a body, before the call begins
  static constexpr std::size_t unsent_max = 256 * 1024;  // in either direction, before the source has to wait
  static constexpr std::size_t lingering_max = 1024 * 1024;

  // Reading (client_connection.cpp)
  void on_readable() override;
  void on_drained() override;
  void on_broken() override;
  void on_peer_closed() override;
  void read();
  [[nodiscard]] bool wants_bytes() const noexcept override;
  void got(std::string_view bytes);
  void got_head(std::string_view bytes);
  void hold(std::string_view bytes);
  void next_request();
  void forget_request() noexcept;
  void serve_held();
  void on_time();
  void body_late();
  void gone();
  void shut() noexcept;
  void linger();

  // One request (client_request.cpp)
  void begin_request(net::request_head const& head, std::string_view rest);
  [[nodiscard]] reason check(net::request_head const& head);
  [[nodiscard]] std::size_t find_tool(net::request_head const& head, reason& why);
  [[nodiscard]] std::size_t allowed_tool(std::size_t tool, reason& why);
  void prepare_call(net::request_head const& head, std::size_t tool);
  void await_body(net::request_head const& head, std::string_view rest);
  void got_body(std::string_view bytes);
  void discard(std::string_view bytes);
  [[nodiscard]] bool is_worth_discarding() const noexcept;
  [[nodiscard]] bool take_body(std::string_view raw, std::string_view payload);
  void bad_body(std::optional<net::http_fault> why);
  void body_complete();
  [[nodiscard]] bool frame_invocation();
  void fault(net::http_fault why);
  [[nodiscard]] std::string detail_of(reason why, net::request_head const& head) const;

  // Answers (client_reply.cpp)
  void refuse(reason why, std::string_view detail = {});
  void refuse_unread(reason why, std::string_view rest, std::string_view detail);
  void on_reply(net::response_head const& head, net::body_framing framing, std::string_view body,
                bool complete) override;
  void on_reply_body(std::string_view body, bool complete) override;
  void on_problem(problem const& p) override;
  void on_cut(reason why) override;
  [[nodiscard]] bool on_taken_back() override;
  void on_request_drained() override;
  void send_problem(problem const& p);
  bool send(std::string_view a, std::string_view b = {});
  void end_request(int status, reason why);
  void end_record(int status, reason why);

  [[nodiscard]] instant now() const noexcept { return loop().now(); }
  void arm(duration d) noexcept { loop().timers().arm(*this, now() + d); }

  worker& worker_;
  state state_ = state::closed;
  std::string address_;
  std::string held_;                             // of input that waits for its turn
  std::unique_ptr<net::request_parser> parser_;  // for a head that comes in pieces
  call* call_ = nullptr;

  // The request at hand.
  std::string method_;
  std::string target_;
  std::string allow_;  // of a 405
  net::body_reader body_;
  std::uint64_t body_max_ = 0;
  std::uint64_t body_length_ = 0;  // where it is known and certain to come; else 0
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  std::size_t invoke_body_at_ = 0;  // where the body stands in the call's bytes
  instant began_;
  int status_ = 0;  // of the reply whose head has been sent
  unsigned minor_ = 1;
  bool keep_alive_ = false;
  bool head_only_ = false;
  bool invoked_ = false;
  bool body_read_ = true;     // the request is here to its end
  bool chunk_reply_ = false;  // the reply's body is told in chunks of ours
  std::size_t lingered_ = 0;
};

}  // namespace halfopen::gateway
