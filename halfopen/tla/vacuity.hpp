#pragma once

#include <vector>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/check/graph.hpp>
#include <halfopen/tla/prepare.hpp>

namespace halfopen::tla {

/// What a check that found nothing has left unsaid: an action that is never possible, a variable that never
/// changes, an invariant or property whose premise is never true, a liveness property that nothing forces, or
/// that anything satisfies.
///
/// Only for a search of every state. `graph` is null where it was not kept; then nothing is said of temporal
/// properties.
[[nodiscard]] std::vector<diagnostic> vacuous_parts(prepared& p, verification const& what,
                                                    check::graph const* graph);

/// Warnings that do not depend on how a check ended: a liveness property under a CONSTRAINT or without any
/// fairness, an `\* expect:` that names no property.
[[nodiscard]] std::vector<diagnostic> doubtful_settings(prepared const& p, verification const& what);

}  // namespace halfopen::tla
