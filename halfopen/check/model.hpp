#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace halfopen::check {

/// One cell of a state. What it means is the model's affair; equal states are equal word for word.
using word = std::uint64_t;
using row = std::span<word const>;

/// States are numbered from 0 in the order in which they were found, which is breadth first.
using state_id = std::uint32_t;
inline constexpr state_id no_state = ~state_id{0};

/// Which action made a step. The model numbers its actions and tells their names.
using action_id = std::uint32_t;
inline constexpr action_id no_action = ~action_id{0};

/// Takes what a model produces. The row is copied; it need not outlive the call.
class sink {
 public:
  virtual void operator()(row state, action_id by) = 0;

 protected:
  ~sink() = default;
};

/// Gives words a form that outlives the process.
class word_writer {
 public:
  virtual ~word_writer() = default;
  [[nodiscard]] virtual word written(word w) = 0;
  /// What another process needs to read all that was written.
  [[nodiscard]] virtual std::vector<word> legend() = 0;
};
using word_reader = std::function<word(word)>;

/// What a model is: a few questions about states.
///
/// The engine asks, the model answers; a model keeps no state between questions that changes an answer.
/// A model that cannot answer throws `cannot_evaluate`.
/// Properties are numbered from 0; `nothing_broken` means that all of them hold.
class model {
 public:
  static constexpr int nothing_broken = -1;

  virtual ~model() = default;

  [[nodiscard]] virtual std::size_t width() const = 0;  // words in a state
  /// The same model for another thread: answers as this one does while this one is asked too. Null: there is
  /// none, because answers depend on what was asked before (chance, registers, output). Called on the other
  /// thread, several at once.
  [[nodiscard]] virtual std::unique_ptr<model> another() { return nullptr; }
  /// Nobody asks anything of this model or of others made from it until this returns.
  virtual void at_rest() {}
  /// Memory beside the states that grows with the search, of this model and all made from it.
  [[nodiscard]] virtual std::size_t bytes() const { return 0; }

  /// How words are written to a checkpoint and read again. None: they mean the same in every process. A
  /// reader throws checkpoint_refused for what its legend does not explain.
  [[nodiscard]] virtual std::unique_ptr<word_writer> writes_words() { return nullptr; }
  [[nodiscard]] virtual word_reader reads_words(std::span<word const>) { return {}; }

  /// How many states the ways to the states asked about next have: 0 before `initial`, else those passed to
  /// `next`.
  virtual void at_level(std::uint32_t) {}
  /// A random walk begins: what the model draws itself (RandomElement) comes from this seed.
  virtual void begin_walk(std::uint64_t) {}
  virtual void initial(sink& to) = 0;
  virtual void next(row from, sink& to) = 0;

  /// The first invariant that does not hold in `state`.
  [[nodiscard]] virtual int broken_invariant(row state) = 0;
  /// The first property of steps that the step breaks (TLA+: [][A]_v).
  [[nodiscard]] virtual int broken_step(row, row) { return nothing_broken; }
  /// Whether the search goes on from `state` (CONSTRAINT), and over this step (ACTION_CONSTRAINT).
  [[nodiscard]] virtual bool within(row) { return true; }
  [[nodiscard]] virtual bool within(row, row) { return true; }

  /// What makes two states the same, where that is not the state itself (VIEW, SYMMETRY).
  [[nodiscard]] virtual std::size_t key_width() const { return width(); }
  [[nodiscard]] virtual bool has_key() const { return false; }
  virtual void key(row, std::span<word>) {}

  [[nodiscard]] virtual std::string action_name(action_id) const = 0;
  /// The same with the action's arguments, where the model knows them.
  [[nodiscard]] virtual std::string step_name(row, row, action_id by) { return action_name(by); }
  [[nodiscard]] virtual std::string invariant_name(int) const = 0;
  [[nodiscard]] virtual std::string step_property_name(int) const { return {}; }
  /// The state as a person reads it: one "variable = value" a line.
  [[nodiscard]] virtual std::string show(row state) const = 0;
  /// The same where the next state of a trace is known, or is `state` again at its end.
  [[nodiscard]] virtual std::string show_in_trace(row state, row) { return show(state); }
};

/// Thrown by a model that has no answer: the search ends with the way to the state it was asked about.
struct cannot_evaluate {
  std::string why;
};

}  // namespace halfopen::check
