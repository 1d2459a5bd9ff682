#pragma once

// breaker_core: made, operated, given new settings.

#include <halfopen/policy/breaker_core_lock.hpp>

namespace halfopen {

template <class Runtime>
breaker_core<Runtime>::breaker_core(typename place::source where, breaker_storage storage,
                                    breaker_config const& config, breaker_options const& options, bool fresh)
    : place_{where},
      cell_{options.cells == nullptr ? nullptr : &(*options.cells)[0]},
      clock_{options.clock},
      name_{options.name},
      storage_{storage},
      config_{config},
      events_{options.observer == nullptr ? nullptr
                                          : new breaker_events{*options.observer, config.events_max}} {
  take_settings(config);
  if (!fresh) return;
  guard const locked{*this};
  held h{*this};
  auto m = h.machine();
  m.start(options.now == instant::min() ? clock_.now() : options.now);
  h.publish(m);
}

template <class Runtime>
breaker_core<Runtime>::~breaker_core() {
  delete events_;
}

template <class Runtime>
void breaker_core<Runtime>::take_settings(breaker_config const& config) noexcept {
  is_plain_.store(cell_ == nullptr && config.slow_after == duration::max(), std::memory_order_relaxed);
  slow_after_.store(config.slow_after == duration::max() ? never_slow : config.slow_after.count(),
                    std::memory_order_relaxed);
  forced_retry_after_.store(config.forced_retry_after.count(), std::memory_order_relaxed);
}

template <class Runtime>
void breaker_core<Runtime>::force_open(instant now) noexcept {
  operate([&](breaker_machine& m) { m.force_open(now); });
}

template <class Runtime>
void breaker_core<Runtime>::disable(instant now) noexcept {
  operate([&](breaker_machine& m) { m.disable(now); });
}

template <class Runtime>
void breaker_core<Runtime>::metrics_only(instant now) noexcept {
  operate([&](breaker_machine& m) { m.metrics_only(now); });
}

template <class Runtime>
void breaker_core<Runtime>::automatic(instant now) noexcept {
  operate([&](breaker_machine& m) { m.automatic(now); });
}

template <class Runtime>
void breaker_core<Runtime>::reset(instant now) noexcept {
  operate([&](breaker_machine& m) { m.reset(now); });
}

template <class Runtime>
breaker_storage breaker_core<Runtime>::reconfigure(breaker_config const& config, breaker_storage fresh,
                                                   instant now) noexcept {
  bool raised = false;
  {
    guard const locked{*this};
    held h{*this};
    window_counts const counts = window().counts(std::max(now, h.control().latest));
    breaker_config const old = config_;
    if (fresh.slots > storage_.slots) {
      std::copy_n(h.leases(), storage_.slots, fresh.leases);
      std::swap(storage_.leases, fresh.leases);
      std::swap(storage_.slots, fresh.slots);
    }
    if (old.window != config.window) std::swap(storage_.words, fresh.words);
    config_ = config;
    take_settings(config);
    auto m = h.machine();
    m.adopt(old, counts, now);
    h.publish(m);
    raised = !m.story().empty();
  }
  if (raised && events_ != nullptr) events_->tell();
  return fresh;
}

}  // namespace halfopen
