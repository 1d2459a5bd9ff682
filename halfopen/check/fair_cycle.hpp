#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace halfopen::check {

/// Up to 128 things that a state or a step may be, a bit each.
__extension__ using marks = unsigned __int128;

/// The same for a thousand, for models with many fairness conditions: eight times the memory.
class wide_marks {
 public:
  constexpr wide_marks(std::uint64_t low = 0) noexcept
      : words_{low} {}  // NOLINT(google-explicit-constructor)

  constexpr wide_marks& operator|=(wide_marks const& o) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= o.words_[i];
    return *this;
  }
  constexpr wide_marks& operator&=(wide_marks const& o) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= o.words_[i];
    return *this;
  }
  [[nodiscard]] constexpr wide_marks operator~() const noexcept {
    auto all = *this;
    for (auto& w : all.words_) w = ~w;
    return all;
  }
  /// Of a single word: enough to make one mark.
  [[nodiscard]] constexpr wide_marks operator<<(std::uint32_t n) const noexcept {
    wide_marks all;
    all.words_[n / 64] = words_[0] << n % 64;
    return all;
  }
  friend constexpr wide_marks operator|(wide_marks a, wide_marks const& b) noexcept { return a |= b; }
  friend constexpr wide_marks operator&(wide_marks a, wide_marks const& b) noexcept { return a &= b; }
  friend constexpr bool operator==(wide_marks const&, wide_marks const&) noexcept = default;

 private:
  std::array<std::uint64_t, 16> words_{};
};

template <class Marks>
inline constexpr std::uint32_t marks_max = sizeof(Marks) * 8;

/// A graph in which a cycle is looked for: states as numbers, their steps in one array, and what each is.
template <class Marks>
struct basic_marked_graph {
  std::vector<std::size_t> first{};  // of each state's steps, and one past the end
  std::vector<std::uint32_t> to{};
  std::vector<Marks> of_state{};
  std::vector<Marks> of_step{};
  bool stutters = false;  // every state may also stay as it is for ever

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(of_state.size()); }
};

using marked_graph = basic_marked_graph<marks>;

/// What an infinite behaviour must do to count.
template <class Marks>
struct basic_fairness {
  Marks must = 0;  // each of these infinitely often

  /// If the first infinitely often, then also the second (strong fairness: enabled, taken).
  std::vector<std::pair<Marks, Marks>> pairs{};
};
using fairness = basic_fairness<marks>;

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
[[nodiscard]] std::optional<cycle> find_fair_cycle(basic_marked_graph<wide_marks> const& g,
                                                   std::span<std::uint32_t const> starts,
                                                   basic_fairness<wide_marks> const& wanted);

/// A shortest way from one of `starts` to `goal`, both included. `first` and `to`: a graph's steps.
[[nodiscard]] std::vector<std::uint32_t> shortest_path(std::span<std::size_t const> first,
                                                       std::span<std::uint32_t const> to,
                                                       std::span<std::uint32_t const> starts,
                                                       std::uint32_t goal);

}  // namespace halfopen::check
