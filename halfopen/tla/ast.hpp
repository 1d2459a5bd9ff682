#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <halfopen/tla/primitive.hpp>
#include <halfopen/tla/source.hpp>

/// The tree that parsing and name resolution leave behind. Every name is a pointer by then: an evaluator
/// never looks one up. Nodes are owned by `spec` (spec.hpp), never change after `load`, and may be shared by
/// several parents. How an evaluator should walk the tree: halfopen/tla/README.md, "Walking the tree".
namespace halfopen::tla {

struct expr;
struct definition;
struct declaration;
struct instance;
struct module;

enum class level : std::uint8_t { constant, state, action, temporal };

/// A name that a quantifier, a parameter list, a LAMBDA, a function literal or an EXCEPT's @ introduces.
struct binder {
  std::string_view name;  // "@" for the old value in an EXCEPT
  std::uint32_t arity = 0;
  std::uint32_t slot = 0;  // unique within the outermost definition; < definition::frame_size
  source_range range;
};

/// `x, y \in S` (each name ranges over S), or `<<x, y>> \in S` (tuple), or `x` alone (set == nullptr).
struct bound {
  std::vector<binder const*> names;
  bool tuple = false;
  expr const* set = nullptr;
};

/// One step through an instance on the way to a name: `I(a)!` in `I(a)!Op(b)`; also the invisible step to a
/// name that an unnamed INSTANCE brought in.
struct instance_use {
  instance const* of = nullptr;
  std::vector<expr const*> args;  // of a parametrised instance
};

enum class expr_kind : std::uint8_t {
  number,   // number
  decimal,  // text ("3.14": parsed, has no value here)
  string,   // text, escapes already replaced

  // References. With args where an operator is applied.
  bound_name,     // bind, args: F(x) where F is an operator parameter
  declared,       // decl, args: a CONSTANT (of any arity) or a VARIABLE
  apply,          // def, through, args
  operator_name,  // an operator given as an argument, not applied: one of bind, decl, def (+ through)
  lambda,         // bounds[0].names, args = [body]; stands only where an operator argument stands

  // Logic
  forall,  // bounds, args = [body]
  exists,
  temporal_forall,  // \AA, \EE: bounds[0].names, args = [body]
  temporal_exists,
  choose,        // bounds (one; set may be null), args = [predicate]
  if_then_else,  // args = [test, then, else]
  case_of,       // args = [test, value, test, value, ..., other]: an odd count ends with OTHER's value
  let,           // lets, args = [body]

  // Data
  tuple,         // args
  set_of,        // args: {a, b, c}
  set_filter,    // bounds (one), args = [predicate]: {x \in S : p}
  set_map,       // bounds, args = [element]: {e : x \in S}
  function,      // bounds, args = [value]: [x \in S |-> e]; several names: the domain is a product
  function_set,  // args = [domain, range]
  record,        // names, args
  record_set,    // names, args
  product,       // args (two or more): S \X T \X U is flat
  index,         // args = [function, argument]: f[x]; f[x, y] has a tuple as argument; r.a has the string "a"
  except,        // args = [function], updates

  // Actions and behaviours
  square,       // args = [A, v]: [A]_v
  angle,        // args = [A, v]: <A>_v
  weak_fair,    // args = [A, v]: WF_v(A)
  strong_fair,  // args = [A, v]

  invalid,  // a place holder where parsing found an error; never in a spec that `load` returns
};

/// `!.a[i] = e` in an EXCEPT. Updates apply from left to right.
struct except_update {
  std::vector<expr const*> path;  // at least one; `.a` is the string "a", `[i, j]` is a tuple
  binder const* at = nullptr;     // bound in `value` to the old value at `path`; null where @ is not used
  expr const* value = nullptr;
  source_range range;
};

struct expr {
  expr_kind kind = expr_kind::invalid;
  tla::level level = tla::level::constant;
  std::int64_t number = 0;
  std::string_view text;
  source_range range;
  std::vector<expr const*> args;

  definition const* def = nullptr;
  declaration const* decl = nullptr;
  binder const* bind = nullptr;
  std::vector<instance_use> through;  // outermost first

  std::vector<bound> bounds;
  std::vector<definition const*> lets;
  std::vector<std::string_view> names;
  std::vector<except_update> updates;
};

/// `Op(a, F(_)) == body`, `f[x \in S] == e`, a LET definition, a named assumption, or a primitive (body ==
/// nullptr).
struct definition {
  std::string_view name;  // "Op", "+", "-.", "Def!2" for a named part of a definition
  module const* owner = nullptr;
  definition const* outer = nullptr;  // LET: the definition it stands in
  source_range range;                 // the whole definition
  source_range name_range;
  std::vector<binder const*> params;
  expr const* body = nullptr;
  tla::primitive primitive = tla::primitive::none;
  bool local = false;
  bool recursive = false;    // declared RECURSIVE, or a function that uses itself
  bool is_function = false;  // f[x \in S] == e: no params, and body is a `function` node
  std::uint32_t frame_size =
      0;  // slots of all binders inside, LETs and LAMBDAs included; 0 for a LET definition
  tla::level level = tla::level::constant;

  [[nodiscard]] std::size_t arity() const noexcept { return params.size(); }
};

/// A CONSTANT or a VARIABLE.
struct declaration {
  enum class sort : std::uint8_t { constant, variable };
  std::string_view name;
  sort what = sort::constant;
  std::uint32_t arity = 0;
  std::uint32_t index =
      0;  // its place among the root module's constants or variables; no meaning for other modules'
  module const* owner = nullptr;
  source_range range;
};

/// `I(p) == INSTANCE M WITH a <- e`. Complete: what WITH leaves out is filled with the name of the place of
/// INSTANCE.
struct instance {
  struct substitution {
    declaration const* what = nullptr;
    expr const* by =
        nullptr;  // in the scope of the INSTANCE; operator_name or lambda for an operator constant
  };
  std::string_view name;  // empty for an unnamed INSTANCE
  module const* of = nullptr;
  module const* owner = nullptr;
  definition const* outer = nullptr;  // LET: the definition it stands in
  std::vector<binder const*> params;
  std::vector<substitution> with;
  std::uint32_t frame_size = 0;  // slots of params and of all binders in `with`; 0 for an instance in a LET
  bool local = false;
  source_range range;
};

struct assumption {
  std::string_view name;            // may be empty
  definition const* def = nullptr;  // body is the assumption; also where it has no name
  source_range range;
};

/// A module after resolution. Lists hold what EXTENDS brings in first, then the module's own, in the order of
/// the text.
struct module {
  std::string_view name;
  source_file const* file = nullptr;
  module const* outer = nullptr;  // an inner module's
  bool standard = false;          // built in
  source_range range;
  std::vector<module const*> extends;
  std::vector<declaration const*> constants;
  std::vector<declaration const*> variables;
  std::vector<definition const*> definitions;
  std::vector<instance const*> instances;
  std::vector<assumption> assumptions;
};

}  // namespace halfopen::tla
