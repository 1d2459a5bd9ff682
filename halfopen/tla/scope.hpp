#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <halfopen/tla/machine.hpp>
#include <halfopen/tla/spec.hpp>

/// What the compiler knows about a place in the text while it compiles it.
namespace halfopen::tla {

/// What a piece of code looks at. What looks at nothing is computed once.
struct needs {
  bool now = false;                    // the current state
  bool next = false;                   // the next one; in Init, the state being built
  bool random = false;                 // drawn on each use; once in the definition of a constant
  bool anything = false;               // registers, output, files: never computed once
  std::vector<std::uint32_t> slots{};  // sorted

  [[nodiscard]] bool nothing() const noexcept {
    return !now && !next && !random && !anything && slots.empty();
  }
  void add(needs const& other);
  void add_slot(std::uint32_t slot);
  void drop_slot(std::uint32_t slot);
};

struct piece {
  code const* run = nullptr;
  needs on{};
};

/// Where a module's names get their meaning: a chain of INSTANCEs, innermost first. Null at the root.
struct context;
struct environment;
struct replacement;

/// How many slots a frame has so far. Each call of a recursive operator has a frame of its own.
struct numbering {
  std::uint32_t used = 0;
  std::uint32_t take() noexcept { return used++; }
};

struct scope {
  /// These names as they are used at `use`: its frame, and the states that are read there.
  [[nodiscard]] scope used_at(scope const& use) const;
  /// The same for an argument, which was written where another state may be read.
  [[nodiscard]] scope argument_at(scope const& use) const;

  context const* where = nullptr;
  environment const* names = nullptr;
  numbering* slots = nullptr;
  module const* owner = nullptr;  // of the definition that is being compiled
  bool primed = false;            // variables are read from the next state
  bool init = false;              // an initial predicate: `x = e` gives x its value
  std::uint32_t world = 0;  // the second action of A \cdot B starts from another state than what is outside
  bool enabled = false;     // inside ENABLED: an instance's own variables have next values of their own
};

struct context {
  context const* parent;
  instance const* of;
  scope outside;  // where WITH's expressions and the parameters' arguments mean something
};

/// What a bound name, a parameter or a LET definition means. A list, innermost first.
struct environment {
  enum class sort : std::uint8_t {
    slot,   // a value in the frame
    thunk,  // a value in the frame, or where to get it: a parameter of a recursive operator
    lazy,   // computed into the frame on first use
    alias,  // stands for an expression, looked at again on each use
    ready,  // stands for code that costs nothing to run again
    op,     // an operator: a definition, a LAMBDA or a constant operator, with its scope
    let     // a LET definition, with the scope of its LET
  };
  sort what;
  binder const* name = nullptr;
  definition const* def = nullptr;
  std::uint32_t slot = 0;
  expr const* e = nullptr;
  scope in{};
  piece run{};
  std::uint32_t mark = 0;  // op, let: slots of the frame that it can see
  environment const* rest = nullptr;
};

/// What an application applies.
struct callee {
  definition const* def = nullptr;
  expr const* lambda = nullptr;
  declaration const* constant = nullptr;
  scope in{};  // of the operator's body, without its parameters
  std::uint32_t mark = 0;
  replacement const* replaced = nullptr;
};

/// What an INSTANCE puts in place of a declared name.
struct substituted {
  expr const* by = nullptr;
  scope in{};
  context const* from = nullptr;
};

/// One `x \in S` or `<<x, y>> \in S` of a quantifier; `x, y \in S` makes two.
struct loop {
  piece set;
  std::vector<std::uint32_t> slots;
  bool tuple = false;
  expr const* at = nullptr;
};

/// `x \in S` alone, which most loops are: what it runs over is looked at once, and each element goes to its
/// slot.
struct simple_loop {
  code const* set;
  std::uint32_t slot;
  expr const* at;

  explicit simple_loop(loop const& l) : set{l.set.run}, slot{l.slots.front()}, at{l.at} {}
  static bool fits(std::vector<loop> const& all) { return all.size() == 1 && !all[0].tuple; }
  [[nodiscard]] value elements(machine& m) const {
    auto const v = set->run(m);
    m.at = at;
    if (!is_set(v)) [[unlikely]]
      fail(m, *at, "a set is wanted here, not " + m.v.described(v));
    return v;
  }
};

/// A body with a frame of its own: a recursive operator or function, or a constant's value.
struct unit {
  piece body{};
  std::uint32_t copied = 0;             // slots of the enclosing frame that the body sees
  std::vector<std::uint32_t> params{};  // an operator's
  std::vector<loop> loops{};            // a function's
  numbering slots{};
  bool compiled = false;
  bool remembers = false;  // a function that depends on nothing but its argument
  mutable std::unordered_map<std::uint64_t, value> memo{};
};

/// An argument of a call; what is cheap is computed at once.
struct call_argument {
  code const* run = nullptr;
  bool cheap = false;
};

/// A recursive operator that is an action.
struct action_unit {
  struct way_back {
    act const* then;
    value* frame;  // the caller's
    way_back const* outer;
  };
  unit frame{};
  act const* body = nullptr;
  way_back const* back = nullptr;  // of the innermost call whose end has not been reached
};

/// An action as counterexamples name it.
struct action_label {
  std::string name;
  expr const* at = nullptr;
  std::vector<code const*> args{};
  bool has_steps = false;  // else every step has the name of an action inside of it
};

/// What the compiler does not support, or finds wrong. Reported with its place.
struct compile_error {
  std::string what;
  expr const* at = nullptr;
  bool fatal = false;  // else it is told when the expression is evaluated, if it ever is
};

}  // namespace halfopen::tla
