#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <halfopen/check/explore.hpp>

namespace halfopen::check {

/// How far random walks have come.
struct walk_counts {
  std::uint64_t walks = 0;      // that have ended
  std::uint64_t steps = 0;      // taken, in all walks
  std::uint64_t generated = 0;  // initial states and successors looked at
  std::uint32_t longest = 0;    // states on the longest walk

  friend bool operator==(walk_counts const&, walk_counts const&) = default;
};

/// Which walks to take. Walk n depends on the seed and on n alone, so each can be repeated without those
/// before it.
struct walks {
  std::uint64_t first = 1;  // walks are numbered from 1
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t depth = 100;  // states on a walk, at most
  std::uint64_t seed = 0;
  bool check_deadlock = true;
  std::function<bool()> stop{};  // asked after each walk and now and then on one, e.g. whether time is up
  std::function<void(walk_counts const&)> progress{};  // asked to show, as often
};

struct walk_result {
  /// `not_finished` where nothing was found: walks never show that a model holds.
  verdict found = verdict::not_finished;
  walk_counts counts{};
  bool stopped = false;  // before all walks were taken
  int property = model::nothing_broken;
  std::uint64_t walk = 0;  // that found it
  std::vector<trace_step> trace{};
  std::string message{};
};

/// Walks at random from an initial state, each time first choosing one of the actions that are possible, then
/// one of its steps.
///
/// What `explore` asks of a state or a step is asked of every successor of the states on a walk, taken or
/// not. A walk ends where it is as deep as allowed, or where no step stays within the constraints.
[[nodiscard]] walk_result simulate(model& m, walks const& how);

}  // namespace halfopen::check
