#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <halfopen/gateway/event_socket.hpp>
#include <halfopen/net/endpoint.hpp>
#include <halfopen/net/resolver.hpp>
#include <halfopen/net/started.hpp>
#include <halfopen/net/timer_wheel.hpp>

namespace halfopen::gateway {

class exchange;
class upstream_pool;

/// A connection to a host: being dialled, used by one exchange, or kept for the next one.
class upstream_connection final : public event_socket, private net::timer {
 public:
  explicit upstream_connection(net::event_loop& loop) noexcept;

 private:
  friend class upstream_pool;
  friend class exchange;

  struct resolved {
    upstream_connection* to;
    void operator()(net::resolver::answer answer) const { to->on_resolved(std::move(answer)); }
  };

  void dial(upstream_pool& pool, exchange& user, net::resolver& resolver, std::string const& host,
            std::uint16_t port, instant deadline);
  void on_resolved(net::resolver::answer answer);
  void try_next();
  void dial_failed();
  void stop() noexcept;

  [[nodiscard]] bool wants_bytes() const noexcept override;
  void on_connected(int error) override;
  void on_readable() override;
  void on_drained() override;
  void on_broken() override;
  void on_peer_closed() override {}  // seen by reading

  upstream_pool* pool_ = nullptr;
  exchange* user_ = nullptr;  // null: kept for the next one
  instant idle_since_;
  std::vector<net::endpoint> addresses_;
  std::size_t next_address_ = 0;
  bool no_descriptors_ = false;
  std::optional<net::started<net::resolver::answer, resolved>> resolving_;
};

}  // namespace halfopen::gateway
