#include <gmock/gmock.h>

#include <halfopen/tla/evaluate_fixture.hpp>

namespace halfopen::tla {
namespace {

constexpr char const* words = R"(---- MODULE Words ----
EXTENDS Integers, Sequences, FiniteSets, TLC
Twice(k) == LET d == 2 IN k * d
Apply(F(_), x) == F(x)
Ignores(a, b) == a
fib[n \in Nat] == IF n < 2 THEN n ELSE fib[n - 1] + fib[n - 2]
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE y \in S : TRUE IN x + Sum(S \ {x})
RECURSIVE Fold(_, _, _)
Fold(op(_, _), base, s) == IF s = <<>> THEN base ELSE op(Head(s), Fold(op, base, Tail(s)))
Later(s) == LET first == Head(s) IN IF s = <<>> THEN 0 ELSE first
====)";

/// The value of an expression, as text; or "error: ..." with what went wrong.
std::string value_of(std::string const& text) {
  auto s = load_text(words, "Words.tla");
  return value_in(s, text);
}

struct claim {
  char const* expression;
  char const* value;
};

void all_hold(std::initializer_list<claim> claims) {
  for (auto const& c : claims) EXPECT_EQ(value_of(c.expression), c.value) << c.expression;
}

TEST(evaluate, numbers_as_tlc_computes_them) {
  all_hold({{"7 \\div 2", "3"},
            {"(-7) \\div 2", "-4"},
            {"7 % 3", "1"},
            {"(-7) % 3", "2"},
            {"2^10", "1024"},
            {"1..3", "{1, 2, 3}"},
            {"3..1", "{}"}});
  EXPECT_THAT(value_of("65536 * 32768"), testing::HasSubstr("overflow"));
  EXPECT_THAT(value_of("2147483647 + 1"), testing::HasSubstr("overflow: 2147483647 + 1"));
  EXPECT_THAT(value_of("LET n == 1 IN (-2147483647 - 1) - n"),
              testing::HasSubstr("overflow: -2147483648 - 1"));
  all_hold({{"-2147483647 - 1", "-2147483648"},
            {"2147483646 + 1", "2147483647"},
            {"1 <= 1", "TRUE"},
            {"1 < 1", "FALSE"}});
  EXPECT_THAT(value_of("\"a\" < 1"), testing::HasSubstr("< wants integers, not the string \"a\""));
  EXPECT_THAT(value_of("1 \\div 0"), testing::HasSubstr("zero"));
}

TEST(evaluate, sets_and_functions) {
  all_hold({{"{x \\in 1..5 : x % 2 = 0}", "{2, 4}"},
            {"{x * y : x \\in 1..2, y \\in 1..2}", "{1, 2, 4}"},
            {"UNION {{1}, {2, 3}}", "{1, 2, 3}"},
            {"[x \\in {\"a\"} |-> 1].a", "1"},
            {"[f \\in 1..2 |-> f * f]", "<<1, 4>>"},
            {"[<<1, 2, 3>> EXCEPT ![2] = @ + 10, ![9] = 0]", "<<1, 12, 3>>"},
            {"[[a |-> <<1>>] EXCEPT !.a[1] = 5]", "[a |-> <<5>>]"},
            {"DOMAIN (1 :> 2 @@ 5 :> 6)", "{1, 5}"},
            {"Cardinality(SUBSET (1..4))", "16"},
            {"{<<x, y>> \\in (1..2) \\X (1..2) : x < y}", "{<<1, 2>>}"},
            {"CHOOSE <<x, y>> \\in (1..3) \\X (1..3) : x + y = 6", "<<3, 3>>"},
            {"[a : {1}, b : {2, 3}]", "{[a |-> 1, b |-> 2], [a |-> 1, b |-> 3]}"}});
}

TEST(evaluate, operators_functions_and_recursion) {
  all_hold({{"Twice(Twice(3))", "12"},
            {"Apply(LAMBDA x : x + 1, 4)", "5"},
            {"Apply(Twice, 4)", "8"},
            {"fib[30]", "832040"},
            {"Sum({1, 2, 3})", "6"},
            {"Fold(LAMBDA a, b : a - b, 0, <<5, 2>>)", "3"},
            {"\\A k \\in 1..2 : Fold(LAMBDA a, b : a + b * k, k, <<1, 2>>) = 1 + (2 + k * k) * k", "TRUE"},
            {"LET RECURSIVE g(_) g(i) == IF i = 0 THEN 0 ELSE i + g(i - 1) IN g(100)", "5050"},
            {"SortSeq(<<3, 1, 2>>, <)", "<<1, 2, 3>>"},
            {"SelectSeq(<<1, 2, 3>>, LAMBDA x : x > 1)", "<<2, 3>>"}});
}

TEST(evaluate, what_nobody_asks_for_is_not_computed) {
  all_hold({{"Ignores(1, Head(<<>>))", "1"},
            {"Later(<<>>)", "0"},
            {"TRUE \\/ Head(<<>>)", "TRUE"},
            {"IF TRUE THEN 1 ELSE 1 \\div 0", "1"},
            {"FALSE => Head(<<>>)", "TRUE"}});
}

TEST(evaluate, a_let_shadows_nothing_that_is_outside_and_lambdas_see_where_they_stand) {
  all_hold({{"LET x == 1 IN LET y == x + 1 IN x + y", "3"},
            {"{LET d == x IN Twice(d) : x \\in 1..2}", "{2, 4}"},
            {"LET k == 10 IN Apply(LAMBDA x : x + k, 1)", "11"},
            {"{Apply(LAMBDA x : x + k, 1) : k \\in 1..2}", "{2, 3}"}});
}

TEST(evaluate, infinite_sets_are_looked_into_but_not_built) {
  all_hold({{"5 \\in Nat", "TRUE"},
            {"<<1, -1>> \\in Seq(Int)", "TRUE"},
            {"[a |-> 1] \\in [a : Nat]", "TRUE"},
            {"3 \\in {n \\in Nat : n % 2 = 0}", "FALSE"},
            {"Nat \\subseteq Nat", "TRUE"}});
  EXPECT_THAT(value_of("{n \\in Nat : n < 3}"), testing::HasSubstr("infinite"));
}

TEST(evaluate, a_field_is_found_in_records_of_different_shapes_one_after_the_other) {
  all_hold({{"{r.b : r \\in {[a |-> 1, b |-> 2], [a |-> 3, b |-> 4]}}", "{2, 4}"},
            {"{r.b : r \\in {[b |-> 5, c |-> 0], [a |-> 1, b |-> 2], [b |-> 7, c |-> 1]}}", "{2, 5, 7}"},
            {"[b |-> 1, a |-> 2] = [a |-> 2, b |-> 1]", "TRUE"}});
  EXPECT_THAT(value_of("{r.c : r \\in {[a |-> 1], [a |-> 2]}}"), testing::HasSubstr("\"c\""));
}

TEST(evaluate, an_element_with_one_wrong_part_is_none) {
  all_hold({{"<<1, 5>> \\in [1..2 -> 1..3]", "FALSE"},
            {"<<1>> \\in [1..2 -> 1..3]", "FALSE"},
            {"[a |-> 5] \\in [a : 1..3]", "FALSE"},
            {"[a |-> 1, b |-> 1] \\in [a : 1..3]", "FALSE"},
            {"<<1, 9>> \\in (1..2) \\X (1..2)", "FALSE"},
            {"<<{1}, {9}>> \\in Seq(SUBSET (1..3))", "FALSE"},
            {"4 \\in {n \\in 1..3 : TRUE} \\cup {n \\in 1..9 : n > 4}", "FALSE"},
            {"5 \\notin {n \\in 1..3 : TRUE} \\cup {n \\in 1..9 : n > 4}", "FALSE"}});
}

TEST(evaluate, endless_recursion_ends_with_an_error) {
  EXPECT_THAT(value_of("LET RECURSIVE up(_) up(i) == 1 + up(i + 1) IN up(0)"),
              testing::HasSubstr("recursion"));
}

TEST(evaluate, errors_name_the_values) {
  EXPECT_THAT(value_of("1 + \"a\""), testing::HasSubstr("the string \"a\""));
  EXPECT_THAT(value_of("3[1]"), testing::HasSubstr("the integer 3"));
  EXPECT_THAT(value_of("<<1, 2>>[3]"), testing::HasSubstr("argument 3"));
  EXPECT_THAT(value_of("[a |-> 1].b"), testing::HasSubstr("\"b\""));
  EXPECT_THAT(value_of("CHOOSE x \\in 1..3 : x > 5"), testing::HasSubstr("no element"));
  EXPECT_THAT(value_of("CASE 1 = 2 -> 3"), testing::HasSubstr("no arm"));
  EXPECT_THAT(value_of("1 = \"a\""),
              testing::HasSubstr("cannot compare the integer 1 with the string \"a\""));
}

}  // namespace
}  // namespace halfopen::tla
