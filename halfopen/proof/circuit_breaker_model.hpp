#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include <halfopen/check/typed_model.hpp>

namespace halfopen::proof {

/// specs/circuit_breaker/CircuitBreaker.tla in C++, one to one: the same variables, actions and properties.
///
/// Its number of states is the one that the checker must find for the module.
struct circuit_breaker_model {
  enum class lifecycle : std::uint8_t { closed, open, half_open };
  struct state {
    lifecycle now = lifecycle::closed;
    std::uint8_t failure_count = 0, open_ticks = 0, probe_inflight = 0, probes_accepted = 0,
                 caller_active = 0;
  };

  std::uint8_t num_callers = 2, max_failures = 2, max_open_ticks = 2;
  bool hardened = true;

  // An action of caller c has the number 8 * kind + c.
  enum kind : check::action_id {
    init,
    closed_call_success,
    closed_call_failure,
    closed_call_failure_trip_breaker,
    open_short_circuit,
    open_timer_elapses,
    open_tick,
    half_open_probe_start,
    half_open_probe_rejected,
    half_open_probe_success,
    half_open_probe_failure
  };

  void initial(auto emit) const { emit(state{}, 8 * init); }

  void next(state const s, auto emit) const {
    for (std::uint8_t c = 0; c < num_callers; ++c) of_caller(s, c, emit);
    if (s.now == lifecycle::open && s.open_ticks < max_open_ticks)
      emit(with(s, [](state& t) { ++t.open_ticks; }), 8 * open_tick);
    if (s.now == lifecycle::open && s.open_ticks == max_open_ticks)
      emit(with(s,
                [](state& t) { t.now = lifecycle::half_open, t.probe_inflight = 0, t.probes_accepted = 0; }),
           8 * open_timer_elapses);
  }

  void of_caller(state const s, std::uint8_t c, auto emit) const {
    auto const me = static_cast<std::uint8_t>(1U << c);
    auto const does = [&](kind k, auto change) { emit(with(s, change), 8 * k + c); };
    bool const active = (s.caller_active & me) != 0;
    if (s.now == lifecycle::closed && !active) {
      does(closed_call_success, [](state& t) { t.failure_count = 0; });
      if (s.failure_count + 1 < max_failures)
        does(closed_call_failure, [](state& t) { ++t.failure_count; });
      else
        does(closed_call_failure_trip_breaker, [&](state& t) { open(t), t.failure_count = max_failures; });
    }
    if (s.now == lifecycle::open && !active) does(open_short_circuit, [](state&) {});
    if (s.now == lifecycle::half_open && !active && (!hardened || s.probe_inflight == 0))
      does(half_open_probe_start,
           [&](state& t) { t.probe_inflight = 1, ++t.probes_accepted, t.caller_active |= me; });
    if (s.now == lifecycle::half_open && !active && s.probe_inflight != 0)
      does(half_open_probe_rejected, [](state&) {});
    if (s.now == lifecycle::half_open && active) {
      auto const leave = static_cast<std::uint8_t>(~me);
      does(half_open_probe_success, [&](state& t) {
        t.now = lifecycle::closed, t.failure_count = 0, t.probe_inflight = 0, t.caller_active &= leave;
      });
      does(half_open_probe_failure,
           [&](state& t) { open(t), t.probe_inflight = 0, t.caller_active &= leave; });
    }
  }

  static state with(state s, auto change) { return change(s), s; }
  static void open(state& s) { s.now = lifecycle::open, s.open_ticks = 0; }

  static constexpr auto invariants() {
    using property = check::state_property<circuit_breaker_model>;
    return std::array{
        property{"TypeOK",
                 [](auto& m, auto& s) {
                   return s.failure_count <= m.max_failures && s.open_ticks <= m.max_open_ticks &&
                          s.caller_active < (1U << m.num_callers);
                 }},
        property{"NoDoubleProbe",
                 [](auto&, auto& s) {
                   return !(s.now == lifecycle::half_open && s.probe_inflight != 0) ||
                          std::popcount(s.caller_active) <= 1;
                 }},
        property{"NoOrphanReservation",
                 [](auto&, auto& s) { return s.probe_inflight == 0 || s.caller_active != 0; }},
        property{"ProbeAcceptedIsBounded", [](auto&, auto& s) { return s.probes_accepted <= 1; }}};
  }
  static std::string action_name(check::action_id a);
  static std::string show(state const& s);
};

}  // namespace halfopen::proof
