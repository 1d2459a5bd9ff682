#include <cstdlib>
#include <sstream>

#include <gmock/gmock.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/tla/verify.hpp>

/// What a check tells of what it used, and of what says nothing.
namespace halfopen::tla {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

report checked(std::string const& module, std::string const& config, verification how = {}) {
  temporary_folder const folder;
  folder.write("M.tla", "---- MODULE M ----\nEXTENDS Naturals, FiniteSets\n" + module + "\n====\n");
  folder.write("M.cfg", config + "\n");
  how.spec = (folder / "M.tla").string();
  return verify(how);
}

std::vector<std::string> codes(report const& r) {
  std::vector<std::string> all;
  for (auto const& d : r.diagnostics) all.push_back(d.code);
  return all;
}

constexpr char const* lift = R"(VARIABLES floor, door
vars == <<floor, door>>
Init == floor = 0 /\ door = "shut"
Up == door = "shut" /\ floor < 2 /\ floor' = floor + 1 /\ UNCHANGED door
Down == /\ floor > 0
        /\ floor' = floor - 1
        /\ UNCHANGED door
Alarm == floor = 7 /\ UNCHANGED vars
Next == Up \/ Down \/ Alarm
Spec == Init /\ [][Next]_vars
Fair == Spec /\ WF_vars(Next)
Shut == door = "shut" => floor \in 0..2
Open == door = "open" => floor = 0
Each == \A f \in {0, 1} : floor = f /\ door = "open" => FALSE
Moves == []<>(floor = 1)
Cannot == (floor = 5) ~> (floor = 0)
Always == (floor = 0) ~> (floor < 9 \/ floor = 0)
AtZero == floor = 0
True == AtZero ~> AtZero
Low == floor < 2
)";

TEST(vacuity, what_is_never_possible_changed_or_true_is_told_with_its_place) {
  auto const r = checked(lift, "INIT Init\nNEXT Next\nINVARIANTS Shut Open Each");
  EXPECT_EQ(r.how, ending::holds) << to_text(r);
  auto const text = to_text(r);
  EXPECT_THAT(text, HasSubstr("M.tla:10:10: warning: found the action Alarm, of which there is no step"));
  EXPECT_THAT(text,
              HasSubstr("M.tla:3:18: warning: found the variable door, which is \"shut\" in every state"));
  EXPECT_THAT(text, HasSubstr("M.tla:15:9: warning: found door = \"open\", which is true in no state"));
  EXPECT_THAT(text,
              HasSubstr("M.tla:16:27: warning: found floor = f /\\ door = \"open\", which is true in no"));
  EXPECT_THAT(codes(r),
              ElementsAre("check.never-possible", "check.never-changes", "check.premise", "check.premise"));
}

TEST(vacuity, warnings_can_be_left_out) {
  verification how;
  how.warnings = false;
  EXPECT_THAT(checked(lift, "INIT Init\nNEXT Next\nINVARIANTS Shut Open", how).diagnostics, IsEmpty());
}

TEST(vacuity, nothing_is_said_of_a_spec_that_says_something) {
  auto const r = checked(
      "VARIABLES x, y\nInit == x = 0 /\\ y \\in 1..2\nUp == x' = (x + 1) % 3 /\\ y' = y\nNext == Up\n"
      "Inv == x = 2 => y > 0\nSpec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Next)\n"
      "Live == x = 0 ~> x = 2",
      "SPECIFICATION Spec\nINVARIANT Inv\nPROPERTY Live");
  EXPECT_EQ(r.how, ending::holds) << to_text(r);
  EXPECT_THAT(r.diagnostics, IsEmpty()) << to_text(r);
}

TEST(vacuity, a_search_that_was_cut_short_has_nothing_to_say_of_what_it_did_not_see) {
  verification how;
  how.stop_at.states_max = 1;
  EXPECT_THAT(checked(lift, "INIT Init\nNEXT Next\nINVARIANT Open", how).diagnostics, IsEmpty());
}

TEST(vacuity, liveness_without_fairness_or_under_a_constraint_is_doubtful) {
  auto const without = checked(lift, "SPECIFICATION Spec\nPROPERTY Moves");
  EXPECT_EQ(without.how, ending::property_broken);
  EXPECT_THAT(codes(without), Contains("check.no-fairness"));
  auto const cut = checked(lift, "SPECIFICATION Fair\nPROPERTY Moves\nCONSTRAINT Low");
  EXPECT_THAT(codes(cut), Contains("check.constraint"));
  EXPECT_THAT(codes(cut), Not(Contains("check.no-fairness")));
}

TEST(vacuity, a_property_whose_premise_is_never_true_or_that_nothing_could_break_is_told) {
  auto const r = checked(lift, "SPECIFICATION Fair\nPROPERTIES Cannot True");
  EXPECT_EQ(r.how, ending::holds) << to_text(r);
  EXPECT_THAT(to_text(r), HasSubstr("found floor = 5, which is true in no state"));
  EXPECT_THAT(to_text(r), HasSubstr("found True, which every behaviour of any specification satisfies"));
  EXPECT_THAT(to_text(checked(lift, "SPECIFICATION Fair\nPROPERTY Always")), Not(HasSubstr("check.premise")));
}

TEST(vacuity, an_expectation_of_a_property_that_is_not_checked_is_told) {
  auto const r = checked(lift, "\\* expect: safety Opne\nINIT Init\nNEXT Next\nINVARIANT Open");
  EXPECT_THAT(to_text(r),
              HasSubstr("M.cfg:1:19: warning: found Opne, which is no INVARIANT or PROPERTY here"));
  EXPECT_THAT(to_text(r), HasSubstr("did you mean Open?"));
}

TEST(coverage, counts_the_steps_and_new_states_of_each_action_and_what_its_parts_were_worth) {
  verification how;
  how.coverage = true;
  auto const r = checked(lift, "INIT Init\nNEXT Next", how);
  ASSERT_TRUE(r.covered);
  auto const& c = *r.covered;
  ASSERT_EQ(c.actions.size(), 3U);
  EXPECT_EQ(c.actions[0].name, "Up");
  EXPECT_EQ(c.actions[0].steps, 2U);
  EXPECT_EQ(c.actions[0].new_states, 2U);
  EXPECT_EQ(c.actions[1].steps, 2U);
  EXPECT_EQ(c.actions[1].new_states, 0U);
  EXPECT_EQ(c.actions[2].steps, 0U);
  EXPECT_FALSE(c.variables[1].changes);
  auto const part = [&](std::string const& text) {
    for (auto const& p : c.parts) {
      if (p.text == text) return std::pair{p.asked, p.held};
    }
    return std::pair{std::uint64_t{99}, std::uint64_t{99}};
  };
  EXPECT_EQ(part("floor > 0"), (std::pair{std::uint64_t{3}, std::uint64_t{2}}));
  EXPECT_EQ(part("floor < 2"), (std::pair{std::uint64_t{3}, std::uint64_t{2}}));
  EXPECT_EQ(part("floor = 7"), (std::pair{std::uint64_t{3}, std::uint64_t{0}}));
  EXPECT_THAT(to_text(c), HasSubstr("Alarm"));
  EXPECT_THAT(to_text(c), HasSubstr("never possible"));
  EXPECT_THAT(to_text(c), HasSubstr("           3           0  10:10: floor = 7\n"));
}

TEST(coverage, threads_add_up) {
  verification how;
  how.coverage = true;
  how.workers = {.count = 2, .from_states = 0, .from_round = 0};
  auto const r = checked(lift, "INIT Init\nNEXT Next", how);
  ASSERT_TRUE(r.covered);
  EXPECT_EQ(r.covered->actions[0].steps, 2U);
  EXPECT_EQ(r.covered->actions[1].steps, 2U);
}

TEST(coverage, what_is_not_asked_for_is_not_counted) {
  EXPECT_FALSE(checked(lift, "INIT Init\nNEXT Next").covered);
}

std::string dumped(std::string const& config, bool json, std::size_t states_max = 100) {
  std::ostringstream out;
  verification how;
  how.dump_graph = graph_wanted{&out, json, states_max};
  auto const r = checked(lift, config, how);
  EXPECT_TRUE(r.graph);
  if (r.graph) {
    EXPECT_EQ(r.graph->complete, states_max > 2);
  }
  return out.str();
}

TEST(graph_dump, draws_states_with_their_values_and_steps_with_their_actions) {
  auto const dot = dumped("INIT Init\nNEXT Next", false);
  EXPECT_THAT(dot, HasSubstr("digraph \"M\" {"));
  EXPECT_THAT(dot,
              HasSubstr("  1 [label=\"1\\l/\\\\ floor = 0\\l/\\\\ door = \\\"shut\\\"\\l\", penwidth=3];"));
  EXPECT_THAT(dot, HasSubstr("  1 -> 2 [label=\"Up\""));
  EXPECT_THAT(dot, HasSubstr("  2 -> 1 [label=\"Down\""));
  EXPECT_THAT(dot, Not(HasSubstr("Alarm")));
}

TEST(graph_dump, shows_what_is_wrong_where_a_search_would_stop) {
  EXPECT_THAT(dumped("INIT Init\nNEXT Next\nINVARIANT Low", false),
              HasSubstr("3: breaks Low\\l/\\\\ floor = 2\\l/\\\\ door = \\\"shut\\\"\\l\", peripheries=2"));
  EXPECT_THAT(dumped("INIT Init\nNEXT Up", true),
              HasSubstr("{\"number\": 3, \"initial\": false, \"deadlock\": true"));
}

TEST(graph_dump, says_where_it_is_cut_off) {
  EXPECT_THAT(dumped("INIT Init\nNEXT Next", false, 2), HasSubstr("label=\"only the first 2 states\""));
  auto const json = dumped("INIT Init\nNEXT Next", true, 2);
  EXPECT_THAT(json, HasSubstr("\"complete\": false"));
  EXPECT_THAT(json, Not(HasSubstr("\"to\": 3")));
}

TEST(graph_dump, graphviz_reads_it) {
  if (std::system("command -v dot > /dev/null 2>&1") != 0) GTEST_SKIP() << "no graphviz here";
  temporary_folder const folder;
  auto const file = folder / "graph.dot";
  write(file, dumped("INIT Init\nNEXT Next\nINVARIANT Low", false));
  EXPECT_EQ(std::system(("dot -Tsvg '" + file.string() + "' -o /dev/null").c_str()), 0);
}

}  // namespace
}  // namespace halfopen::tla
