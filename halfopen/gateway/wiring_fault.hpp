#pragma once

#include <cstdint>

#ifndef HALFOPEN_WIRING_FAULT
#define HALFOPEN_WIRING_FAULT none
#endif

namespace halfopen::gateway {

/// The two wires between a call and its breakers, and how each was once left out. The gateway that is shipped
/// has none of these faults; the build makes one mutant with each, which the route tests must catch.
enum class wiring_fault : std::uint8_t {
  none,
  recovery_not_asked,   // asks "is it open?" and never asks for the permit that would make it half-open
  result_not_reported,  // drops the permit instead of telling how the attempt ended
};

inline constexpr wiring_fault wired_with = wiring_fault::HALFOPEN_WIRING_FAULT;

}  // namespace halfopen::gateway
