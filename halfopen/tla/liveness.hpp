#pragma once

#include <optional>
#include <string>
#include <vector>

#include <halfopen/check/explore.hpp>
#include <halfopen/check/graph.hpp>
#include <halfopen/tla/model.hpp>

namespace halfopen::tla {

/// An infinite behaviour that breaks a property: states, the last of which goes on with state `back`.
struct lasso {
  std::string property;
  std::vector<check::state_id> states;
  std::size_t back = 0;

  [[nodiscard]] bool stutters() const noexcept { return back + 1 == states.size(); }
};

/// Looks for a fair behaviour in the graph that breaks one of the model's temporal properties.
///
/// Throws check::cannot_evaluate where a formula has no value, and `refusal` where one is not supported.
/// Every lasso has been held against the property and the fairness conditions before it is returned.
[[nodiscard]] std::optional<lasso> broken_temporal_property(model& m, check::graph const& g);

/// Whether no behaviour whatever could break it: its negation has no way to be true even if every predicate
/// and action in it could be true or false at will.
[[nodiscard]] bool is_tautology(model& m, located const& property);

}  // namespace halfopen::tla
