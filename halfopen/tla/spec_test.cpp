#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/tla/spec.hpp>

namespace halfopen::tla {
namespace {

using testing::HasSubstr;

spec loaded(std::string body) {
  auto s = load_text("---- MODULE M ----\n" + std::move(body) + "\n====\n", "M.tla");
  if (!s) throw std::runtime_error{to_string(s.error().at(0))};
  return std::move(*s);
}

std::string errors_in(std::string body) {
  auto const s = load_text("---- MODULE M ----\n" + std::move(body) + "\n====\n", "M.tla");
  std::string out;
  if (!s) {
    for (auto const& e : s.error()) out += to_string(e) + "\n";
  }
  return out;
}

expr const& body_of(spec const& s, std::string_view name) { return *s.find(name).def->body; }

TEST(spec, names_become_pointers) {
  auto const s = loaded("EXTENDS Naturals\nCONSTANT N\nVARIABLES x, y\nInc(n) == n + N\nNext == x' = Inc(y)");
  auto const& inc = *s.find("Inc").def;
  ASSERT_EQ(inc.params.size(), 1U);
  EXPECT_EQ(inc.body->def->primitive, primitive::plus);
  EXPECT_EQ(inc.body->args[0]->bind, inc.params[0]);
  EXPECT_EQ(inc.body->args[1]->decl, s.find("N").decl);
  auto const& next = body_of(s, "Next");
  EXPECT_EQ(next.def->primitive, primitive::equal);
  EXPECT_EQ(next.args[1]->def, &inc);
  EXPECT_EQ(s.find("y").decl->index, 1U);
}

TEST(spec, slots_are_unique_within_a_definition_with_its_lets_and_lambdas) {
  auto const s = loaded(
      "EXTENDS Sequences\nOp(a) == LET f(b) == SelectSeq(b, LAMBDA c : c = a) IN \\E d \\in {a} : f(d) = a");
  auto const& op = *s.find("Op").def;
  EXPECT_EQ(op.frame_size, 4U);
  EXPECT_EQ(op.params[0]->slot, 0U);
  EXPECT_EQ(op.body->lets[0]->params[0]->slot, 1U);
  EXPECT_EQ(op.body->lets[0]->outer, &op);
  EXPECT_EQ(op.body->args[0]->bounds[0].names[0]->slot, 3U);
}

TEST(spec, the_set_of_a_bound_does_not_see_its_name) {
  auto const s = loaded("VARIABLE S\nA == \\E x, y \\in S, <<a, b>> \\in {x \\in S : TRUE} : x = a");
  auto const& bounds = body_of(s, "A").bounds;
  EXPECT_EQ(bounds[0].set->decl, s.find("S").decl);
  EXPECT_TRUE(bounds[1].tuple);
  EXPECT_THAT(errors_in("VARIABLE S\nA == \\E x \\in S, y \\in x : TRUE"), HasSubstr("the name x"));
}

TEST(spec, an_at_sign_is_a_name_bound_by_its_update) {
  auto const s = loaded("EXTENDS Naturals\nOp(f) == [f EXCEPT !.a[1] = @ + 1, !.b = 2]");
  auto const& e = body_of(s, "Op");
  ASSERT_EQ(e.updates.size(), 2U);
  EXPECT_EQ(e.updates[0].value->args[0]->bind, e.updates[0].at);
  EXPECT_NE(e.updates[0].at, nullptr);
  EXPECT_EQ(e.updates[1].at, nullptr);
  EXPECT_EQ(e.updates[0].path[0]->text, "a");
}

TEST(spec, an_instance_is_a_step_with_every_declaration_substituted) {
  auto const s = loaded(
      "EXTENDS Naturals\nVARIABLES x, q\n---- MODULE In ----\nCONSTANT K\nVARIABLE r\nUp == r' = r + "
      "K\n====\n"
      "I(k) == INSTANCE In WITH r <- q, K <- k\nNext == \\E i \\in 1..2 : I(i)!Up");
  auto const& use = *body_of(s, "Next").args[0];
  ASSERT_EQ(use.through.size(), 1U);
  EXPECT_EQ(use.through[0].args.size(), 1U);
  auto const& i = *use.through[0].of;
  ASSERT_EQ(i.with.size(), 2U);
  EXPECT_EQ(i.with[0].by->decl, s.find("q").decl);
  EXPECT_EQ(i.with[1].by->bind, i.params[0]);
  EXPECT_EQ(use.level, level::action);
}

TEST(spec, an_unnamed_instance_is_an_invisible_step) {
  auto const s =
      loaded("VARIABLE x\n---- MODULE In ----\nVARIABLE y\nIs == y\n====\nINSTANCE In WITH y <- x\nA == Is");
  EXPECT_EQ(body_of(s, "A").through.size(), 1U);
  EXPECT_EQ(s.find("Is").through.size(), 1U);
}

TEST(spec, a_standard_operator_needs_no_step) {
  auto const s = loaded("LOCAL INSTANCE Naturals\nN == INSTANCE Naturals\nA == 1 + N!+(1, 2)");
  EXPECT_TRUE(body_of(s, "A").through.empty());
  EXPECT_EQ(body_of(s, "A").args[1]->def->primitive, primitive::plus);
}

TEST(spec, parts_of_definitions_become_definitions) {
  auto const s = loaded(
      "EXTENDS Naturals\nVARIABLE x\nDef(a) == /\\ one :: x < a\n          /\\ \\E y \\in 1..3 : two(y) :: y "
      "= x\n"
      "A == Def(7)!one\nB == Def(7)!2!(5)\nC == Def(7)!two(4)\nD == Def(7)!1!<<");
  EXPECT_EQ(body_of(s, "A").def->body, body_of(s, "Def").args[0]);
  EXPECT_EQ(body_of(s, "B").def->params.size(), 2U);
  EXPECT_EQ(body_of(s, "C").def->body, body_of(s, "B").def->body);
  EXPECT_EQ(body_of(s, "D").def->body->decl, s.find("x").decl);
}

TEST(spec, a_part_below_a_let_takes_the_let_along) {
  auto const s =
      loaded("EXTENDS Naturals\nDef(a) == LET k == a + 1 IN lab :: k + 1\nA == Def(2)!lab\nB == Def(2)!k");
  ASSERT_EQ(body_of(s, "A").def->body->kind, expr_kind::let);
  EXPECT_EQ(body_of(s, "A").def->body->lets, body_of(s, "Def").lets);
  EXPECT_EQ(body_of(s, "B").def->body->args[0], body_of(s, "Def").lets[0]->body);
}

TEST(spec, a_theorem_has_a_name_and_assumptions_are_listed) {
  auto const s = loaded(
      "EXTENDS Naturals\nASSUME A == 1 < 2\nASSUME 2 < 3\nTHEOREM T == 3 < 4\nAXIOM 1 = 2\nB == T /\\ A");
  EXPECT_EQ(s.root().assumptions.size(), 2U);
  EXPECT_TRUE(s.find("T"));
}

TEST(spec, levels_are_those_of_the_parts) {
  auto const s = loaded(
      "EXTENDS Naturals\nVARIABLE x\nC == 1\nS == x + C\nA == S' = x\nT == [][A]_x\nE == ENABLED A\n"
      "RECURSIVE Odd(_), Even(_)\nEven(n) == n = 0 \\/ Odd(n)\nOdd(n) == x = n \\/ Even(n)\nR == Even(1)");
  EXPECT_EQ(s.find("C").def->level, level::constant);
  EXPECT_EQ(s.find("S").def->level, level::state);
  EXPECT_EQ(s.find("A").def->level, level::action);
  EXPECT_EQ(s.find("T").def->level, level::temporal);
  EXPECT_EQ(s.find("E").def->level, level::state);
  EXPECT_EQ(s.find("R").def->level, level::state);
}

TEST(spec, levels_go_round_a_recursion_until_they_stay) {
  auto const s = loaded(
      "EXTENDS Naturals\nVARIABLE x\nRECURSIVE Y(_), X(_), Z(_)\nY(n) == X(n) \\/ x = n\nX(n) == Z(n) \\/ "
      "Y(n)\n"
      "Z(n) == n = 0 \\/ X(n)");
  EXPECT_EQ(s.find("Z").def->level, level::state);
}

TEST(spec, an_instance_has_the_level_of_what_stands_for_its_names) {
  EXPECT_EQ(
      errors_in("VARIABLE x\n---- MODULE In ----\nVARIABLE y\nIs == y\n====\nI == INSTANCE In WITH y <- 1\n"
                "ASSUME I!Is = 1"),
      "");
  EXPECT_THAT(
      errors_in("VARIABLE x\n---- MODULE In ----\nVARIABLE y\nIs == y\n====\nI == INSTANCE In WITH y <- x\n"
                "ASSUME I!Is = 1"),
      HasSubstr("tla.level"));
}

TEST(spec, refuses_a_primed_argument_where_the_definition_primes_it) {
  EXPECT_THAT(errors_in("VARIABLE x\nP(a) == a'\nA == P(x') = 1"), HasSubstr("argument 1 of P"));
}

TEST(spec, refuses_an_action_beside_a_temporal_formula) {
  EXPECT_THAT(errors_in("VARIABLE x\nA == x' = x\nB == A /\\ []A"), HasSubstr("[] of an action"));
  EXPECT_THAT(errors_in("VARIABLE x\nA == x' = x\nB == A /\\ []<>(x = 1)"),
              HasSubstr("beside a temporal formula"));
}

TEST(spec, suggests_the_name_that_was_meant) {
  EXPECT_THAT(errors_in("VARIABLE counter\nA == conter"), HasSubstr("did you mean counter?"));
  EXPECT_THAT(errors_in("A == B\nB == 1"), HasSubstr("defined further down"));
  EXPECT_THAT(errors_in("A == 1 + 1"), HasSubstr("EXTENDS Naturals"));
  EXPECT_THAT(errors_in("F(n) == F(n)"), HasSubstr("RECURSIVE F"));
}

TEST(spec, finds_several_errors_in_one_module) {
  auto const errors = errors_in("VARIABLE x\nA == y\nB(x) == 1\nC == A(1)");
  EXPECT_THAT(errors, HasSubstr("M.tla:3:6"));
  EXPECT_THAT(errors, HasSubstr("M.tla:4:3"));
  EXPECT_THAT(errors, HasSubstr("A with 1 argument, expected no argument"));
}

TEST(spec, a_missing_module_is_reported_alone) {
  auto const errors = errors_in("EXTENDS Nowhere\nA == 1 + Foo");
  EXPECT_THAT(errors, HasSubstr("Nowhere.tla"));
  EXPECT_THAT(errors, testing::Not(HasSubstr("Foo")));
}

TEST(spec, every_embedded_module_resolves) {
  for (auto const* name : {"Naturals",
                           "Integers",
                           "Reals",
                           "Sequences",
                           "FiniteSets",
                           "Bags",
                           "TLC",
                           "TLCExt",
                           "Randomization",
                           "Json",
                           "IOUtils",
                           "CSV",
                           "Bitwise",
                           "SVG",
                           "Folds",
                           "Functions",
                           "FiniteSetsExt",
                           "SequencesExt",
                           "BagsExt",
                           "Relation",
                           "Graphs",
                           "UndirectedGraphs",
                           "WellFoundedInduction",
                           "DyadicRationals",
                           "RealTime",
                           "Apalache",
                           "TLAPS",
                           "FiniteSetTheorems",
                           "SequenceTheorems",
                           "FunctionTheorems",
                           "SequencesExtTheorems",
                           "FiniteSetsExtTheorems",
                           "BagsTheorems"}) {
    EXPECT_EQ(errors_in(std::string{"VARIABLE now\nI == INSTANCE "} + name), "") << name;
  }
}

TEST(spec, an_expression_is_resolved_in_the_root_module) {
  auto s = loaded("EXTENDS Naturals\nVARIABLE x\nInc(n) == n + 1");
  auto const e = s.parse_expression("\\E k \\in 1..3 : Inc(k) = x");
  ASSERT_TRUE(e);
  EXPECT_EQ((*e)->frame_size, 1U);
  EXPECT_EQ((*e)->level, level::state);
  EXPECT_FALSE(s.parse_expression("Incc(1)"));
  EXPECT_FALSE(s.parse_expression("1 +"));
}

}  // namespace
}  // namespace halfopen::tla
