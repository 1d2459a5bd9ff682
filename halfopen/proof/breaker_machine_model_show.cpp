#include <halfopen/proof/breaker_machine_model.hpp>

namespace halfopen::proof {

std::string breaker_machine_model::action_name(check::action_id a) {
  constexpr std::array names{"Start", "Tick",      "Visit",   "Acquire",     "Success", "Failure", "Ignored",
                             "Lose",  "ForceOpen", "Disable", "MetricsOnly", "Auto",    "Reset"};
  auto const kind = a % 16;
  bool const of_caller = kind >= acquire && kind <= lose;
  return std::string{names.at(kind)} +
         (of_caller ? "(" + std::to_string(a % changes_epoch / 16 + 1) + ")" : "");
}

std::string breaker_machine_model::show(state const& s) {
  std::string text = "state = " + std::string{name(s.now)} + "\nopenings = " + std::to_string(s.openings) +
                     "\nneutrals = " + std::to_string(s.neutrals) +
                     "\nsuccesses = " + std::to_string(s.successes) + "\nlease = " + std::to_string(s.lease);
  auto const time = [](std::int8_t t) { return t == never ? std::string{"-"} : std::to_string(t); };
  text +=
      "\ndeadline = " + time(s.deadline) + "\nleases = " + time(s.lease_end[0]) + ", " + time(s.lease_end[1]);
  constexpr std::array held{"-", "call", "probe", "late call", "late probe"};
  for (auto const& c : s.callers) {
    text += "\ncaller = " + std::string{held.at(static_cast<std::size_t>(c.what))} + " of age " +
            std::to_string(c.age);
  }
  return text + "\nlost slots = " + std::to_string(s.lost_slots) + "\nbroken = " + std::to_string(s.broken) +
         "\n";
}

}  // namespace halfopen::proof
