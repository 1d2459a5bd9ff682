#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <halfopen/gateway/admin_message.hpp>
#include <halfopen/gateway/event_socket.hpp>
#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_parser.hpp>
#include <halfopen/net/timer_wheel.hpp>

namespace halfopen::gateway {

class admin_connection;

/// Who answers the requests of admin connections.
class admin_host {
 public:
  virtual void on_request(admin_connection& from, admin_request const& r) = 0;
  virtual void on_closed(admin_connection& c) = 0;  // its last word

 protected:
  ~admin_host() = default;
};

/// A connection to the admin API: whole requests in, whole replies or a stream out, one at a time.
///
/// Threads: its loop's.
class admin_connection final : public event_socket,
                               public admin_conversation,
                               private net::timer,
                               private net::ready_step {
 public:
  static constexpr std::size_t body_max = 1024 * 1024;
  static constexpr std::size_t unsent_max = 4 * 1024 * 1024;  // a reader that is further behind is cut off

  admin_connection(net::event_loop& loop, admin_host& host) noexcept;

  void begin(net::unique_fd fd, std::string client, std::uint64_t id);
  void cut() { shut(); }
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

  /// It has shown the token.
  void introduce() noexcept { known_ = true; }
  [[nodiscard]] bool is_known() const noexcept { return known_; }
  [[nodiscard]] instant quiet_since() const noexcept { return quiet_since_; }

  void reply(admin_reply const& r) override;
  void begin_stream(std::string_view content_type) override;
  bool push(std::string_view piece) override;
  void end_stream() override;
  [[nodiscard]] std::size_t waiting() const noexcept override { return unsent(); }

  /// Told when everything that was pushed has been sent. Empty = nobody is told.
  std::function<void()> drained;

 private:
  enum class state : std::uint8_t { closed, head, body, answering, streaming, ending };

  [[nodiscard]] bool wants_bytes() const noexcept override { return false; }
  void on_readable() override { read(); }
  void on_drained() override;
  void on_broken() override { shut(); }
  void on_peer_closed() override;
  void read();
  void got(std::string_view bytes);
  void got_head(std::string_view bytes);
  void got_body(std::string_view bytes);
  void fault(net::http_fault why);
  void dispatch();
  void next();
  void end();
  void shut() noexcept;
  void arm(duration d) noexcept { loop().timers().arm(*this, loop().now() + d); }

  admin_host& host_;
  std::uint64_t id_ = 0;
  instant quiet_since_;
  bool known_ = false;
  std::string client_;
  state state_ = state::closed;
  std::string held_;
  net::request_parser parser_;
  net::body_reader body_;
  admin_request request_;
  std::string out_;
  bool keep_alive_ = true;
  bool head_only_ = false;
};

}  // namespace halfopen::gateway
