#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <halfopen/tla/source.hpp>

namespace halfopen::check {
class graph;
}

namespace halfopen::tla {

class model;

/// What a check has used of a spec.
struct coverage {
  struct action {
    std::string name;
    std::string place;                          // file:line:column
    std::uint64_t steps = 0;                    // 0: never possible
    std::optional<std::uint64_t> new_states{};  // first reached by it; known once every state was visited
  };
  /// A conjunct, disjunct or other part of Init or Next.
  struct part {
    std::string file;
    source_position at;
    std::string text;         // its first line
    std::uint64_t asked = 0;  // how often it was evaluated
    std::uint64_t held = 0;   // in how many ways it was true
  };
  struct variable {
    std::string name;
    bool changes = false;  // by some step
  };
  std::vector<action> actions{};  // in the order of the text
  std::vector<part> parts{};
  std::vector<variable> variables{};
};

/// `graph`: all that was visited, where it was kept and nothing is missing.
[[nodiscard]] coverage coverage_of(model& m, check::graph const* graph);

/// Tables: actions, what never changes, and the parts with what each was worth.
[[nodiscard]] std::string to_text(coverage const& c);

/// An object of docs/schemas/coverage.schema.json.
[[nodiscard]] std::string to_json(coverage const& c);

/// The first line of what stands there, cut where it is long.
[[nodiscard]] std::string text_at(source_range const& range);

}  // namespace halfopen::tla
