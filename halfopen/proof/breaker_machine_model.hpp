#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <halfopen/check/typed_model.hpp>
#include <halfopen/policy/breaker_value.hpp>

namespace halfopen::proof {

/// How a wrong machine differs from the one in production, which stays as it is: the model steps it through
/// these.
enum class breaker_mutant : std::uint8_t {
  none,
  forgets_epochs,          // a result acts whatever epoch its call was admitted in
  has_no_lease,            // a probe's slot never ends by time
  keeps_abandoned_slots,   // a neutral result of a probe does not give its slot back
  opens_without_deadline,  // open is seen before its deadline is
  admits_one_probe_more,
  success_in_open_closes,
  failure_in_open_extends,
  timer_leaves_forced_open,
  counts_neutral_results,
  keeps_window_over_epochs,
  tells_no_reopening,  // no event when half-open opens again
};

/// The production breaker_machine, with callers around it, as a model: every sequence of calls, results and
/// ticks.
///
/// Callers may hang, and holders may never report: `lose` drops a permit without a word. `visit` is a call
/// whose permit, if there is one, is lost at once, so somebody can always call. Time is whole ticks, kept
/// relative to now; ages beyond which nothing can tell them apart are cut off, and a permit's epoch is only
/// "this one" or "an older one".
struct breaker_machine_model {
  enum class holds : std::uint8_t { nothing, call, probe, late_call, late_probe };
  struct caller {
    holds what;
    std::uint8_t slot;
    std::int8_t age;
  };
  struct state {
    breaker_state now;
    std::uint8_t openings, neutrals, successes, would_trip, in_a_row;
    std::int8_t lease, deadline, since;    // relative to now; `never` where there is none
    std::array<std::int8_t, 2> lease_end;  // `never`: free
    std::array<std::uint8_t, 6> words;
    std::array<caller, 2> callers;
    std::uint8_t lost_slots;  // probes of this epoch whose holders never report, a bit each
    // What a reference that looks only at answers and events believes.
    std::int8_t not_before;  // open: the event's `until`
    std::uint8_t seen_calls,
        seen_failures;    // results since the window was last emptied; newest failure in bit 0
    std::uint8_t broken;  // the first rule that the latest step broke, or 0
  };
  static constexpr std::int8_t never = 127;

  breaker_config config = small(1, 1);
  std::uint8_t callers = 2;
  bool operators = true;
  breaker_mutant mutant = breaker_mutant::none;

  static breaker_config small(std::uint32_t probes, std::uint32_t required);

  enum action : check::action_id {
    start,
    tick,
    visit,
    acquire,
    success,
    failure,
    ignored,
    lose,
    force_open,
    disable,
    metrics_only,
    automatic,
    reset
  };
  static constexpr check::action_id changes_epoch =
      256;  // added to the action where the step begins a new epoch

  template <class Emit>
  void initial(Emit emit) const {
    emit(first(), start);
  }
  template <class Emit>
  void next(state const& s, Emit emit) const {
    check::action_id by = 0;
    for (std::uint32_t i = 0; i < steps; ++i) {
      if (state t = s; step(t, i, by)) emit(t, by);
    }
  }

  static constexpr auto invariants() {
    using property = check::state_property<breaker_machine_model>;
    return std::array{property{"S1", [](auto& m, auto& s) { return s.broken != 1 && m.slots_match(s); }},
                      property{"S2", [](auto&, auto& s) { return s.broken != 2; }},
                      property{"S3", [](auto&, auto& s) { return s.broken != 3; }},
                      property{"S5", [](auto&, auto& s) { return s.broken != 5; }},
                      property{"S6", [](auto&, auto& s) { return s.broken != 6; }},
                      property{"S7", [](auto&, auto& s) { return s.broken != 7; }},
                      property{"S8", [](auto& m, auto& s) { return s.broken != 8 && m.window_matches(s); }}};
  }
  static std::string action_name(check::action_id a);
  static std::string show(state const& s);

 private:
  static constexpr std::uint32_t steps = 32;

  [[nodiscard]] state first() const;
  /// Takes the i-th step that could be possible; false if it is not.
  bool step(state& s, std::uint32_t i, check::action_id& by) const;
  [[nodiscard]] bool slots_match(state const& s) const;
  [[nodiscard]] bool window_matches(state const& s) const;
};

}  // namespace halfopen::proof
