#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <halfopen/check/explore.hpp>
#include <halfopen/check/graph.hpp>
#include <halfopen/check/model.hpp>
#include <halfopen/check/row_index.hpp>

namespace halfopen::check {

/// States that follow each other and are expanded by one thread, and where it has put what came of them.
struct chunk {
  std::uint32_t number = 0;  // in the round
  state_id first = 0, last = 0;
  unsigned by = 0;  // the expander
  std::size_t found_begin = 0, found_end = 0;
  std::size_t steps_begin = 0, steps_end = 0;
  std::size_t parents_begin = 0;  // in expander::steps_of
  std::uint32_t generated = 0;

  // Known when the round has come so far:
  state_id first_id = 0;       // of the first state that is new in it
  std::size_t first_step = 0;  // in the graph
};

/// A successor that no earlier round has found.
struct candidate {
  std::uint64_t hash;
  state_id from;
  std::uint32_t ordinal;  // among the successors of its chunk
  action_id by;
};

/// What ends a search. Of several in a round the first counts, in the order in which one thread alone would
/// have met them: so neither luck nor the number of threads decides what is reported.
struct ending {
  enum class stage : std::uint8_t { found, checked, stepped, left };
  struct place {
    std::uint32_t chunk;
    state_id from;
    std::uint32_t generated;  // in the chunk until then
    stage at;
    friend auto operator<=>(place const&, place const&) = default;
  };

  place where{};
  verdict found = verdict::holds;
  int property = model::nothing_broken;
  std::string message{};
  std::optional<trace_step> to{};  // the step that went wrong; else it is the state `from`
};

/// What one thread of a search does: asks its model for successors and sorts out those that are known.
class expander final : sink {
 public:
  /// A step to keep. Those to states that are not known are in the order of the candidates.
  struct kept_step {
    state_id to;  // if it is known
    action_id by;
    bool known;
  };

  expander(unsigned number, model& m, graph const& g, row_index const& index, options const& how);

  void begin_round();
  void expand(chunk& c);
  void expand_initial(chunk& c);
  /// Checks a state that is new. False: the search ends.
  bool check(chunk const& c, candidate const& n, row state);
  void ends(ending e) {
    if (!end_ || e.where < end_->where) end_ = std::move(e);
  }

  [[nodiscard]] model& asked() noexcept { return model_; }
  [[nodiscard]] std::optional<ending>& end() noexcept { return end_; }
  [[nodiscard]] std::vector<candidate> const& found() const noexcept { return found_; }
  [[nodiscard]] row state(std::size_t i) const noexcept { return {rows_.data() + i * width_, width_}; }
  [[nodiscard]] row key(std::size_t i) const noexcept {
    return has_key_ ? row{keys_.data() + i * key_width_, key_width_} : state(i);
  }
  [[nodiscard]] std::uint32_t found_in(std::uint32_t part) const noexcept { return in_part_[part]; }
  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] std::size_t held_bytes() const noexcept {  // this round
    return found_.size() * sizeof(candidate) + (rows_.size() + keys_.size()) * sizeof(word) +
           steps_.size() * sizeof(kept_step);
  }

  [[nodiscard]] kept_step kept(std::size_t i) const noexcept { return steps_[i]; }
  [[nodiscard]] std::uint32_t steps_of(std::size_t parent) const noexcept { return steps_of_[parent]; }

 private:
  void operator()(row state, action_id by) override;
  void note(row state, action_id by);
  void sort_out();
  void stop(ending::stage at, verdict v, int property, std::string why, std::optional<trace_step> to = {});
  template <class Question>
  void at(chunk& c, Question ask);

  unsigned number_;
  model& model_;
  graph const& graph_;
  row_index const& index_;
  options const& how_;
  std::size_t width_, key_width_;
  bool has_key_;

  chunk* chunk_ = nullptr;
  state_id from_ = no_state;
  std::vector<candidate> found_;
  std::vector<word> rows_, keys_;  // of `found_`, one after the other
  std::size_t sorted_ = 0;         // so many of `found_` are known to be new
  std::size_t steps_sorted_ = 0;
  std::vector<kept_step> steps_;
  std::vector<std::uint32_t> steps_of_;
  std::array<std::uint32_t, row_index::parts> in_part_{};
  std::optional<ending> end_;
};

}  // namespace halfopen::check
