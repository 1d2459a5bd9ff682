#pragma once

#include <cstdint>

#ifndef HALFOPEN_WIRING_FAULT
#define HALFOPEN_WIRING_FAULT none
#endif

namespace halfopen::gateway {

/// Faults that a gateway can be built with, for the tests. The gateway that is shipped has none of them.
///
/// The first two are wires between a call and its breakers that were once left out; the route tests must
/// catch each. The third is a part that has gone, which must stop nobody.
enum class wiring_fault : std::uint8_t {
  none,
  recovery_not_asked,   // asks "is it open?" and never asks for the permit that would make it half-open
  result_not_reported,  // drops the permit instead of telling how the attempt ended
  writer_gone,          // the channel to storage is closed while calls go on
};

inline constexpr wiring_fault wired_with = wiring_fault::HALFOPEN_WIRING_FAULT;

}  // namespace halfopen::gateway
