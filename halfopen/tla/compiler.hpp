#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <halfopen/tla/config.hpp>
#include <halfopen/tla/machine.hpp>
#include <halfopen/tla/observed.hpp>
#include <halfopen/tla/scope.hpp>

namespace halfopen::tla {

/// Turns the tree into code that runs on a machine.
///
/// Operators are expanded where they are used, with arguments computed at most once; recursive ones are
/// called. Code is good for one thread: it keeps what it has computed.
class compiler {
 public:
  compiler(spec const& s, binding const& b, value_pool& pool);
  ~compiler();

  [[nodiscard]] piece expression(expr const& e, scope const& in);
  [[nodiscard]] act const* action(expr const& e, scope const& in, act const* then);
  /// An action whose disjuncts get labels; what has none is called `name`.
  [[nodiscard]] act const* labelled_action(expr const& e, scope const& in, std::string name, act const* then);

  /// Counts from now on what is compiled as part of an action; null: no more.
  void count_in(part_counts* counts) noexcept { counting_ = counts; }

  [[nodiscard]] scope root();
  /// The body of what a symbol names, and where it means something.
  [[nodiscard]] std::pair<expr const*, scope> body_of(symbol const& s);
  /// What `e` stands for, if it is a name or applies a definition that is not recursive; else `e`. Arguments
  /// are not computed.
  [[nodiscard]] std::pair<expr const*, scope> seen_as(expr const& e, scope const& in);
  [[nodiscard]] scope with_open_lets(expr const& let, scope in);  // no definition is computed
  /// Whether <<A>>_v could happen: `fairness` is the WF_v(A) or SF_v(A).
  [[nodiscard]] piece enabled_step(expr const& fairness, scope const& in);
  [[nodiscard]] piece taken_step(expr const& fairness, scope const& in);  // whether a step is one of <<A>>_v
  /// Null if the step speaks of next values of what an INSTANCE substitutes: then no run can find them.
  [[nodiscard]] act const* step_of(expr const& fairness, scope const& in, act const* then);
  [[nodiscard]] scope with_value(scope in, binder const& name, value v);
  /// Puts the definitions of a LET into scope. `resets`: slots to empty whenever the LET is entered.
  [[nodiscard]] scope with_lets(expr const& let, scope in, std::vector<std::uint32_t>& resets, bool action);
  [[nodiscard]] std::vector<action_label> const& labels() const noexcept { return labels_; }
  [[nodiscard]] std::uint32_t variable_count() const noexcept { return variables_; }
  /// Cells of a next state, with those that only ENABLED uses.
  [[nodiscard]] std::uint32_t row_size() const noexcept {
    return variables_ + static_cast<std::uint32_t>(own_.size());
  }
  [[nodiscard]] std::uint32_t frame_size() const noexcept { return slots_.used; }
  /// Whether something that was compiled prints, draws, or remembers beyond a state.
  [[nodiscard]] bool depends_on_history() const noexcept { return depends_on_history_; }
  [[nodiscard]] declaration const& variable(std::uint32_t i) const;
  [[nodiscard]] value value_of(config_value const& v);

  template <class F>
  [[nodiscard]] code const* make(F f) {
    struct from_lambda final : code {
      explicit from_lambda(F g) : f{std::move(g)} {}
      value run(machine& m) const override { return f(m); }
      mutable F f;  // may keep what it has computed
    };
    code_.push_back(std::make_unique<from_lambda>(std::move(f)));
    return code_.back().get();
  }
  template <class F>
  [[nodiscard]] act const* make_act(F f) {
    struct from_lambda final : act {
      explicit from_lambda(F g) : f{std::move(g)} {}
      bool run(machine& m) const override { return f(m); }
      mutable F f;
    };
    acts_.push_back(std::make_unique<from_lambda>(std::move(f)));
    return acts_.back().get();
  }
  [[nodiscard]] piece literal(value v);

 private:
  // compile_expression.cpp
  piece raw(expr const& e, scope const& in);
  piece once(piece p, expr const& e);
  piece if_then_else(expr const& e, scope const& in);
  piece case_of(expr const& e, scope const& in);
  piece square_or_angle(expr const& e, scope const& in);
  // compile_let.cpp
  piece let(expr const& e, scope const& in);

  // compile_name.cpp
  piece name(expr const& e, scope const& in);
  piece read(environment const& n, expr const& e, scope const& in);
  piece declared(expr const& e, scope const& in);
  piece variable_read(expr const& e, scope const& in);
  piece next_read(expr const& e, std::uint32_t i, scope const& in);
  std::pair<expr const*, scope> seen_through(expr const& e, scope const& in);
  environment const* bind(environment entry, environment const* rest);
  scope with_slot(scope in, binder const& name, std::uint32_t slot);
  static environment const* find(binder const& b, scope const& in);
  environment const* lookup(binder const& b, scope const& in, expr const& at) const;
  bool is_cheap(piece const& p) const;
  piece cheap(piece p);  // notes that running it again costs nothing

  // compile_bound.cpp
  std::vector<loop> loops(std::vector<bound> const& bounds, scope& in, needs& on, expr const& at);
  static bool each(machine& m, std::vector<loop> const& all, function_ref<bool()> body);
  static void put(machine& m, loop const& l, value v);
  static void drop_slots(std::vector<loop> const& all, needs& on);
  piece quantifier(expr const& e, scope const& in);
  piece choose(expr const& e, scope const& in);

  // compile_set.cpp
  piece set_of(expr const& e, scope const& in);
  piece set_filter(expr const& e, scope const& in);
  piece set_map(expr const& e, scope const& in);
  // compile_membership.cpp
  piece membership(expr const& e, std::vector<expr const*> const& args, scope const& in, bool wanted);
  piece element_test(std::uint32_t slot, expr const& given, scope const& from);
  piece part_test(std::uint32_t part, expr const& set, scope const& in, needs& on);
  piece filter_test(std::uint32_t slot, expr const& e, scope const& in);
  piece function_test(std::uint32_t slot, expr const& e, scope const& in);
  piece fields_test(std::uint32_t slot, expr const& e, scope const& in);
  piece union_test(std::uint32_t slot, expr const& e, scope const& in);
  piece parts_test(std::uint32_t slot, expr const& e, scope const& in);

  // compile_function.cpp
  piece function(expr const& e, scope const& in);
  piece record(expr const& e, scope const& in);
  piece record_set(expr const& e, scope const& in);
  piece index(expr const& e, scope const& in);
  piece field(expr const& e, scope const& in);
  piece except(expr const& e, scope const& in);
  // compile_recursive_function.cpp
  piece function_as_call(callee const& t, expr const& whole, expr const& arg, scope const& use,
                         expr const& at);
  piece whole_function(callee const& t, scope const& use, expr const& at);
  static void enter_function(machine& m, std::vector<loop> const& all, value x, std::string_view name,
                             expr const& at);
  static value apply_unit(machine& m, unit const& u, value x, std::string_view name, expr const& at);

  // compile_primitive.cpp, compile_select.cpp
  piece primitive_op(expr const& e, tla::primitive p, std::vector<expr const*> const& args, scope const& in);
  piece strict(expr const& e, std::vector<expr const*> const& args, scope const& in,
               value (*f)(machine&, expr const&, std::span<value>));
  piece equality(expr const& e, std::vector<expr const*> const& args, scope const& in, bool wanted);
  piece logic(tla::primitive p, std::vector<expr const*> const& args, scope const& in);
  piece applied_to_slots(expr const& op, scope const& in, std::vector<std::uint32_t> const& slots);
  piece select_seq(expr const& e, std::vector<expr const*> const& args, scope const& in);
  piece sort_seq(expr const& e, std::vector<expr const*> const& args, scope const& in);
  // compile_arithmetic.cpp
  piece arithmetic(expr const& e, tla::primitive p, std::vector<expr const*> const& args, scope const& in);
  template <class F>
  piece of_integers(expr const& e, std::vector<expr const*> const& args, scope const& in,
                    value (*f)(machine&, expr const&, std::span<value>));
  // compile_enabled.cpp
  piece enabled_action(expr const& a, scope const& in);
  expr const& angle_of(expr const& fairness);
  std::uint32_t own_variable(declaration const& d, context const* c);

  // compile_resolve.cpp
  callee resolve(definition const& d, std::vector<instance_use> const& through, scope const& use);
  callee resolve_operator(expr const& e, scope const& in);
  callee resolve_constant(declaration const& d, scope const& in, expr const& at);
  static substituted substitution(declaration const& d, scope const& in);
  context const* enter(std::vector<instance_use> const& through, scope const& use, context const* from);
  replacement const* replaced(definition const& d, module const* user) const;
  callee replacement_target(replacement const& r);
  /// The computed value of a LET definition without parameters, if `e` names one.
  environment const* known_let(expr const& e, scope const& in) const;
  std::pair<expr const*, scope> applied(expr const& e, callee const& t, scope const& in);

  // compile_call.cpp
  piece call(callee const& t, std::vector<expr const*> const& args, scope const& use, expr const& at);
  piece call_constant(callee const& t, std::vector<expr const*> const& args, scope const& use,
                      expr const& at);
  piece once_per_state(piece p, expr const& e);
  piece drawn_once(definition const& d, scope const& in);
  piece expand(std::vector<binder const*> const& params, expr const& body, scope in,
               std::vector<expr const*> const& args, scope const& use);
  scope with_arguments(std::vector<binder const*> const& params, std::vector<expr const*> const& args,
                       scope body, scope const& use, std::vector<std::uint32_t>& resets, bool action);
  // compile_recursion.cpp
  piece in_own_frame(expr const& e, scope in, expr const& at);
  piece call_unit(callee const& t, std::vector<expr const*> const& args, scope const& use, expr const& at);
  act const* recursive_action(callee const& t, std::vector<expr const*> const& args, scope const& use,
                              expr const& at, act const* then);
  static std::uint32_t copied_slots(callee const& t, std::vector<environment const*> const& operators,
                                    scope const& use);
  scope with_parameters(unit& u, definition const& d, std::vector<environment const*> const& operators,
                        scope in);
  std::vector<call_argument> call_arguments(definition const& d, std::vector<expr const*> const& args,
                                            scope const& use, needs& on, expr const& at);
  unit& unit_for(callee const& t, std::vector<environment const*> const& operators, scope const& use);
  void compile_unit(unit& u, callee const& t, std::vector<environment const*> const& operators);
  std::vector<environment const*> operators_among(std::vector<binder const*> const& params,
                                                  std::vector<expr const*> const& args, scope const& use);

  // compile_action.cpp
  act const* action_raw(expr const& e, scope const& in, act const* then);
  act const* action_call(callee const& t, std::vector<expr const*> const& args, scope const& use,
                         expr const& at, act const* then);
  act const* action_primitive(expr const& e, tla::primitive p, std::vector<expr const*> const& args,
                              scope const& in, act const* then);
  act const* test(expr const& e, scope const& in, act const* then);
  act const* resetting(std::vector<std::uint32_t> slots, act const* body);
  act const* counted(expr const& e, scope const& in, act const* then);
  void note_step_without_name() noexcept { step_without_name_ |= on_spine_; }
  act const* labelled(definition const& d, scope const& body, act const* then);
  // compile_action_choice.cpp
  act const* exists_action(expr const& e, scope const& in, act const* then);
  act const* forall_action(expr const& e, scope const& in, act const* then);
  act const* case_action(expr const& e, scope const& in, act const* then);
  // compile_compose.cpp
  act const* composed(expr const& e, std::vector<expr const*> const& args, scope const& in, act const* then);
  // compile_assign.cpp
  act const* assign(expr const& e, std::uint32_t variable, expr const& to, scope const& in, act const* then);
  act const* assign_from(expr const& e, std::uint32_t variable, expr const& set, scope const& in,
                         act const* then);
  act const* unchanged(expr const& at, expr const& what, scope const& in, act const* then);
  std::int64_t variable_of(expr const& e, scope const& in);        // the variable that e stands for, or -1
  std::int64_t assigned_variable(expr const& e, scope const& in);  // ... that `e = ...` would assign

  spec const& spec_;
  binding const& binding_;
  values values_;
  std::uint32_t variables_ = 0;
  numbering slots_;

  std::vector<std::unique_ptr<code>> code_;
  std::vector<std::unique_ptr<act>> acts_;
  std::deque<environment> environments_;
  std::deque<context> contexts_;
  std::deque<unit> units_;
  std::deque<action_unit> action_units_;
  std::deque<numbering> numberings_;
  using unit_key =
      std::tuple<definition const*, context const*, environment const*, std::vector<environment const*>, int>;
  std::map<unit_key, unit*> units_by_key_;
  std::map<unit_key, action_unit*> action_units_by_key_;
  std::map<std::tuple<context const*, instance const*, environment const*>, context const*> known_contexts_;
  std::map<std::tuple<expr const*, definition const*, context const*, environment const*>, environment const*>
      known_operators_;
  std::map<std::tuple<definition const*, context const*, int, numbering const*>, piece> bodies_;
  std::map<std::pair<definition const*, context const*>, piece> drawn_;
  std::unordered_set<code const*> cheap_;
  std::unordered_map<declaration const*, piece> constant_values_;
  std::vector<action_label> labels_;
  std::deque<expr> reads_;  // of parameters, for labels
  std::deque<expr> made_;   // that stand nowhere in the text
  std::deque<binder> binders_;
  std::map<std::pair<declaration const*, context const*>, std::uint32_t> own_;  // next values inside ENABLED
  bool substituted_prime_ = false;
  std::uint32_t worlds_ = 0;
  bool depends_on_history_ = false;
  bool on_spine_ =
      false;  // still among the disjuncts of the next-state relation, where actions get their names
  bool step_without_name_ = false;  // in what is being compiled: such a step gets the name of what is around
  part_counts* counting_ = nullptr;
  int depth_ = 0;
};

}  // namespace halfopen::tla
