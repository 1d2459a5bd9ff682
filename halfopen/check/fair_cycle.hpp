#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace halfopen::check {

/// Up to 128 things that a state or a step may be, a bit each.
__extension__ using marks = unsigned __int128;
inline constexpr std::uint32_t marks_max = 128;

/// A graph in which a cycle is looked for: states as numbers, their steps in one array, and what each is.
struct marked_graph {
  std::vector<std::size_t> first{};  // of each state's steps, and one past the end
  std::vector<std::uint32_t> to{};
  std::vector<marks> of_state{};
  std::vector<marks> of_step{};
  bool stutters = false;  // every state may also stay as it is for ever

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(of_state.size()); }
};

/// What an infinite behaviour must do to count.
struct fairness {
  marks must = 0;  // each of these infinitely often

  /// If the first infinitely often, then also the second (strong fairness: enabled, taken).
  std::vector<std::pair<marks, marks>> pairs{};
};

/// A cycle as the states it goes through; from the last back to the first. One state alone stutters or steps
/// to itself.
using cycle = std::vector<std::uint32_t>;

/// A cycle, reachable from one of `starts`, that goes on for ever as `wanted` demands; nothing if there is
/// none.
///
/// Streett emptiness by pruning strongly connected parts: a part that shows the first of a pair and not the
/// second loses whatever shows the first, and is looked at again. Polynomial in the number of pairs. Source:
/// Emerson and Lei 1987; Tarjan 1972.
[[nodiscard]] std::optional<cycle> find_fair_cycle(marked_graph const& g,
                                                   std::span<std::uint32_t const> starts,
                                                   fairness const& wanted);

/// A shortest way from one of `starts` to `goal`, both included.
[[nodiscard]] std::vector<std::uint32_t> shortest_path(marked_graph const& g,
                                                       std::span<std::uint32_t const> starts,
                                                       std::uint32_t goal);

}  // namespace halfopen::check
