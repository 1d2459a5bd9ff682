#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <halfopen/check/row_arena.hpp>

namespace halfopen::check {

/// A step of the graph: which action leads where.
struct step {
  state_id to;
  action_id by;

  friend bool operator==(step, step) = default;
};

/// What a search has seen: states, how each was first reached, and, if they were kept, all steps.
///
/// Steps that a constraint cut off are not in it. A step that two actions make stands there twice.
///
/// Threads: different states and steps may be written from any; `grow_*` while nobody else is inside.
class graph {
 public:
  explicit graph(std::size_t width) : rows_{width} {}

  [[nodiscard]] state_id size() const noexcept { return static_cast<state_id>(parents_.size()); }
  [[nodiscard]] row state(state_id s) const noexcept { return rows_[s]; }
  [[nodiscard]] state_id parent(state_id s) const noexcept { return parents_[s]; }
  [[nodiscard]] state_id initial_count() const noexcept { return initial_; }  // the first states
  [[nodiscard]] row_arena const& rows() const noexcept { return rows_; }

  [[nodiscard]] std::span<step const> steps(state_id s) const noexcept {
    return std::span{steps_}.subspan(first_[s], first_[s + 1] - first_[s]);
  }
  [[nodiscard]] std::size_t step_count() const noexcept { return steps_.size(); }
  [[nodiscard]] std::size_t first_step(state_id s) const noexcept { return first_[s]; }

  void grow_states(state_id size) {
    rows_.grow(size);
    parents_.resize(size);
  }
  void put(state_id s, row r, state_id parent) noexcept {
    rows_.put(s, r);
    parents_[s] = parent;
  }
  void end_initial() noexcept { initial_ = size(); }

  /// Room for the steps of all states before `end`, which are so many.
  void grow_steps(state_id end, std::size_t count) {
    first_.resize(std::size_t{end} + 1);
    first_[end] = count;
    steps_.resize(count);
  }
  /// The steps of a state begin at `first`; those of the state after it, where these end.
  void put_steps(state_id s, std::size_t first) noexcept { first_[s] = first; }
  void put_step(std::size_t i, step s) noexcept { steps_[i] = s; }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return rows_.bytes() + parents_.size() * sizeof(state_id) + steps_.capacity() * sizeof(step) +
           first_.capacity() * sizeof(std::size_t);
  }

 private:
  row_arena rows_;
  std::deque<state_id> parents_;  // grows without being copied
  std::vector<step> steps_;
  std::vector<std::size_t> first_;
  state_id initial_ = 0;
};

}  // namespace halfopen::check
