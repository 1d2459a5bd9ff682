#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <halfopen/base/random.hpp>

namespace halfopen::tla {

/// Writes small TLA+ expressions that mostly have a value: numbers, booleans, sets of numbers, sets of those,
/// sequences and functions, with every construct that takes them apart. For tests that hold two evaluators
/// against each other.
///
/// The same seed gives the same text, and so do the same bytes, which a fuzzer chooses: each is one choice,
/// and where they end the smallest expression is taken. Needs Integers, Sequences and FiniteSets.
class random_expression {
 public:
  explicit random_expression(std::uint64_t seed) noexcept : seed_{seed} {}
  explicit random_expression(std::span<std::uint8_t const> choices) noexcept
      : choices_{choices}, from_bytes_{true} {}

  std::string any(int depth) {
    switch (pick(5)) {
      case 0: return truth(depth);
      case 1: return number(depth);
      case 2: return set(depth);
      case 3: return sequence(depth);
      default: return function(depth);
    }
  }

  std::string truth(int d) {
    if (d <= 0) return pick(2) == 0 ? "TRUE" : "FALSE";
    switch (pick(19)) {
      case 0: return truth(0);
      case 1: return infix(truth(d - 1), "/\\", truth(d - 1));
      case 2: return infix(truth(d - 1), "\\/", truth(d - 1));
      case 3: return "(~" + truth(d - 1) + ")";
      case 4: return infix(truth(d - 1), "=>", truth(d - 1));
      case 5: return infix(truth(d - 1), "<=>", truth(d - 1));
      case 6: return infix(number(d - 1), one_of({"=", "#", "<", "<=", ">", ">="}), number(d - 1));
      case 7: return infix(set(d - 1), one_of({"=", "#", "\\subseteq"}), set(d - 1));
      case 8: return infix(number(d - 1), one_of({"\\in", "\\notin"}), set(d - 1));
      case 9: return infix(set(d - 1), one_of({"\\in", "\\notin"}), sets(d - 1));
      case 10: return infix(sequence(d - 1), "=", pick(2) == 0 ? sequence(d - 1) : function(d - 1));
      case 11: return quantifier("\\E", d);
      case 12: return quantifier("\\A", d);
      case 13: return infix(function(d - 1), "\\in", "[" + set(d - 1) + " -> " + set(d - 1) + "]");
      case 14: return "(IF " + truth(d - 1) + " THEN " + truth(d - 1) + " ELSE " + truth(d - 1) + ")";
      case 15:
        return infix("<<" + number(d - 1) + ", " + number(d - 1) + ">>", "\\in",
                     "(" + set(d - 1) + " \\X " + set(d - 1) + ")");
      case 16:
        return infix("[a |-> " + number(d - 1) + ", b |-> " + number(d - 1) + "]", "\\in",
                     "[b : " + set(d - 1) + ", a : " + set(d - 1) + "]");
      case 17: return two_bound("(" + one_of({"\\E", "\\A"}) + " ", d);
      default: return infix(sequence(d - 1), "\\in", "Seq(" + set(d - 1) + ")");
    }
  }

  std::string number(int d) {
    if (d <= 0)
      return !names_.empty() && pick(2) == 0 ? names_[pick(names_.size())] : std::to_string(pick(4));
    switch (pick(17)) {
      case 0: return number(0);
      case 1: return infix(number(d - 1), one_of({"+", "-", "*", "\\div", "%"}), number(d - 1));
      case 2: return "(-" + number(d - 1) + ")";
      case 3: return "(IF " + truth(d - 1) + " THEN " + number(d - 1) + " ELSE " + number(d - 1) + ")";
      case 4: return "Cardinality(" + (pick(2) == 0 ? set(d - 1) : sets(d - 1)) + ")";
      case 5: return "Len(" + sequence(d - 1) + ")";
      case 6: return "Head(" + sequence(d - 1) + ")";
      case 7: return sequence(d - 1) + "[" + number(d - 1) + "]";
      case 8: return function(d - 1) + "[" + number(d - 1) + "]";
      case 9: return bound("(CHOOSE ", " \\in " + set(d - 1) + " : ", d, &random_expression::truth, ")");
      case 10:
        return "(CASE " + truth(d - 1) + " -> " + number(d - 1) + " [] OTHER -> " + number(d - 1) + ")";
      case 11: return bound("(LET ", " == " + number(d - 1) + " IN ", d, &random_expression::number, ")");
      case 12: return "[a |-> " + number(d - 1) + ", b |-> " + number(d - 1) + "]." + one_of({"a", "b"});
      case 13: return called_recursively(d);
      case 14: return recursive_function(d);
      case 15: return applied_twice(d);
      default: return applied(d);
    }
  }

  std::string set(int d) {
    if (d <= 0) return one_of({"{}", "{1}", "{0, 2}", "1..3"});
    switch (pick(11)) {
      case 0: return set(0);
      case 1: return "{" + number(d - 1) + ", " + number(d - 1) + "}";
      case 2: return "(" + number(d - 1) + ".." + number(0) + ")";
      case 3: return infix(set(d - 1), one_of({"\\cup", "\\cap", "\\"}), set(d - 1));
      case 4: return bound("{", " \\in " + set(d - 1) + " : ", d, &random_expression::truth, "}");
      case 5: return mapped(d);
      case 6: return "(UNION " + sets(d - 1) + ")";
      case 7: return "(DOMAIN " + (pick(2) == 0 ? sequence(d - 1) : function(d - 1)) + ")";
      case 8: return "(IF " + truth(d - 1) + " THEN " + set(d - 1) + " ELSE " + set(d - 1) + ")";
      case 9: {
        auto const p = fresh();
        return "{" + p + "[1] + " + p + "[2] : " + p + " \\in " + set(d - 1) + " \\X " + set(d - 1) + "}";
      }
      default: {
        auto const g = fresh();
        return "{" + g + "[1] : " + g + " \\in [{1, 2} -> " + set(d - 1) + "]}";
      }
    }
  }

  std::string sets(int d) {
    if (d <= 0) return one_of({"{}", "{{}, {1}}", "SUBSET {1, 2}"});
    switch (pick(4)) {
      case 0: return "(SUBSET " + set(d - 2) + ")";
      case 1: return "{" + set(d - 1) + ", " + set(d - 1) + "}";
      case 2: return infix(sets(d - 1), one_of({"\\cup", "\\cap", "\\"}), sets(d - 1));
      default: {
        auto const z = fresh();
        return "{" + z + " \\in " + sets(d - 1) + " : Cardinality(" + z + ") < 2}";
      }
    }
  }

  std::string sequence(int d) {
    if (d <= 0) return one_of({"<<>>", "<<1, 2>>", "<<3>>"});
    switch (pick(8)) {
      case 0: return sequence(0);
      case 1: return "<<" + number(d - 1) + ", " + number(d - 1) + ", " + number(d - 1) + ">>";
      case 2: return "Append(" + sequence(d - 1) + ", " + number(d - 1) + ")";
      case 3: return "Tail(" + sequence(d - 1) + ")";
      case 4: return infix(sequence(d - 1), "\\o", sequence(d - 1));
      case 5: return "SubSeq(" + sequence(d - 1) + ", " + number(0) + ", " + number(0) + ")";
      case 6: return "[" + sequence(d - 1) + " EXCEPT ![" + number(d - 1) + "] = @ + " + number(d - 1) + "]";
      default: {
        auto const e = fresh();
        return "SelectSeq(" + sequence(d - 1) + ", LAMBDA " + e + " : " + e + " > " + number(d - 1) + ")";
      }
    }
  }

  std::string function(int d) {
    if (d <= 0) return one_of({"[i \\in {0, 2} |-> i]", "[i \\in 1..2 |-> 0]"});
    switch (pick(3)) {
      case 0: return function(0);
      case 1: return bound("[", " \\in " + set(d - 1) + " |-> ", d, &random_expression::number, "]");
      default: return "[" + function(d - 1) + " EXCEPT ![" + number(d - 1) + "] = @ - " + number(d - 1) + "]";
    }
  }

 private:
  std::uint64_t pick(std::uint64_t bound) noexcept {
    if (!from_bytes_) return below(mix(seed_, n_++), bound);
    return n_ < choices_.size() ? choices_[n_++] % bound : 0;
  }
  std::string one_of(std::vector<std::string> const& all) { return all[pick(all.size())]; }
  std::string fresh() { return "v" + std::to_string(fresh_++); }
  static std::string infix(std::string const& a, std::string const& op, std::string const& b) {
    return "(" + a + " " + op + " " + b + ")";
  }

  using maker = std::string (random_expression::*)(int);
  /// Something that binds a name which its last part sees.
  std::string bound(std::string const& before, std::string const& between, int d, maker inside,
                    char const* after) {
    auto const name = fresh();
    names_.push_back(name);
    auto const body = (this->*inside)(d - 1);
    names_.pop_back();
    return before + name + between + body + after;
  }

  std::string quantifier(char const* symbol, int d) {
    return bound(std::string{"("} + symbol + " ", " \\in " + set(d - 1) + " : ", d, &random_expression::truth,
                 ")");
  }

  /// \\E x, y \\in S : p, or with a pattern.
  std::string two_bound(std::string const& before, int d) {
    auto const from = set(d - 1);
    auto const x = fresh(), y = fresh();
    auto const bound = pick(2) == 0 ? x + ", " + y + " \\in " + from
                                    : "<<" + x + ", " + y + ">> \\in " + from + " \\X " + set(d - 2);
    names_.insert(names_.end(), {x, y});
    auto const body = truth(d - 1);
    names_.resize(names_.size() - 2);
    return before + bound + " : " + body + ")";
  }

  std::string called_recursively(int d) {
    auto const argument = number(d - 1);
    auto const op = fresh(), n = fresh();
    names_.push_back(n);
    auto const last = number(d - 2), step = number(d - 2);
    names_.pop_back();
    return "(LET RECURSIVE " + op + "(_) " + op + "(" + n + ") == IF " + n + " \\notin 1..4 THEN " + last +
           " ELSE " + step + " + " + op + "(" + n + " - 1) IN " + op + "(" + argument + "))";
  }

  std::string recursive_function(int d) {
    auto const argument = number(d - 1);
    auto const f = fresh(), n = fresh();
    names_.push_back(n);
    auto const first = number(d - 2), step = number(d - 2);
    names_.pop_back();
    return "(LET " + f + "[" + n + " \\in 0..3] == IF " + n + " = 0 THEN " + first + " ELSE " + step + " - " +
           f + "[" + n + " - 1] IN " + f + "[" + argument + "])";
  }

  std::string applied_twice(int d) {
    auto const argument = number(d - 1);
    auto const op = fresh(), f = fresh(), x = fresh(), v = fresh();
    names_.push_back(v);
    auto const body = number(d - 1);
    names_.pop_back();
    return "(LET " + op + "(" + f + "(_), " + x + ") == " + f + "(" + f + "(" + x + ")) IN " + op +
           "(LAMBDA " + v + " : " + body + ", " + argument + "))";
  }

  std::string mapped(int d) {
    auto const from = set(d - 1);
    auto const name = fresh();
    names_.push_back(name);
    auto const element = number(d - 1);
    names_.pop_back();
    return "{" + element + " : " + name + " \\in " + from + "}";
  }

  std::string applied(int d) {
    auto const argument = number(d - 1);
    auto const name = fresh();
    names_.push_back(name);
    auto const body = number(d - 1);
    names_.pop_back();
    auto const op = fresh();
    return "(LET " + op + "(" + name + ") == " + body + " IN " + op + "(" + argument + "))";
  }

  std::uint64_t seed_ = 0;
  std::span<std::uint8_t const> choices_;
  bool from_bytes_ = false;
  std::uint64_t n_ = 0;
  int fresh_ = 0;
  std::vector<std::string> names_;  // bound here
};

}  // namespace halfopen::tla
