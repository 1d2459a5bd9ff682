#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <halfopen/check/model.hpp>
#include <halfopen/tla/observed.hpp>
#include <halfopen/tla/premises.hpp>
#include <halfopen/tla/problem.hpp>
#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {

/// A problem with the model that is known before any state is looked at.
struct refusal {
  enum class kind : std::uint8_t { config, semantic, evaluation, assumption };
  kind what = kind::config;
  std::string message{};  // with its place
};

/// A TLA+ spec with a configuration, as a model that halfopen/check explores. A state is a value a variable.
///
/// Threads: one. Code keeps what it has computed; `another` compiles the spec again for another thread, and
/// only the pool of values is common to both.
class model final : public check::model {
 public:
  /// Compiles everything that will be asked. Throws `refusal`.
  /// With `coverage`, parts of actions are counted, which costs time.
  model(spec const& s, binding const& b, std::size_t stack_bytes, bool coverage = false);
  ~model() override;

  /// Evaluates the ASSUMEs. Throws `refusal`.
  void check_assumptions();
  /// Whether answers depend on what was asked before: what is drawn, printed, or kept in registers.
  [[nodiscard]] bool depends_on_history() const noexcept { return alone_; }
  [[nodiscard]] bool has_behaviours() const noexcept { return next_ != nullptr; }

  [[nodiscard]] std::unique_ptr<check::model> another() override;
  void at_rest() override;
  [[nodiscard]] std::unique_ptr<check::word_writer> writes_words() override;
  [[nodiscard]] check::word_reader reads_words(std::span<check::word const> legend) override;
  [[nodiscard]] std::size_t bytes() const override { return pool_->bytes(); }
  [[nodiscard]] std::size_t width() const override { return width_; }
  void at_level(std::uint32_t n) override;
  void begin_walk(std::uint64_t seed) override { machine_.chance = random_stream{seed}; }
  void initial(check::sink& to) override;
  void next(check::row from, check::sink& to) override;
  [[nodiscard]] int broken_invariant(check::row state) override;
  [[nodiscard]] int broken_step(check::row from, check::row to) override;
  [[nodiscard]] bool within(check::row state) override;
  [[nodiscard]] bool within(check::row from, check::row to) override;
  [[nodiscard]] std::size_t key_width() const override { return view_ != nullptr ? 1 : width_; }
  [[nodiscard]] bool has_key() const override { return view_ != nullptr || !permutations_.empty(); }
  void key(check::row state, std::span<check::word> into) override;

  [[nodiscard]] std::string action_name(check::action_id a) const override;
  [[nodiscard]] std::string step_name(check::row from, check::row to, check::action_id by) override;
  [[nodiscard]] std::string invariant_name(int i) const override;
  [[nodiscard]] std::string step_property_name(int i) const override;
  [[nodiscard]] std::string show(check::row state) const override;
  [[nodiscard]] std::string show_in_trace(check::row state, check::row next) override;

  [[nodiscard]] std::vector<trace_variable> variables(check::row state) const;
  /// The same as data: the variables of a state in a trace, or the fields of the ALIAS.
  [[nodiscard]] std::vector<trace_variable> shown(check::row state, check::row next);
  struct labelled_step {
    std::string name;   // with the action's arguments
    std::string place;  // file:line:column
  };
  [[nodiscard]] labelled_step step(check::row from, check::row to, check::action_id by);

  /// Whether what `broken_invariant` returned is part of a PROPERTY about initial states.
  [[nodiscard]] bool is_initial_property(int i) const noexcept {
    return i >= static_cast<int>(invariants_.size());
  }
  /// The first POSTCONDITION that does not hold at the end; empty if all do.
  [[nodiscard]] std::string broken_postcondition();

  /// What has been seen until now, by this model and by those for other threads that are no more.
  [[nodiscard]] observed seen() const;
  /// The left sides of => in invariants, as far as they can be asked alone; `premise_true` of `observed`.
  [[nodiscard]] std::vector<premise> const& premises() const noexcept { return premises_; }

  [[nodiscard]] std::vector<located> const& temporal_properties() const noexcept { return demand_.temporal; }
  [[nodiscard]] behaviour const& assumed() const noexcept { return behaviour_; }
  [[nodiscard]] compiler& compiled_by() noexcept { return compiler_; }
  [[nodiscard]] machine& on() noexcept { return machine_; }
  [[nodiscard]] formula_splitter& splitter() noexcept { return splitter_; }
  [[nodiscard]] bool has_symmetry_or_view() const noexcept { return has_key(); }

  /// Looks at a state (and a next one); returns what `ask` does. Errors become cannot_evaluate.
  template <class Ask>
  auto asked(std::string const& about, check::row state, check::row next, Ask ask) {
    enter(state, next);
    try {
      return ask();
    } catch (value_error const& e) {
      machine_.frame = frame_;
      throw check::cannot_evaluate{located_message(about, e.what)};
    }
  }
  void clear_next() { std::ranges::fill(next_row_, value{}); }
  [[nodiscard]] std::string place(expr const* e) const;
  /// What has been printed since it was last asked.
  [[nodiscard]] std::string take_output() { return std::exchange(machine_.printed, {}); }
  [[nodiscard]] std::vector<std::string> const& warnings() const noexcept { return warnings_; }
  void set_statistics(std::array<std::uint64_t, 4> s) noexcept { machine_.statistics = s; }

 private:
  model(spec const& s, binding const& b, std::size_t stack_bytes, bool coverage,
        std::shared_ptr<value_pool> pool);

  struct predicate {
    std::string name;
    code const* run = nullptr;
    expr const* at = nullptr;
    located formula{};
  };

  void compile_behaviour();
  void compile_properties();
  void compile_symmetry();
  std::string constants_in(expr const& e);
  void compile_premises();
  void note_changes();
  void note_premises();
  predicate compiled(located const& l, bool primes);
  predicate compiled(goal const& g);
  std::pair<expr const*, scope> goal_formula(goal const& g);
  void enter(check::row state, check::row next);
  void reset();
  [[nodiscard]] bool holds(predicate const& p, char const* what);
  [[nodiscard]] std::string located_message(std::string const& about, std::string const& what) const;
  static constexpr std::uint32_t unmoved = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t orbit(value v);
  [[nodiscard]] value rebuilt(value v, std::vector<value> parts, std::size_t permutation);
  [[noreturn]] void unassigned(bool init);
  void deliver(check::sink& to);

  spec const& spec_;
  binding const& binding_;
  std::shared_ptr<value_pool> pool_;
  compiler compiler_;
  machine machine_;
  formula_splitter splitter_;
  std::size_t width_;
  std::size_t stack_bytes_;
  bool coverage_;
  bool alone_ = false;  // answers depend on what was asked before

  behaviour behaviour_;
  demand demand_;
  act const* init_ = nullptr;
  act const* next_ = nullptr;
  std::vector<predicate> invariants_, initial_properties_, steps_, constraints_, action_constraints_,
      postconditions_;
  code const* view_ = nullptr;
  code const* alias_ = nullptr;
  std::vector<std::unordered_map<std::uint64_t, value>> permutations_;  // of model values
  std::unordered_map<std::uint64_t, std::uint32_t> orbit_of_;
  std::vector<value> orbits_;  // one value for each permutation, from each place on

  std::vector<value> now_, next_row_;
  std::vector<check::word> found_;  // rows that the running action has produced, one after the other
  std::vector<check::action_id> found_by_;
  std::function<void()> on_found_;

  observed seen_;
  struct seen_by_others {
    std::mutex mutex;
    observed all;
  };
  std::shared_ptr<seen_by_others> others_ = std::make_shared<seen_by_others>();  // common to all threads
  std::vector<premise> premises_;
  std::vector<code const*> premise_code_;
  std::vector<std::uint32_t> same_yet_;   // variables that no step has changed
  std::vector<std::uint32_t> false_yet_;  // premises that were never true
  value* frame_ = nullptr;
  std::uint32_t level_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace halfopen::tla
