#include <algorithm>
#include <utility>

#include <halfopen/gateway/upstream_pool.hpp>

namespace halfopen::gateway {

upstream_pool::upstream_pool(pool_parts& parts, pool_limits limits, std::string host, std::uint16_t port)
    : parts_{parts}, limits_{limits}, host_{std::move(host)}, port_{port} {}

upstream_pool::~upstream_pool() { drop_idle(); }

exchange* upstream_pool::enter(passage by, exchange_order const& order, exchange_sink& sink) {
  if (full()) return nullptr;
  auto& e = parts_.exchanges.take();
  e.begin(*this, std::move(by), order, sink);
  return &e;
}

void upstream_pool::connect(exchange& e, bool may_reuse) {
  if (may_reuse && !idle_.empty()) {
    auto& c = *idle_.back();
    idle_.pop_back();
    idle_count_.subtract();
    reused_.add();
    e.connected(c, true);
    return;
  }
  open_.add();
  dialled_.add();
  auto& c = parts_.connections.take(parts_.loop);
  c.dial(*this, e, parts_.resolver, host_, port_, parts_.loop.now() + limits_.connect);
}

void upstream_pool::connect_again(exchange& e) {
  found_dead_.add();
  connect(e, false);
}

void upstream_pool::keep(upstream_connection& c) noexcept {
  if (idle_.size() >= limits_.idle_max || !c.is_open() || c.peer_closed()) return drop(c);
  c.user_ = nullptr;
  c.idle_since_ = parts_.loop.now();
  idle_.push_back(&c);
  idle_count_.add();
}

void upstream_pool::drop(upstream_connection& c) noexcept {
  c.stop();
  open_.subtract();
  parts_.connections.give_back(c);
}

void upstream_pool::kept_one_died(upstream_connection& c) noexcept {
  auto const at = std::ranges::find(idle_, &c);
  if (at == idle_.end()) return;
  idle_.erase(at);
  idle_count_.subtract();
  drop(c);
}

void upstream_pool::drop_idle() noexcept {
  for (auto* c : idle_) drop(*c);
  idle_count_.subtract(idle_.size());
  idle_.clear();
}

void upstream_pool::sweep(instant now) noexcept {
  // Used last in, first out: the oldest stand first.
  auto const young =
      std::ranges::find_if(idle_, [&](auto* c) { return c->idle_since_ + limits_.idle > now; });
  for (auto at = idle_.begin(); at != young; ++at) drop(**at);
  idle_count_.subtract(static_cast<std::uint64_t>(young - idle_.begin()));
  idle_.erase(idle_.begin(), young);
}

}  // namespace halfopen::gateway
