#include <array>

#include <halfopen/tla/builtin.hpp>

namespace halfopen::tla {

builtin builtin_for(primitive p) {
  for (auto const find : std::array{number_builtin, set_builtin, sequence_builtin, tlc_builtin,
                                    random_builtin, file_builtin, json_builtin}) {
    if (auto const f = find(p)) return f;
  }
  return nullptr;
}

bool has_effects(primitive p) {
  switch (p) {
    case primitive::print:
    case primitive::print_t:
    case primitive::tlc_get:
    case primitive::tlc_set:
    case primitive::assert_eq:
    case primitive::json_serialize:
    case primitive::nd_json_serialize:
    case primitive::serialize:
    case primitive::csv_write:
    case primitive::csv_records: return true;
    default: return is_random(p);
  }
}

std::string unsupported_reason(primitive p, std::string const& name) {
  auto const replace = ": give it a meaning in the configuration, CONSTANT " + name + " <- ...";
  switch (p) {
    case primitive::always:
    case primitive::eventually:
    case primitive::leads_to:
    case primitive::guarantee:
      return name + " makes a formula about behaviours, which has no value in a state: it can stand in a " +
             "SPECIFICATION or a PROPERTY, outside of what is evaluated in a state";
    case primitive::divide:
    case primitive::infinity:
      return name + " of Reals has no value here: real numbers are declared, not computed";
    case primitive::java_time: return name + " has no value: a run would differ from the next one" + replace;
    case primitive::io_exec:
    case primitive::io_env_exec:
    case primitive::io_exec_template:
    case primitive::io_env_exec_template:
      return name + " runs another program, which this checker does not do" + replace;
    case primitive::trace:
      return "Trace is not supported: nothing remembers the way to a state while states are explored" +
             replace;
    case primitive::assert_error:
      return "AssertError is not supported: it compares with the text of TLC's messages" + replace;
    case primitive::pick_successor: return "PickSuccessor is not supported: it asks a person" + replace;
    default: return "the operator " + name + " is not supported" + replace;
  }
}

}  // namespace halfopen::tla
