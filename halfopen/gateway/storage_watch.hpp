#pragma once

#include <functional>

#include <halfopen/gateway/event_hub.hpp>
#include <halfopen/gateway/server.hpp>
#include <halfopen/gateway/storage.hpp>
#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/timer_wheel.hpp>

namespace halfopen::gateway {

/// Tells the log, and those who watch events, when storage begins to fail and when it works again.
///
/// Threads: its loop's.
class storage_watch final : private net::timer {
 public:
  static constexpr duration every = std::chrono::seconds{1};

  storage_watch(net::event_loop& loop, storage const& store, event_hub& hub,
                std::function<void(log_message const&)> const& log);

 private:
  void look();
  void tell(storage_health const& health);

  net::event_loop& loop_;
  storage const& store_;
  event_hub& hub_;
  std::function<void(log_message const&)> const& log_;
  bool failing_ = false;  // as it was told last
};

}  // namespace halfopen::gateway
