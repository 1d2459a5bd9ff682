#pragma once

#include <optional>
#include <string>

#include <halfopen/check/explore.hpp>

namespace halfopen::check {

/// Where a search stands between two rounds.
struct search_position {
  state_id next = 0;       // the first state that is not expanded
  state_id level_end = 0;  // the first of the level after its own
  state_id states = 0;
};

struct saved_search {
  search_position at;
  check::counts counts;
};

/// Writes the first `s.at.states` states, how they were reached and, if `steps`, the steps of those expanded.
///
/// Atomic: the file is the former one or the new one, whole, whenever the machine stops. Returns what went
/// wrong, or nothing.
[[nodiscard]] std::string write_checkpoint(checkpoints const& where, model& m, graph const& g,
                                           saved_search const& s, bool steps);

/// Fills an empty graph; nothing if there is no file. Throws checkpoint_refused.
[[nodiscard]] std::optional<saved_search> read_checkpoint(checkpoints const& where, model& m, graph& g,
                                                          bool steps);

}  // namespace halfopen::check
