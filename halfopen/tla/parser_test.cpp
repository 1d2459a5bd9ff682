#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/tla/parser.hpp>

namespace halfopen::tla {
namespace {

std::string shape(syntax_node const& n);

std::string kids_of(syntax_node const& n) {
  std::string out;
  for (auto const* k : n.kids) out += " " + shape(*k);
  return out;
}

/// The tree in brackets: "(+ 1 (* 2 3))".
std::string shape(syntax_node const& n) {
  switch (n.kind) {
    case syntax_kind::number:
    case syntax_kind::decimal:
    case syntax_kind::string:
    case syntax_kind::name:
    case syntax_kind::operator_name: return std::string{n.text};
    case syntax_kind::at_sign: return "@";
    case syntax_kind::reference:
      if (n.kids.size() == 1) return shape(*n.kids[0]);
      return "(!" + kids_of(n) + ")";
    case syntax_kind::segment:
      return n.kids.empty() ? std::string{n.text} : "(" + std::string{n.text} + kids_of(n) + ")";
    case syntax_kind::tuple: return "(<<>>" + kids_of(n) + ")";
    case syntax_kind::set_of: return "({}" + kids_of(n) + ")";
    case syntax_kind::set_filter: return "(filter" + kids_of(n) + ")";
    case syntax_kind::set_map: return "(map" + kids_of(n) + ")";
    case syntax_kind::function: return "(fn" + kids_of(n) + ")";
    case syntax_kind::function_set: return "(->" + kids_of(n) + ")";
    case syntax_kind::index: return "(at" + kids_of(n) + ")";
    case syntax_kind::dot: return "(." + std::string{n.text} + kids_of(n) + ")";
    case syntax_kind::product: return "(\\X" + kids_of(n) + ")";
    case syntax_kind::square: return "([]_" + kids_of(n) + ")";
    case syntax_kind::angle: return "(<>_" + kids_of(n) + ")";
    case syntax_kind::if_then_else: return "(if" + kids_of(n) + ")";
    case syntax_kind::case_of: return "(case" + kids_of(n) + ")";
    case syntax_kind::arm: return "(" + kids_of(n).substr(1) + ")";
    case syntax_kind::bound: return "(in" + std::string{n.text} + kids_of(n) + ")";
    default: return "(" + std::string{n.text} + kids_of(n) + ")";
  }
}

std::string parsed(std::string text) {
  syntax_arena arena;
  source_file const file{"e", std::move(text)};
  auto const r = parse_expression(file, arena);
  return r.errors.empty() ? shape(*r.tree) : to_string(r.errors[0]);
}

std::string error_in(std::string body) {
  syntax_arena arena;
  source_file const file{"M.tla", "---- MODULE M ----\n" + std::move(body) + "\n====\n"};
  std::string out;
  for (auto const& e : parse_module(file, arena).errors) out += to_string(e) + "\n";
  return out;
}

TEST(parser, groups_operators_by_their_ranges) {
  EXPECT_EQ(parsed("1 + 2 * 3"), "(+ 1 (* 2 3))");
  EXPECT_EQ(parsed("10 - 3 - 2 + 1"), "(+ (- (- 10 3) 2) 1)");
  EXPECT_EQ(parsed("-7 \\div 2"), "(-. (\\div 7 2))");
  EXPECT_EQ(parsed("-7 % 4"), "(% (-. 7) 4)");
  EXPECT_EQ(parsed("-2 ^ 2"), "(-. (^ 2 2))");
  EXPECT_EQ(parsed("3 - 1 .. 4"), "(.. (- 3 1) 4)");
  EXPECT_EQ(parsed("~ a = b"), "(~ (= a b))");
  EXPECT_EQ(parsed("[]P => <>Q"), "(=> ([] P) (<> Q))");
  EXPECT_EQ(parsed("a /\\ b => c"), "(=> (/\\ a b) c)");
  EXPECT_EQ(parsed("x' = y'"), "(= (' x) (' y))");
}

TEST(parser, takes_a_prefix_operator_first_among_equals) {
  EXPECT_EQ(parsed("UNION S \\cup T"), "(\\cup (UNION S) T)");
  EXPECT_EQ(parsed("DOMAIN f .. 3"), "(.. (DOMAIN f) 3)");
}

TEST(parser, refuses_operators_whose_ranges_overlap) {
  EXPECT_THAT(parsed("a + b % c"), testing::HasSubstr("neither of + and % binds tighter"));
  EXPECT_THAT(parsed("a = b = c"), testing::HasSubstr("= does not chain"));
  EXPECT_THAT(parsed("a /\\ b \\/ c"), testing::HasSubstr("/\\ and \\/ without brackets"));
  EXPECT_THAT(parsed("a \\cup b \\cap c"), testing::HasSubstr("\\cup and \\cap"));
}

TEST(parser, keeps_products_flat_and_brackets_nested) {
  EXPECT_EQ(parsed("A \\X B \\X C"), "(\\X A B C)");
  EXPECT_EQ(parsed("(A \\X B) \\X C"), "(\\X (\\X A B) C)");
}

TEST(parser, lets_if_and_quantifiers_reach_as_far_as_they_can) {
  EXPECT_EQ(parsed("1 + IF a THEN 2 ELSE 3 + 4"), "(+ 1 (if a 2 (+ 3 4)))");
  EXPECT_EQ(parsed("\\E x \\in S : p \\/ q"), "(\\E (in x S) (\\/ p q))");
  EXPECT_EQ(parsed("CASE a -> 1 [] b -> 2 [] OTHER -> 3"), "(case (a 1) (b 2) (3))");
}

TEST(parser, aligns_junction_lists_by_column) {
  EXPECT_EQ(parsed("/\\ a\n/\\ b"), "(/\\ a b)");
  EXPECT_EQ(parsed("  /\\ a\n  /\\ b\n => c"), "(=> (/\\ a b) c)");
  EXPECT_EQ(parsed("  /\\ a\n  /\\ b\n   => c"), "(/\\ a (=> b c))");
  EXPECT_EQ(parsed("  \\/ a\n  \\/ b\n  /\\ c"), "(/\\ (\\/ a b) c)");
  EXPECT_EQ(parsed("   /\\ a\n /\\ b"), "(/\\ (/\\ a) b)");
  EXPECT_EQ(parsed("/\\ \\/ a\n   \\/ b\n/\\ c"), "(/\\ (\\/ a b) c)");
}

TEST(parser, counts_a_tab_to_the_next_multiple_of_eight) {
  EXPECT_EQ(parsed("\t/\\ a\n        /\\ b"), "(/\\ a b)");
  EXPECT_EQ(parsed("   \t/\\ a\n\t/\\ b"), "(/\\ a b)");
}

TEST(parser, ends_a_list_at_a_token_left_of_its_bullets_even_inside_brackets) {
  EXPECT_THAT(error_in("Next == /\\ x' = ( \\/ x\n      \\/ TRUE )\n        /\\ x"),
              testing::AllOf(testing::HasSubstr("M.tla:3:7"), testing::HasSubstr("ends the list")));
}

TEST(parser, tells_the_forms_in_square_brackets_apart) {
  EXPECT_EQ(parsed("[x \\in S |-> x]"), "(fn (in x S) x)");
  EXPECT_EQ(parsed("[a, b \\in S, <<c, d>> \\in T |-> a]"), "(fn (in a b S) (in<< c d T) a)");
  EXPECT_EQ(parsed("[S -> T]"), "(-> S T)");
  EXPECT_EQ(parsed("[x \\in S]_v"), "([]_ (\\in x S) v)");
  EXPECT_EQ(parsed("[Next]_<<x, y>>"), "([]_ Next (<<>> x y))");
  EXPECT_EQ(parsed("<<A>>_v"), "(<>_ A v)");
  EXPECT_EQ(parsed("f[x, y].a[1]'"), "(' (at (.a (at f x y)) 1))");
}

TEST(parser, tells_filters_from_maps) {
  EXPECT_EQ(parsed("{x \\in S : p}"), "(filter (in x S) p)");
  EXPECT_EQ(parsed("{<<a, b>> \\in S : p}"), "(filter (in<< a b S) p)");
  EXPECT_EQ(parsed("{e : x \\in S, y \\in T}"), "(map e (in x S) (in y T))");
  EXPECT_EQ(parsed("{(x \\in S) : y \\in T}"), "(map (\\in x S) (in y T))");
}

TEST(parser, reads_paths_through_instances) {
  EXPECT_EQ(parsed("Cell(p)!Enter"), "(! (Cell p) Enter)");
  EXPECT_EQ(parsed("A!B!Op(1)"), "(! A B (Op 1))");
  EXPECT_EQ(parsed("Def!2"), "(! Def 2)");
  EXPECT_EQ(parsed("Fold(+, 1)"), "(Fold + 1)");
}

TEST(parser, reads_unicode_operators) {
  EXPECT_EQ(parsed("∀ n ∈ 1‥3 : n ≤ 3 ∨ FALSE"), "(\\A (in n (.. 1 3)) (\\/ (<= n 3) FALSE))");
  EXPECT_EQ(parsed("⟨A⟩_v"), "(<>_ A v)");
}

TEST(parser, finds_several_errors_in_one_file) {
  auto const errors = error_in("A == (1\nB == 2 +\nC == 3\nD = 4");
  EXPECT_THAT(errors, testing::HasSubstr("M.tla:3:1"));
  EXPECT_THAT(errors, testing::HasSubstr("M.tla:4:1"));
  EXPECT_THAT(errors, testing::HasSubstr("M.tla:5:3"));
}

TEST(parser, names_the_bracket_that_is_open_and_the_definition_around_it) {
  EXPECT_EQ(error_in("Next == x' = (x + 1\nInv == x < 3"),
            "M.tla:3:1: error: found Inv, expected ); the ( at 2:14 is not closed; in the definition of Next "
            "[tla.syntax]\n");
}

TEST(parser, skips_proofs) {
  EXPECT_EQ(
      error_in(
          "THEOREM T == A => B\n<1>1. A\n  BY <1>1, C DEF D\n<1> DEFINE x == 1\n<1>2. QED\n  <2>1. QED BY E\n"
          "Next == 1\nLEMMA A OBVIOUS\nL == 2"),
      "");
}

TEST(parser, ends_at_a_config_section) {
  syntax_arena arena;
  source_file const file{"M.tla", "text\n---- MODULE M ----\nA == 1\n---- CONFIG M ----\n;;; \"\n"};
  EXPECT_TRUE(parse_module(file, arena).errors.empty());
}

TEST(parser, refuses_what_would_exhaust_the_stack) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "(";
  EXPECT_THAT(parsed(deep), testing::HasSubstr("tla.too-deep"));
  std::string chain = "1";
  for (int i = 0; i < 5000; ++i) chain += " + 1";
  EXPECT_THAT(parsed(chain), testing::HasSubstr("tla.too-deep"));
}

}  // namespace
}  // namespace halfopen::tla
