#pragma once

#include <memory>
#include <string>
#include <vector>

#include <halfopen/tla/problem.hpp>

namespace halfopen::tla {

/// The left side of a => in a property: where it is never true, the property says nothing.
struct premise {
  std::string of;            // the property
  expr const* at = nullptr;  // the left side
  located asked{};           // the same under the quantifiers around it: whether it is true of something
  std::vector<std::shared_ptr<expr const>> made{};  // what stands in `asked` and in no text
};

/// Those of the implications among an invariant's conjuncts, under quantifiers or not. A => in an operator
/// that is applied under a quantifier is passed over.
[[nodiscard]] std::vector<premise> premises_of(formula_splitter& s, located const& invariant);

/// P of P ~> Q and of [](P => Q).
[[nodiscard]] std::vector<premise> temporal_premises_of(formula_splitter& s, located const& property);

}  // namespace halfopen::tla
