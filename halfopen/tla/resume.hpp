#pragma once

#include <halfopen/tla/prepare.hpp>

namespace halfopen::tla {

/// Where the search of this model is written down; makes the folder. Throws `refusal` if that cannot be, or
/// if what the model answers depends on what was asked before.
[[nodiscard]] check::checkpoints checkpoint_for(prepared const& p, verification const& what);

/// Says in the report how to go on; drops the checkpoint of a search that has ended.
void tell_of_checkpoint(check::checkpoints const& where, check::result const& found, report& r);

}  // namespace halfopen::tla
