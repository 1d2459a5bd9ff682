#pragma once

#include <cstdint>
#include <vector>

#include <halfopen/base/percent.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_config.hpp>

namespace halfopen {

/// When a second attempt begins beside one that takes long.
struct hedge_config {
  duration after = std::chrono::milliseconds{100};  // with `observed`, until enough has been observed
  percent observed{0};  // > 0: as long as this share of good attempts takes, e.g. 95_percent
  std::uint32_t samples_min = 100;
  duration after_min = std::chrono::milliseconds{1};  // bounds of what is observed
  duration after_max = std::chrono::seconds{10};

  friend constexpr bool operator==(hedge_config const&, hedge_config const&) = default;
};

/// Everything that is wrong with the settings; empty = usable.
[[nodiscard]] std::vector<config_problem> validate(hedge_config const& c);

}  // namespace halfopen
