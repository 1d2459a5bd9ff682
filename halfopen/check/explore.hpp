#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <halfopen/check/graph.hpp>
#include <halfopen/check/model.hpp>

namespace halfopen::check {

enum class verdict : std::uint8_t {
  holds,             // every reachable state was seen, and nothing is wrong with any
  invariant_broken,  // which: result::property
  step_broken,       // a property of steps; which: result::property
  deadlock,          // a state without a successor
  cannot_evaluate,   // the model had no answer; why: result::message
  not_finished,      // a limit ended the search; which: result::message. Never means "holds"
};

/// Where a search gives up. It then ends as `not_finished`.
struct limits {
  std::uint64_t states_max = no_state;
  std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t depth_max = std::numeric_limits<std::uint32_t>::max();
  std::function<bool()> stop{};  // asked now and then, e.g. whether time is up
};

/// How far a search is. Counted as TLC counts.
struct counts {
  std::uint64_t distinct = 0;   // states within the constraints, each once
  std::uint64_t generated = 0;  // initial states and successors, before constraints, each time
  std::uint32_t depth = 0;      // states on the longest of the shortest ways to a state

  friend bool operator==(counts const&, counts const&) = default;
};

/// Threads that search together. What they find does not depend on how many they are.
struct workers {
  unsigned count = 1;                              // 1: the caller alone
  state_id from_states = 0;                        // the others come when so many states have been found
  state_id from_round = 512;                       // and rest when fewer states than that wait in a level
  std::size_t stack_bytes = std::size_t{8} << 20;  // of each but the caller
};

/// Where a search is written down, for another process to go on with.
struct checkpoints {
  std::string file{};       // empty: nowhere. Read at the start, if it is there
  std::uint64_t model = 0;  // which model, and what is asked of it: one file is of one such number
  std::function<bool()>
      due{};  // asked between rounds whether to write; also written when a limit ends the search
};

struct options {
  bool check_deadlock = true;
  bool keep_graph = false;  // for liveness, refinement and dumps
  limits stop_at{};
  check::workers workers{};
  checkpoints checkpoint{};
  std::function<void(counts const&, std::uint64_t queue)> progress{};  // asked to show, now and then
};

struct checkpoint_refused {
  std::string why;
};

/// A state and the action that led to it (no_action for the first).
struct trace_step {
  std::vector<word> state;
  action_id by = no_action;
};

struct result {
  verdict found = verdict::holds;
  check::counts counts{};
  int property = model::nothing_broken;
  std::vector<trace_step> trace{};  // a shortest way to what is wrong
  std::string message{};
  unsigned workers = 1;  // that took part
  struct {
    state_id resumed_at = 0;  // states that were read; 0: it began anew
    bool written = false;     // the latest attempt
    std::string failed{};     // why it was not
  } checkpoint{};
  std::optional<graph> states{};  // with options::keep_graph, and only for `holds`
};

/// Visits every state that the model can reach, nearest first.
///
/// Stops at the first thing that is wrong, with a shortest way to it. Invariants are also asked of states
/// that a constraint cuts off; properties of steps are asked of every successor, seen before or not.
///
/// Throws checkpoint_refused if the checkpoint to go on from is damaged, or of another model.
[[nodiscard]] result explore(model& m, options const& how = {});

/// The way in which `last` was first reached, with the actions' names asked again of the model.
[[nodiscard]] std::vector<trace_step> shortest_way(model& m, graph const& g, state_id last);

/// The trace as text: "State 1: <Initial predicate>", then the variables; one blank line between states.
[[nodiscard]] std::string to_text(std::vector<trace_step> const& trace, model& m);

}  // namespace halfopen::check
