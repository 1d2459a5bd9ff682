#pragma once

#include <halfopen/tla/loader.hpp>

namespace halfopen::tla {

/// Computes the level of every expression and definition of a module, and reports those that TLA+ forbids: a
/// prime on a prime, [] of an action, an assumption about variables.
void check_levels(loader& l, module& m);

/// The same for one definition that stands in no module's list.
void check_levels(loader& l, definition const& d);

}  // namespace halfopen::tla
