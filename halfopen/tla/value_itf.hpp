#pragma once

#include <string>

#include <halfopen/tla/values.hpp>

namespace halfopen::tla {

/// The value as JSON in the encoding of the Informal Trace Format. What JSON cannot hold (an infinite set) is
/// {"#unserializable": "Nat"}.
[[nodiscard]] std::string to_itf(values const& v, value x);

}  // namespace halfopen::tla
