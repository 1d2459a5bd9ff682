#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include <halfopen/tla/verify.hpp>

namespace halfopen::tla {
namespace {

/// Checks a module M and its configuration, given as text.
report checked(std::string const& module, std::string const& config, verification how = {}) {
  auto const folder = std::filesystem::temp_directory_path() /
                      ("halfopen_verify_" + std::to_string(::getpid()) + "_" +
                       testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "M.tla"} << "---- MODULE M ----\nEXTENDS Naturals, Sequences, FiniteSets\n"
                                  << module << "\n====\n";
  std::ofstream{folder / "M.cfg"} << config << "\n";
  how.spec = folder / "M.tla";
  auto r = verify(how);
  std::filesystem::remove_all(folder);
  return r;
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

}  // namespace
}  // namespace halfopen::tla
