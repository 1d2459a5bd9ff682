#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/tla/verify.hpp>

namespace halfopen::tla {
namespace {

/// Checks a module M and its configuration, given as text.
report checked(std::string const& module, std::string const& config, verification how = {}) {
  static temporary_folder const folder;  // the same for all, since traces name it
  folder.write("M.tla",
               "---- MODULE M ----\nEXTENDS Naturals, Sequences, FiniteSets\n" + module + "\n====\n");
  folder.write("M.cfg", config + "\n");
  how.spec = folder / "M.tla";
  return verify(how);
}

constexpr char const* clock_of_three = R"(
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\ [][Next]_x
Fair == Spec /\ WF_x(Next)
Live == []<>(x = 2)
Small == x < 2
Stays == [][x' # 2]_x
)";

TEST(verify, accepts_a_model_and_counts_its_states) {
  auto const r = checked(clock_of_three, "SPECIFICATION Fair\nPROPERTY Live");
  EXPECT_EQ(r.how, ending::holds) << to_text(r);
  EXPECT_EQ(r.counts, (check::counts{.distinct = 3, .generated = 4, .depth = 3}));
}

TEST(verify, shows_a_shortest_way_to_a_broken_invariant) {
  auto const r = checked(clock_of_three, "SPECIFICATION Spec\nINVARIANT Small");
  EXPECT_EQ(r.how, ending::invariant_broken);
  EXPECT_EQ(r.property, "Small");
  EXPECT_THAT(to_text(r), testing::HasSubstr("State 3: <Next "));
  EXPECT_THAT(to_text(r), testing::Not(testing::HasSubstr("State 4")));
}

TEST(verify, a_broken_step_property_counts_as_a_property) {
  auto const r = checked(clock_of_three, "SPECIFICATION Spec\nPROPERTY Stays");
  EXPECT_EQ(r.how, ending::property_broken);
  EXPECT_EQ(r.property, "Stays");
}

TEST(verify, without_fairness_nothing_need_ever_happen) {
  auto const r = checked(clock_of_three, "SPECIFICATION Spec\nPROPERTY Live");
  EXPECT_EQ(r.how, ending::property_broken);
  EXPECT_THAT(to_text(r), testing::HasSubstr("Stuttering"));
}

TEST(verify, finds_deadlock_unless_told_not_to) {
  constexpr char const* stops = "VARIABLE x\nInit == x = 0\nNext == x < 2 /\\ x' = x + 1";
  EXPECT_EQ(checked(stops, "INIT Init\nNEXT Next").how, ending::deadlock);
  EXPECT_EQ(checked(stops, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE").how, ending::holds);
  EXPECT_EQ(checked(stops, "INIT Init\nNEXT Next", {.spec = {}, .config = {}, .check_deadlock = false}).how,
            ending::holds);
}

TEST(verify, a_limit_never_ends_as_holds) {
  verification how;
  how.stop_at.states_max = 2;
  EXPECT_EQ(checked(clock_of_three, "SPECIFICATION Spec", how).how, ending::not_finished);
}

TEST(verify, an_action_that_forgets_a_variable_is_named) {
  auto const r = checked("VARIABLES x, y\nInit == x = 0 /\\ y = 0\nStep == x' = 1\nNext == Step",
                         "INIT Init\nNEXT Next");
  EXPECT_EQ(r.how, ending::cannot_evaluate);
  EXPECT_THAT(to_text(r), testing::HasSubstr("the action Step gives no value to y"));
}

TEST(verify, an_error_shows_the_states_on_the_way_there) {
  auto const r = checked("VARIABLE x\nInit == x = <<1>>\nNext == x' = Tail(x)", "INIT Init\nNEXT Next");
  EXPECT_EQ(r.how, ending::cannot_evaluate);
  EXPECT_THAT(to_text(r), testing::AllOf(testing::HasSubstr("Tail of the empty sequence"),
                                         testing::HasSubstr("M.tla:5:14"), testing::HasSubstr("State 2")));
}

TEST(verify, a_composed_action_goes_through_a_state_between_that_nobody_sees) {
  constexpr char const* two_at_once = R"(
VARIABLES x, y
Set(e) == y' = e /\ x' = x
Up == x' = x + 1 /\ y' = y
Next == x < 3 /\ (Up \cdot Set(x))
Init == x = 0 /\ y = 0
Same == x = y
)";
  auto const r = checked(two_at_once, "INIT Init\nNEXT Next\nINVARIANT Same\nCHECK_DEADLOCK FALSE");
  EXPECT_EQ(r.how, ending::holds) << to_text(r);
  EXPECT_EQ(r.counts.distinct, 4U);
}

TEST(verify, random_walks_find_what_is_wrong_and_never_show_that_nothing_is) {
  verification how;
  how.simulate = simulation{.count = 3, .depth = 20, .seed = 1};
  auto const fine = checked(clock_of_three, "SPECIFICATION Spec", how);
  EXPECT_EQ(fine.how, ending::holds) << to_text(fine);
  ASSERT_TRUE(fine.walks);
  EXPECT_EQ(fine.walks->counts,
            (check::walk_counts{.walks = 3, .steps = 57, .generated = 58, .longest = 20}));
  EXPECT_EQ(fine.walks->found_on, 0U);
  auto const r = checked(clock_of_three, "SPECIFICATION Spec\nINVARIANT Small", how);
  EXPECT_EQ(r.how, ending::invariant_broken);
  EXPECT_EQ(r.walks->found_on, 1U);
  EXPECT_EQ(r.way->states.size(), 3U);
  EXPECT_EQ(checked(clock_of_three, "SPECIFICATION Spec\nPROPERTY Stays", how).property, "Stays");
}

TEST(verify, a_walk_draws_the_same_random_elements_when_it_is_repeated_alone) {
  constexpr char const* dice =
      "VARIABLE x\nLOCAL INSTANCE TLC\nInit == x = 0\nNext == x' = RandomElement(1..1000)\nOdd == x # 777";
  verification how;
  how.simulate = simulation{.depth = 50, .seed = 9};
  auto const r = checked(dice, "INIT Init\nNEXT Next\nINVARIANT Odd", how);
  ASSERT_EQ(r.how, ending::invariant_broken);
  ASSERT_GT(r.walks->found_on, 1U);
  how.simulate->first = r.walks->found_on;
  how.simulate->count = 1;
  auto const again = checked(dice, "INIT Init\nNEXT Next\nINVARIANT Odd", how);
  EXPECT_EQ(again.how, ending::invariant_broken);
  EXPECT_EQ(to_text(again), to_text(r));
}

TEST(verify, a_walk_stays_within_constraints_and_says_that_it_skips_liveness) {
  verification how;
  how.simulate = simulation{.count = 2, .depth = 20, .seed = 1};
  auto const r = checked(
      "VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nNear == x < 5\nGrows == <>(x = 3)\n"
      "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)",
      "SPECIFICATION Spec\nCONSTRAINT Near\nPROPERTY Grows", how);
  EXPECT_EQ(r.how, ending::holds);
  EXPECT_EQ(r.walks->counts.longest, 5U);
  EXPECT_THAT(to_text(r), testing::HasSubstr("Grows, which is about behaviours that never end"));
}

TEST(verify, expressions_are_evaluated_along_a_counterexample) {
  verification how;
  how.trace_expressions = {"twice == 2 * x", "x' - x", "x \\in {1}"};
  auto const r = checked(clock_of_three, "SPECIFICATION Spec\nINVARIANT Small", how);
  ASSERT_TRUE(r.way);
  auto const values = [&](std::size_t state) {
    std::vector<std::string> all;
    for (auto const& v : r.way->states[state].variables) all.push_back(v.name + " = " + v.value);
    return all;
  };
  EXPECT_THAT(values(1), testing::ElementsAre("x = 1", "twice = 2", "x' - x = 1", "x \\in {1} = TRUE"));
  EXPECT_THAT(values(2),
              testing::ElementsAre("x = 2", "twice = 4", "x' - x = (no next state)", "x \\in {1} = FALSE"));
  EXPECT_EQ(r.way->states[0].variables[1].expression, "2 * x");
}

TEST(verify, the_last_state_of_a_lasso_has_a_next_one) {
  verification how;
  how.trace_expressions = {"x'"};
  auto const r = checked(std::string{clock_of_three} + "Rests == <>[](x = 0)",
                         "SPECIFICATION Fair\nPROPERTY Rests", how);
  ASSERT_TRUE(r.way && r.way->back_to);
  auto const& last = r.way->states.back().variables;
  EXPECT_EQ(last[1].value, r.way->states[*r.way->back_to].variables[0].value);
}

TEST(verify, an_expression_that_is_wrong_is_told_before_anything_is_checked) {
  verification how;
  how.trace_expressions = {"y + 1"};
  auto const r = checked(clock_of_three, "SPECIFICATION Spec", how);
  EXPECT_EQ(r.how, ending::bad_spec);
  EXPECT_THAT(to_text(r), testing::HasSubstr("(expression):1:1: error: found the name y"));
  how.trace_expressions = {"[](x = 1)"};
  EXPECT_THAT(to_text(checked(clock_of_three, "SPECIFICATION Spec", how)),
              testing::HasSubstr("found a temporal formula"));
}

constexpr char const* two_lamps = R"(
LOCAL INSTANCE TLC
CONSTANT Lamps
VARIABLE on
Init == on = {}
Next == \E l \in Lamps : on' = {l}
Spec == Init /\ [][Next]_on /\ WF_on(Next)
Some == <>(on # {})
Never == []<>(on = {})
Perms == Permutations(Lamps)
)";

TEST(verify, liveness_with_symmetry_is_refused_unless_it_is_forced) {
  auto const config = [](char const* property) {
    return std::string{"SPECIFICATION Spec\nCONSTANT Lamps = {a, b}\nSYMMETRY Perms\nPROPERTY "} + property;
  };
  auto const r = checked(two_lamps, config("Some"));
  EXPECT_EQ(r.how, ending::bad_config);
  EXPECT_THAT(r.message, testing::HasSubstr("--force-liveness"));
  verification how;
  how.force_liveness = true;
  auto const forced = checked(two_lamps, config("Some"), how);
  EXPECT_EQ(forced.how, ending::holds) << to_text(forced);
  EXPECT_EQ(forced.counts.distinct, 2U);
  EXPECT_THAT(to_text(forced), testing::HasSubstr("the answer may be wrong either way [check.forced]"));
  EXPECT_EQ(checked(two_lamps, config("Never"), how).how, ending::property_broken);
}

// What other checkers got wrong.

TEST(verify, field_a_disjunction_inside_a_conjunction_loses_no_state) {
  auto const r = checked(
      "VARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
      "Next == /\\ \\/ x' = 1\n           \\/ x' = 2\n        /\\ \\/ y' = 1\n           \\/ y' = 2",
      "INIT Init\nNEXT Next");
  EXPECT_EQ(r.how, ending::holds);
  EXPECT_EQ(r.counts.distinct, 5U);
}

TEST(verify, field_a_sequence_and_a_function_on_1_to_n_are_one_state) {
  auto const r = checked(
      "VARIABLE x\nInit == x \\in {<<1, 2>>, [i \\in 1..2 |-> i], [i \\in {2, 1} |-> i]}\nNext == UNCHANGED "
      "x",
      "INIT Init\nNEXT Next");
  EXPECT_EQ(r.counts.distinct, 1U);
}

TEST(verify, field_fairness_without_a_property_is_no_violation) {
  EXPECT_EQ(checked(clock_of_three, "SPECIFICATION Fair").how, ending::holds);
}

TEST(verify, field_eventually_always_is_not_dropped) {
  auto const r =
      checked(std::string{clock_of_three} + "Rests == <>[](x = 0)", "SPECIFICATION Fair\nPROPERTY Rests");
  EXPECT_EQ(r.how, ending::property_broken);
}

TEST(verify, field_leads_to_with_eventually_always_needs_more_than_one_component) {
  constexpr char const* two = R"(
VARIABLE x
Init == x = 0
Next == \/ x = 0 /\ x' \in {1, 2}
        \/ x = 1 /\ x' = 1
        \/ x = 2 /\ x' = 2
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Live == (x = 0) ~> <>[](x = 1)
)";
  EXPECT_EQ(checked(two, "SPECIFICATION Spec\nPROPERTY Live").how, ending::property_broken);
}

TEST(verify, field_a_lasso_visits_what_strong_fairness_asks_for) {
  constexpr char const* lamp = R"(
VARIABLES on, n
vars == <<on, n>>
Init == on = FALSE /\ n = 0
Flip == on' = ~on /\ n' = n
Count == on /\ n < 1 /\ n' = n + 1 /\ on' = on
Spec == Init /\ [][Flip \/ Count]_vars /\ WF_vars(Flip)
Live == <>(n = 1)
)";
  EXPECT_EQ(checked(lamp, "SPECIFICATION Spec\nPROPERTY Live").how, ending::property_broken);
  EXPECT_EQ(
      checked(std::string{lamp} + "Strong == Spec /\\ SF_vars(Count)", "SPECIFICATION Strong\nPROPERTY Live")
          .how,
      ending::holds);
}

/// A counter for each of 150 callers, any of which may pause for ever unless all are treated fairly.
constexpr char const* many_callers = R"(
N == 150
VARIABLES turn, done
vars == <<turn, done>>
Init == turn = 0 /\ done = FALSE
Step(i) == turn = i /\ turn' = (i + 1) % N /\ done' = (i = N - 1)
Next == \E i \in 0 .. N - 1 : Step(i)
Spec == Init /\ [][Next]_vars
Fair == Spec /\ \A i \in 0 .. N - 1 : WF_vars(Step(i))
AlmostFair == Spec /\ \A i \in 0 .. N - 2 : WF_vars(Step(i))
StronglyFair == Spec /\ \A i \in 0 .. N - 1 : SF_vars(Step(i))
Live == []<>done
)";

TEST(verify, the_limit_on_memory_counts_values_too) {
  // Three states, one after the other, the last of which is a long sequence of sequences.
  constexpr char const* large = R"(
VARIABLE x
Init == x = << >>
Next == \/ x = << >> /\ x' = [i \in 1 .. 300 |-> [j \in 1 .. 300 |-> i + j]]
        \/ Len(x) = 300 /\ x' = << <<1>> >>
Spec == Init /\ [][Next]_x
)";
  verification how;
  how.check_deadlock = false;
  EXPECT_EQ(checked(large, "SPECIFICATION Spec", how).how, ending::holds);
  how.stop_at.bytes_max = 800'000;
  EXPECT_EQ(checked(clock_of_three, "SPECIFICATION Spec", how).how, ending::holds);
  auto const r = checked(large, "SPECIFICATION Spec", how);
  EXPECT_EQ(r.how, ending::not_finished);
  EXPECT_THAT(r.message, testing::HasSubstr("memory"));
}

TEST(verify, takes_more_than_128_fairness_conditions) {
  EXPECT_EQ(checked(many_callers, "SPECIFICATION Fair\nPROPERTY Live").how, ending::holds);
  EXPECT_EQ(checked(many_callers, "SPECIFICATION StronglyFair\nPROPERTY Live").how, ending::holds);
  EXPECT_EQ(checked(many_callers, "SPECIFICATION AlmostFair\nPROPERTY Live").how, ending::property_broken);
}

}  // namespace
}  // namespace halfopen::tla
