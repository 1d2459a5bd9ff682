#pragma once

#include <cstdint>
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
class graph {
 public:
  explicit graph(std::size_t width) : rows{width} {}

  row_arena rows;  // the states, by number; the initial ones come first

  [[nodiscard]] state_id size() const noexcept { return static_cast<state_id>(parents_.size()); }
  [[nodiscard]] row state(state_id s) const noexcept { return rows[s]; }
  [[nodiscard]] state_id parent(state_id s) const noexcept { return parents_[s]; }
  [[nodiscard]] state_id initial_count() const noexcept { return initial_; }

  [[nodiscard]] std::span<step const> steps(state_id s) const noexcept {
    return std::span{steps_}.subspan(first_[s], first_[s + 1] - first_[s]);
  }
  [[nodiscard]] std::size_t step_count() const noexcept { return steps_.size(); }
  [[nodiscard]] std::size_t first_step(state_id s) const noexcept { return first_[s]; }

  /// Notes how the newest row was reached.
  void reached_from(state_id parent) {
    parents_.push_back(parent);
    if (parent == no_state) initial_ = size();
  }
  void begin_steps() { first_.push_back(steps_.size()); }  // for each state in order, and once at the end
  void add_step(step s) { steps_.push_back(s); }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return rows.bytes() + parents_.size() * sizeof(state_id) + steps_.size() * sizeof(step) +
           first_.size() * sizeof(std::size_t);
  }

 private:
  std::vector<state_id> parents_;
  std::vector<step> steps_;
  std::vector<std::size_t> first_;
  state_id initial_ = 0;
};

}  // namespace halfopen::check
