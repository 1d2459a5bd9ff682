#include <utility>

#include <halfopen/base/random.hpp>
#include <halfopen/gateway/guard.hpp>
#include <halfopen/net/event_loop.hpp>

namespace halfopen::gateway {

guard::guard(std::string tool, std::string host, breaker_config config, std::size_t loops,
             transition_sink& sink)
    : tool_{std::move(tool)},
      host_{std::move(host)},
      sink_{sink},
      slow_after_ns_{config.slow_after.count()},
      cells_{breaker_cells::each(loops)},
      breaker_{std::make_shared<circuit_breaker>(
          seeded(config),
          breaker_options{.name = host_.empty() ? std::string_view{tool_} : std::string_view{host_},
                          .cells = &cells_,
                          .observer = this,
                          .now = net::steady_now()})} {}

void guard::reconfigure(breaker_config config, instant now) {
  config = seeded(config);
  if (breaker_->config() == config) return;
  slow_after_ns_.store(config.slow_after.count(), std::memory_order_relaxed);
  (void)breaker_->reconfigure(config, now);  // was checked when the file was read
}

void guard::on_event(breaker_event const& e) {
  if (e.kind == breaker_event_kind::transition) {
    epoch_.store(e.epoch, std::memory_order_relaxed);
    entered_[static_cast<std::size_t>(e.to)].fetch_add(1, std::memory_order_relaxed);
  }
  sink_.on_transition(*this, e);
}

// Breakers that trip together must not probe together: each has a seed of its own, and the same in every run.
breaker_config guard::seeded(breaker_config config) const noexcept {
  std::uint64_t seed = config.seed;
  for (char const c : tool_) seed = mix(seed, static_cast<unsigned char>(c));
  for (char const c : host_) seed = mix(seed, static_cast<unsigned char>(c));
  config.seed = seed;
  return config;
}

}  // namespace halfopen::gateway
