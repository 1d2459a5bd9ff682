#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/check/explore.hpp>
#include <halfopen/check/simulate.hpp>
#include <halfopen/tla/coverage.hpp>
#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {

/// Random walks in place of a search through every state.
struct simulation {
  std::uint64_t first = 1;  // the number of the first walk, to repeat one
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t depth = 100;  // states on a walk, at most
  std::uint64_t seed = 0;
};

/// Where the state graph is written, and how many states of it at most.
struct graph_wanted {
  std::ostream* to = nullptr;
  bool as_json = false;  // else Graphviz
  std::size_t states_max = 100'000;
};

/// What to check, and how far.
struct verification {
  std::string spec;    // a .tla file
  std::string config;  // a .cfg file; empty: beside the spec, with its name
  std::vector<std::string> search_path{};
  bool check_deadlock = true;  // false wins over the configuration's CHECK_DEADLOCK
  check::limits stop_at{};
  check::workers workers{.count = 0};  // 0: as many as there are processors, once a model is large
  std::function<void(check::counts const&, std::uint64_t queue)> progress{};
  std::string checkpoint{};                // a folder: the search is written there, and goes on from there
  std::function<bool()> checkpoint_due{};  // asked now and then whether to write
  std::function<bool()> interrupted{};     // whether that is why stop_at.stop said so
  std::size_t stack_bytes = std::size_t{6} << 20;  // how deep evaluation may go

  std::optional<simulation> simulate{};
  std::optional<graph_wanted> dump_graph{};
  std::function<void(check::walk_counts const&)> walk_progress{};
  std::vector<std::string> trace_expressions{};  // evaluated along a counterexample; "name == expression"
  bool coverage = false;                         // counts parts of actions, which costs time
  bool warnings = true;                          // of what says nothing: see vacuity.hpp
  bool config_optional = false;  // without one beside the spec, constants stand for themselves
  bool force_liveness = false;   // checks temporal properties in spite of SYMMETRY or VIEW: may be wrong
};

/// How a check ended. The numbers are TLC's exit codes.
enum class ending : std::uint8_t {
  holds = 0,
  assumption_false = 10,  // or a POSTCONDITION
  deadlock = 11,
  invariant_broken = 12,
  property_broken = 13,
  cannot_evaluate = 75,
  not_finished = 124,
  bad_spec = 150,
  bad_config = 151,
};

/// What a simulation did.
struct walked {
  check::walk_counts counts{};
  simulation how{};
  std::uint64_t found_on = 0;  // the walk on which something is wrong; 0: none
};

/// What was written of a state graph.
struct graph_written {
  std::size_t states = 0;
  std::size_t steps = 0;
  bool complete = true;
};

struct report {
  ending how = ending::holds;
  check::counts counts{};
  std::string property{};                 // that is broken
  std::string message{};                  // for a person: what is wrong
  std::optional<trace> way{};             // to what is wrong
  std::vector<diagnostic> diagnostics{};  // of the spec and its configuration, warnings included
  std::string output{};                   // what the spec printed
  std::optional<coverage> covered{};      // if it was asked for
  std::optional<graph_written> graph{};   // if it was asked for
  std::uint64_t resumed_at = 0;           // states that a checkpoint had; 0: the search began anew
  std::optional<walked> walks{};          // of a simulation: then `holds` means only that nothing was found
};

/// All that a report says, as text: message, trace, diagnostics.
[[nodiscard]] std::string to_text(report const& r, trace_form form = trace_form::text);

/// Reads, resolves, compiles and explores: all of `halfopen check` but the command line.
[[nodiscard]] report verify(verification const& what);

/// Runs `f` on a thread of its own with a stack of so many bytes: specs recurse deeply. Rethrows what it
/// throws.
void with_stack(std::size_t bytes, std::function<void()> f);

}  // namespace halfopen::tla
