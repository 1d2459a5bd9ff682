#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include <halfopen/tla/source.hpp>

/// What the parser leaves behind: shapes and names, before anybody has asked what a name means.
namespace halfopen::tla {

enum class syntax_kind : std::uint8_t {
  // Expressions. `text` is given in brackets, then the children.
  number,         // [digits]
  decimal,        // [digits]
  string,         // [with quotes]
  at_sign,        //
  reference,      // segments: I(a)!Op(b) has two
  segment,        // [name, or one of  1 2 ...  <<  >>  @  : , or empty for "!(a)"] arguments
  operator_name,  // [+] an operator symbol that stands where an argument stands
  prefix,         // [op] operand
  infix,          // [op] left, right
  postfix,        // [op] operand
  list,           // [/\ or \/] bullets
  tuple,          // elements
  set_of,         // elements
  set_filter,     // bound, predicate
  set_map,        // element, bounds
  function,       // bounds, value
  function_set,   // domain, range
  record,         // fields
  record_set,     // fields
  field,          // [name] value
  product,        // factors
  except,         // function, updates
  update,         // selectors, value
  index,          // function, arguments
  dot,            // [name] record
  square,         // action, subscript
  angle,          // action, subscript
  fair,           // [WF_ or SF_] action, subscript
  quantifier,     // [\A \E \AA \EE] bounds, body
  choose,         // bound, predicate
  bound,          // [" << " for a tuple] names, then the set if `has_set`
  if_then_else,   // test, then, else
  case_of,        // arms
  arm,            // test (absent for OTHER), value
  let,            // units, body
  lambda,         // parameters, body
  label,          // [name] parameters, expression
  name,           // [name] a name that is being introduced

  // Units
  constants,            // parameters
  variables,            // names
  recursive,            // parameters
  parameter,            // [name] `count` is its arity
  definition,           // [name] parameters, body
  function_definition,  // [name] bounds, body
  instance_definition,  // [name] parameters, instance
  instance,             // [module] substitutions
  substitution,         // [name] expression
  assumption,           // [name, may be empty] expression
  theorem,              // [name, may be empty] statement, unless it is ASSUME ... PROVE; the proof is dropped
  module,               // [name] units; `extends` are `name` children before the units, `count` of them
};

struct syntax_node {
  syntax_kind kind = syntax_kind::name;
  bool bracketed = false;  // an expression in round brackets
  bool has_set = false;    // bound
  bool local = false;      // unit
  std::uint32_t count = 0;
  std::uint32_t depth = 1;  // of the tree from here down
  std::string_view text;
  std::vector<syntax_node*> kids;
  source_position begin;
  source_position end;
  source_position at;  // of the operator or name that gives the node its meaning
};

/// Owns the nodes of any number of files.
using syntax_arena = std::deque<syntax_node>;

}  // namespace halfopen::tla
