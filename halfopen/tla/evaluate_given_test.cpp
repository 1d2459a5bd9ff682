#include <gmock/gmock.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/tla/prompt.hpp>

/// Expressions that stand in no file: --eval and the prompt.
namespace halfopen::tla {
namespace {

using testing::HasSubstr;

constexpr char const* module_m = R"(---- MODULE M ----
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANT N
VARIABLES x, y
Init == x \in 1..2 /\ y = 0
Up(k) == x' = x + k /\ y' = y
Next == Up(1) \/ (x > 1 /\ x' = 0 /\ y' = 1)
Low == x < 3
Half(n) == n \div 2
====
)";

class given : public testing::Test {
 protected:
  void SetUp() override { folder_.write("M.tla", module_m); }

  prepared& opened(std::string const& config = "CONSTANT N = 3\nINIT Init\nNEXT Next\nINVARIANT Low\n") {
    if (!config.empty()) folder_.write("M.cfg", config);
    auto p = prepare({.spec = (folder_ / "M.tla").string(), .config = {}, .config_optional = true});
    if (!p) throw std::runtime_error{to_text(p.error())};
    opened_ = std::move(*p);
    return *opened_;
  }
  std::string value(std::string const& expression) {
    evaluator e{opened()};
    auto const v = e.evaluate(expression);
    return v ? to_text(*v) : v.error().message;
  }

  temporary_folder folder_;
  std::unique_ptr<prepared> opened_;
};

TEST_F(given, constants_and_operators_of_the_module_have_values) {
  EXPECT_EQ(value("N + Half(9)"), "7\n");
  EXPECT_EQ(value("{s \\in SUBSET (1..N) : Cardinality(s) = 2}"), "{{1, 2}, {1, 3}, {2, 3}}\n");
  EXPECT_EQ(value("CHOOSE n \\in 1..N : n > 1"), "2\n");
  EXPECT_EQ(value("[a |-> <<1, \"b\">>, c |-> TRUE]"), "[a |-> <<1, \"b\">>, c |-> TRUE]\n");
  EXPECT_EQ(value("LET f[n \\in Nat] == IF n = 0 THEN 1 ELSE n * f[n - 1] IN f[5]"), "120\n");
}

TEST_F(given, expressions_of_a_state_have_a_value_in_each_initial_state) {
  EXPECT_EQ(value("y + 1"), "1\n");
  EXPECT_EQ(value("x * 10"),
            "10    in 1 of 2 initial states, for example x = 1, y = 0\n"
            "20    in 1 of 2 initial states, for example x = 2, y = 0\n");
  EXPECT_EQ(value("ENABLED Up(1)"), "TRUE\n");
}

TEST_F(given, what_cannot_be_evaluated_is_told_with_its_place) {
  EXPECT_THAT(value("N + "), HasSubstr("(expression):1:"));
  EXPECT_THAT(value("1 + Hlaf(2)"), HasSubstr("(expression):1:5: error: found the name Hlaf"));
  EXPECT_THAT(value("1 + Hlaf(2)"), HasSubstr("did you mean Half?"));
  EXPECT_THAT(value("Half(TRUE)"), HasSubstr("M.tla:9:"));
  EXPECT_THAT(value("<<1>>[2]"), HasSubstr("(expression):1:"));
  EXPECT_THAT(value("x' = 1"), HasSubstr("--trace-expr"));
  EXPECT_THAT(value("[]Low"), HasSubstr("found a temporal formula"));
  EXPECT_THAT(value(""), HasSubstr("found nothing"));
}

TEST_F(given, without_a_configuration_constants_stand_for_themselves) {
  evaluator e{opened("")};
  EXPECT_EQ(to_text(*e.evaluate("{N}")), "{N}\n");
  EXPECT_EQ(to_text(*e.evaluate("y")), "0\n");
}

TEST_F(given, without_initial_states_variables_have_no_value) {
  evaluator e{opened("CONSTANT N = 3\n")};
  EXPECT_EQ(to_text(*e.evaluate("N")), "3\n");
  EXPECT_THAT(e.evaluate("x").error().message, HasSubstr("no initial state"));
}

TEST_F(given, a_prompt_steps_from_state_to_state) {
  prompt p{opened()};
  EXPECT_EQ(p.answer(":init"), "  1  x = 1, y = 0\n  2  x = 2, y = 0\n");
  EXPECT_THAT(p.answer("x"), HasSubstr("in 1 of 2 initial states"));
  EXPECT_EQ(p.answer(":init 2"), "/\\ x = 2\n/\\ y = 0\n");
  EXPECT_EQ(p.answer("x"), "2\n");
  EXPECT_EQ(p.answer(":next"), "  1  Up(1): x = 3\n  2  Next: x = 0, y = 1\n");
  EXPECT_EQ(p.answer(":next 1"), "/\\ x = 3\n/\\ y = 0\nThis state breaks Low.\n");
  EXPECT_EQ(p.answer("x + N"), "6\n");
  EXPECT_THAT(p.answer(":way"), HasSubstr("State 2: <Up(1) "));
  EXPECT_EQ(p.answer(":back"), "/\\ x = 2\n/\\ y = 0\n");
  EXPECT_EQ(p.answer(":next 7"), "expected a number from 1 to 2\n");
  EXPECT_FALSE(p.ended());
  EXPECT_EQ(p.answer(":quit"), "");
  EXPECT_TRUE(p.ended());
}

TEST_F(given, a_prompt_remembers_definitions) {
  prompt p{opened()};
  EXPECT_EQ(p.answer("twice(n) == 2 * n"), "twice is defined\n");
  EXPECT_EQ(p.answer("four == twice(2)"), "four is defined\n");
  EXPECT_EQ(p.answer("four + N"), "7\n");
  EXPECT_EQ(p.answer("four == 5"), "four is defined\n");
  EXPECT_EQ(p.answer("four"), "5\n");
  EXPECT_THAT(p.answer("four + bogus"), HasSubstr("(expression):1:8: error"));
  EXPECT_THAT(p.answer("x == 3"), HasSubstr("= compares"));
  EXPECT_EQ(p.answer("four"), "5\n");
}

TEST_F(given, a_prompt_says_what_it_does_not_understand) {
  prompt p{opened()};
  EXPECT_EQ(p.answer(":nxt"), "no command :nxt; did you mean :next?\n");
  EXPECT_THAT(p.answer(":next"), HasSubstr(":init N"));
  EXPECT_EQ(p.answer("   "), "");
  EXPECT_THAT(p.answer(":help"), HasSubstr(":way"));
}

}  // namespace
}  // namespace halfopen::tla
