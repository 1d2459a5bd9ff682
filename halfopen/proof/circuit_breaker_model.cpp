#include <halfopen/proof/circuit_breaker_model.hpp>

namespace halfopen::proof {

std::string circuit_breaker_model::action_name(check::action_id a) {
  constexpr std::array names{"Init",
                             "ClosedCallSuccess",
                             "ClosedCallFailure",
                             "ClosedCallFailureTripBreaker",
                             "OpenShortCircuit",
                             "OpenTimerElapses",
                             "OpenTick",
                             "HalfOpenProbeStart",
                             "HalfOpenProbeRejected",
                             "HalfOpenProbeSuccess",
                             "HalfOpenProbeFailure"};
  std::string const name = names.at(a / 8);
  auto const k = static_cast<kind>(a / 8);
  if (k == init || k == open_timer_elapses || k == open_tick) return name;
  return name + "(" + std::to_string(a % 8 + 1) + ")";
}

std::string circuit_breaker_model::show(state const& s) {
  constexpr std::array names{"Closed", "Open", "HalfOpen"};
  std::string callers;
  for (unsigned c = 0; c < 8; ++c) {
    if ((s.caller_active >> c & 1U) != 0) callers += (callers.empty() ? "" : ", ") + std::to_string(c + 1);
  }
  return std::string{"state = \""} + names.at(static_cast<std::size_t>(s.now)) + "\"\n" +
         "failureCount = " + std::to_string(s.failure_count) +
         "\nopenTicks = " + std::to_string(s.open_ticks) +
         "\nprobeInflight = " + (s.probe_inflight != 0 ? "TRUE" : "FALSE") +
         "\nprobesAccepted = " + std::to_string(s.probes_accepted) + "\ncallerActive = {" + callers + "}\n";
}

}  // namespace halfopen::proof
