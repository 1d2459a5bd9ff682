#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <halfopen/gateway/passage.hpp>
#include <halfopen/gateway/reason.hpp>
#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_parser.hpp>

namespace halfopen::gateway {

class upstream_pool;
class upstream_connection;

/// Is told how an attempt goes. May cancel the exchange from inside; after the last word of an exchange
/// (complete, or failed) it is gone.
class exchange_sink {
 public:
  /// `body`: what has come of it, as it came. The views die when this returns.
  virtual void on_reply(net::response_head const& head, net::body_framing framing, std::string_view body,
                        bool complete) = 0;
  virtual void on_body(std::string_view body, bool complete) = 0;
  /// `stale`: a kept connection that the tool had closed meanwhile; says nothing about the tool's health.
  virtual void on_failed(reason why, bool stale) = 0;
  virtual void on_request_drained() = 0;

 protected:
  ~exchange_sink() = default;
};

/// What is to be sent, and how the reply is to be read.
struct exchange_order {
  std::string_view request;   // head, and the body as far as it is there; stays until the exchange has ended
  bool body_follows = false;  // the rest comes by send_body
  bool repeatable = false;    // may be sent again when a kept connection turns out to be dead
  net::http_method method = net::http_method::get;
  bool plain_body = false;  // tell the body's payload, not its chunks: for clients before HTTP/1.1
};

/// One attempt on one connection: sends the request, reads the reply, tells its sink.
///
/// Made by upstream_pool::enter alone. Threads: its loop's.
class exchange : private net::ready_step {
 public:
  exchange() noexcept;
  exchange(exchange const&) = delete;
  exchange& operator=(exchange const&) = delete;

  /// Begins. The sink may be told that it failed before this returns.
  void go();

  /// More of the request's body. False: the attempt has failed, and the sink knows.
  bool send_body(std::string_view bytes, bool complete);
  [[nodiscard]] std::size_t unsent() const noexcept;

  /// Stops reading the reply, and goes on: while the client does not take it.
  void pause() noexcept { paused_ = true; }
  [[nodiscard]] bool is_paused() const noexcept { return paused_; }
  void resume();

  /// Ends at once; the sink is told nothing more.
  void cancel() noexcept;

  /// Goes on for another sink, and without the bytes of its order.
  void hand_over(exchange_sink& to);

  [[nodiscard]] passage const& by() const noexcept { return *passage_; }
  [[nodiscard]] bool reused() const noexcept { return reused_; }
  [[nodiscard]] bool request_sent() const noexcept { return request_complete_ && unsent() == 0; }

 private:
  friend class upstream_pool;
  friend class upstream_connection;
  static constexpr int reads_max = 16;  // in one go
  enum class state : std::uint8_t { idle, connecting, head, body, ended };

  void begin(upstream_pool& pool, passage p, exchange_order const& order, exchange_sink& sink);
  void dialling(upstream_connection& on) noexcept;
  void connected(upstream_connection& on, bool reused);
  void not_connected(reason why);

  [[nodiscard]] bool reads() const noexcept {
    return (state_ == state::head || state_ == state::body) && !paused_;
  }
  void on_readable();
  void on_sent();
  void on_broken();

  void read();
  void got(std::string_view bytes);
  void got_head(std::string_view bytes);
  void keep_partial(std::string_view bytes);
  void got_final(net::response_head const& head, std::string_view rest);
  void got_body(std::string_view bytes);
  void got_close();
  struct passed {
    std::string_view body;
    bool good = true;
    bool complete = false;
  };
  [[nodiscard]] passed pass(std::string_view bytes);
  [[nodiscard]] net::parse_step pass_plain(std::string_view bytes, std::size_t& used);
  void let_go(bool reusable) noexcept;
  void fail(reason why);
  void fail_as(reason why, bool stale);
  void lost();
  void end() noexcept;

  upstream_pool* pool_ = nullptr;
  upstream_connection* connection_ = nullptr;
  exchange_sink* sink_ = nullptr;
  std::optional<passage> passage_;
  exchange_order order_;
  std::string own_request_;                       // after hand_over
  std::string early_body_;                        // came before the connection did
  std::string partial_;                           // of a head that came in pieces
  std::unique_ptr<net::response_parser> parser_;  // while it does
  std::string plain_;                             // payload, where the client wants no chunks
  net::body_reader body_;
  net::body_framing framing_;
  static constexpr std::uint32_t interims_max = 64;

  state state_ = state::idle;
  bool request_complete_ = false;
  bool reused_ = false;
  bool answered_ = false;  // a byte of the reply has come
  bool paused_ = false;
  std::uint32_t interims_ = 0;
  bool keeps_alive_ = false;
};

}  // namespace halfopen::gateway
