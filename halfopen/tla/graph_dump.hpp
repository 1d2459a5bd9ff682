#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/check/row_arena.hpp>
#include <halfopen/tla/model.hpp>

namespace halfopen::tla {

enum class graph_form : std::uint8_t { dot, json };

/// By the end of a file's name: .dot, .gv or .json.
[[nodiscard]] std::optional<graph_form> find_graph_form(std::string_view file) noexcept;

/// The states within the constraints and the steps between them, nearest first, whether something is wrong
/// with them or not.
struct state_graph {
  struct step {
    check::state_id from;
    check::state_id to;
    check::action_id by;
  };
  struct state_note {
    bool deadlock = false;    // no step is possible from here
    std::string broken{};     // an invariant that does not hold here
    std::string no_answer{};  // why the model could not be asked for steps
  };

  explicit state_graph(std::size_t width) : states{width} {}

  check::row_arena states;
  std::vector<state_note> notes{};
  std::vector<step> steps{};  // by their states
  std::size_t initial = 0;    // the first states are the initial ones
  bool complete = true;       // false: there are more states than allowed
};

/// At most `states_max` states; steps to others are left out. With SYMMETRY or VIEW a state stands for all of
/// its kind.
[[nodiscard]] state_graph reachable_graph(model& m, std::size_t states_max);

/// Graphviz. Initial states have a thick border, broken ones a double one, deadlocks a dashed one; each
/// action has a colour and a line of its own, so that it can be told without colour.
void write_dot(std::ostream& out, state_graph const& g, model& m, std::string_view spec);

/// An object of docs/schemas/state-graph.schema.json.
void write_json(std::ostream& out, state_graph const& g, model& m, std::string_view spec);

}  // namespace halfopen::tla
