#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <halfopen/gateway/counter.hpp>
#include <halfopen/gateway/exchange.hpp>
#include <halfopen/gateway/recycler.hpp>
#include <halfopen/gateway/upstream_connection.hpp>
#include <halfopen/net/resolver.hpp>

namespace halfopen::gateway {

struct pool_limits {
  std::uint32_t connections_max = 512;
  std::uint32_t idle_max = 64;
  duration idle = std::chrono::seconds{30};
  duration connect = std::chrono::seconds{2};
};

/// What all pools of one loop share.
struct pool_parts {
  pool_parts(net::event_loop& l, net::resolver& r, net::head_limits reply)
      : loop{l}, resolver{r}, reply_limits{reply}, connections{l}, exchanges{l}, parser{reply} {}

  net::event_loop& loop;
  net::resolver& resolver;
  net::head_limits reply_limits;
  recycler<upstream_connection> connections;
  recycler<exchange> exchanges;
  net::response_parser parser;  // for heads that come in one piece
};

/// One loop's connections to one address: used last in, first out, so that what is not needed grows old.
///
/// Threads: its loop's; the counters may be read by any.
class upstream_pool {
 public:
  upstream_pool(pool_parts& parts, pool_limits limits, std::string host, std::uint16_t port);
  upstream_pool(upstream_pool const&) = delete;
  upstream_pool& operator=(upstream_pool const&) = delete;
  ~upstream_pool();

  /// The only way to a tool: an attempt, by right of a passage. It begins with go(). Null: no connection is
  /// free.
  [[nodiscard]] exchange* enter(passage by, exchange_order const& order, exchange_sink& sink);

  [[nodiscard]] bool full() const noexcept { return idle_.empty() && open() >= limits_.connections_max; }
  void set_limits(pool_limits const& limits) noexcept { limits_ = limits; }

  /// Closes what nobody uses: after a trip, since those connections may be as broken as the ones that failed.
  void drop_idle() noexcept;
  /// Closes what nobody has used for too long.
  void sweep(instant now) noexcept;

  [[nodiscard]] std::uint64_t open() const noexcept { return open_.read(); }
  [[nodiscard]] std::uint64_t idle() const noexcept { return idle_count_.read(); }
  [[nodiscard]] std::uint64_t dialled() const noexcept { return dialled_.read(); }
  [[nodiscard]] std::uint64_t reused() const noexcept { return reused_.read(); }
  [[nodiscard]] std::uint64_t found_dead() const noexcept { return found_dead_.read(); }

 private:
  friend class exchange;
  friend class upstream_connection;

  void connect(exchange& e, bool may_reuse);
  void connect_again(exchange& e);
  void keep(upstream_connection& c) noexcept;
  void drop(upstream_connection& c) noexcept;
  void kept_one_died(upstream_connection& c) noexcept;
  void finished(exchange& e) { parts_.exchanges.give_back(e); }

  pool_parts& parts_;
  pool_limits limits_;
  std::string host_;
  std::uint16_t port_;
  std::vector<upstream_connection*> idle_;  // the last used is the last
  counter open_, idle_count_, dialled_, reused_, found_dead_;
};

}  // namespace halfopen::gateway
