#pragma once

#include <functional>
#include <string>

#include <halfopen/gateway/event_hub.hpp>
#include <halfopen/gateway/guard.hpp>
#include <halfopen/gateway/server.hpp>
#include <halfopen/gateway/storage.hpp>

namespace halfopen::gateway {

/// Tells everyone who wants to know that a breaker changed state: the database, those who watch, the log, and
/// the loops when it opened.
///
/// Threads: any.
class transition_log final : public transition_sink {
 public:
  using log = std::function<void(log_message const&)>;

  transition_log(storage& store, event_hub& hub, log const& told) : store_{store}, hub_{hub}, log_{told} {}

  /// Whom to tell that a breaker has opened. Set before the first call.
  void tell_trips(std::function<void(guard const&)> tripped) { tripped_ = std::move(tripped); }

  void on_transition(guard const& of, breaker_event const& e) override;

 private:
  void record(guard const& of, breaker_event const& e, wall_time at);

  storage& store_;
  event_hub& hub_;
  log const& log_;
  std::function<void(guard const&)> tripped_;
};

}  // namespace halfopen::gateway
