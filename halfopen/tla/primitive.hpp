#pragma once

#include <cstdint>

namespace halfopen::tla {

/// An operator whose meaning is not written in TLA+: the language's own, and those of the standard modules.
///
/// Each is the `primitive` of exactly one definition, so `apply` nodes look the same for `x = y`, `x + y` and
/// `Op(x, y)`, and a configuration can replace `+` or `Nat` as it replaces any other definition.
enum class primitive : std::uint8_t {
  none,  // an ordinary definition: see definition::body

  // The language. Conjunction and disjunction take one or more arguments: `a /\ b /\ c` and a bulleted list
  // alike.
  true_,
  false_,
  boolean,
  string,
  conjunction,
  disjunction,
  negation,
  implication,
  equivalence,
  equal,
  not_equal,
  in,
  not_in,
  subset_or_equal,
  cup,
  cap,
  set_minus,
  power_set,
  big_union,
  domain,
  prime,
  unchanged,
  enabled,
  compose,  // '  UNCHANGED  ENABLED  \cdot
  always,
  eventually,
  leads_to,
  guarantee,  // []  <>  ~>  -+->

  // Naturals, Integers, Reals
  plus,
  minus,
  times,
  power,
  quotient,
  remainder,  // +  -  *  ^  \div  %
  less,
  less_equal,
  greater,
  greater_equal,
  interval,
  nat,
  int_,
  negative,
  real,
  divide,
  infinity,  // Nat  Int  -.  Real  /  Infinity

  // Sequences
  seq,
  len,
  concat,
  append,
  head,
  tail,
  sub_seq,
  select_seq,

  // FiniteSets
  is_finite_set,
  cardinality,

  // TLC
  print,
  print_t,
  assert_,
  java_time,
  tlc_get,
  tlc_set,
  map_to,
  merge,
  permutations,
  sort_seq,
  random_element,
  any,
  to_string,
  tlc_eval,  // map_to: :>   merge: @@

  // TLCExt
  assert_eq,
  assert_error,
  trace,
  tlc_model_value,
  tlc_cache,
  tlc_defer,
  pick_successor,

  // Randomization
  random_subset,
  random_set_of_subsets,
  random_subset_set,
  test_random_set_of_subsets,

  // Json, IOUtils, CSV
  to_json,
  to_json_array,
  to_json_object,
  json_serialize,
  json_deserialize,
  nd_json_serialize,
  nd_json_deserialize,
  io_serialize,
  io_deserialize,
  io_exec,
  io_env_exec,
  io_exec_template,
  io_env_exec_template,
  io_env,
  serialize,
  deserialize,
  atoi,
  zero_pad_n,
  csv_write,
  csv_records,
  csv_read,

  // Bitwise
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_right,

  // A standard or community operator that is known by name and arity but cannot be evaluated.
  unsupported,
};

}  // namespace halfopen::tla
