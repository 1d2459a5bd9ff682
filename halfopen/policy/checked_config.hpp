#pragma once

#include <stdexcept>

#include <halfopen/policy/breaker_config.hpp>

namespace halfopen {

/// The settings as they are, for constructors. Errors: std::invalid_argument with everything that is wrong.
template <class Config>
[[nodiscard]] Config checked(Config const& c) {
  if (auto const problems = validate(c); has_errors(problems))
    throw std::invalid_argument{to_string(problems)};
  return c;
}

}  // namespace halfopen
