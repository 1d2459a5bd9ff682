#pragma once

#include <string>
#include <vector>

#include <halfopen/check/explore.hpp>
#include <halfopen/tla/given_expression.hpp>
#include <halfopen/tla/liveness.hpp>
#include <halfopen/tla/model.hpp>
#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {

/// The states on the way to what is wrong, as a person or a tool wants them, with the value of each given
/// expression. Where the last state is followed by one, that is `after`.
[[nodiscard]] trace counterexample(std::vector<check::trace_step> const& way, model& m,
                                   std::vector<given_expression> const& also = {}, check::row after = {});

/// The same for a behaviour that never ends.
[[nodiscard]] trace counterexample(lasso const& l, check::graph const& g, model& m,
                                   std::vector<given_expression> const& also = {});

}  // namespace halfopen::tla
