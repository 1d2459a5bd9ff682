#pragma once

#include <functional>

#include <halfopen/gateway/admin_api.hpp>
#include <halfopen/net/timer_wheel.hpp>

namespace halfopen::gateway {

/// Lets those who watch events, and the boxes between, know that the stream is alive.
class admin_api::heartbeat final : private net::timer {
 public:
  static constexpr duration every = std::chrono::seconds{15};

  heartbeat(net::event_loop& loop, std::function<void()> beat)
      : timer{[](net::timer& self, instant) { static_cast<heartbeat&>(self).run(); }},
        loop_{loop},
        beat_{std::move(beat)} {
    loop_.timers().arm(*this, loop_.now() + every);
  }

 private:
  void run() {
    beat_();
    loop_.timers().arm(*this, loop_.now() + every);
  }
  net::event_loop& loop_;
  std::function<void()> beat_;
};

}  // namespace halfopen::gateway
