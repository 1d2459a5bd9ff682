#include <filesystem>
#include <functional>

#include <gmock/gmock.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/tla/verify.hpp>

namespace halfopen::tla {
namespace {

namespace fs = std::filesystem;

class resume : public testing::Test {
 protected:
  resume() {
    folder.write("M.tla", module);
    configure("SPECIFICATION Spec\nCONSTANT Node = {n1, n2}\nCHECK_DEADLOCK FALSE\n");
  }
  void configure(std::string const& text) const { folder.write("M.cfg", text); }
  report checked(std::uint64_t states_max, bool keep = true) const {
    verification how;
    how.spec = folder / "M.tla";
    how.stop_at.states_max = states_max;
    if (keep) how.checkpoint = folder / "saved";
    return verify(how);
  }

  static constexpr auto any = std::uint64_t{check::no_state};
  static constexpr char const* module = R"(---- MODULE M ----
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANT Node
VARIABLES log, seen, last
vars == <<log, seen, last>>
Init == log = << >> /\ seen = [n \in Node |-> {}] /\ last = [n |-> 0, text |-> "none"]
Write(n) == /\ Len(log) < 3
            /\ \E s \in SUBSET {1, 2} : log' = Append(log, <<n, s, ToString(Len(log))>>)
            /\ last' = [n |-> Len(log), text |-> ToString(n) \o "!"]
            /\ UNCHANGED seen
Read(n) == /\ log # << >>
           /\ seen' = [seen EXCEPT ![n] = @ \cup {Len(log)}]
           /\ UNCHANGED <<log, last>>
Next == \E n \in Node : Write(n) \/ Read(n)
Spec == Init /\ [][Next]_vars
Fair == Spec /\ \A n \in Node : WF_vars(Write(n))
Full == Len(log) < 3 \/ \E n \in Node : seen[n] # {1, 2, 3}
Ends == <>(Len(log) = 3)
ReadAll == <>(\A n \in Node : seen[n] # {})
====
)";

  temporary_folder const folder;
};

/// Stops every so many states, and goes on in another model, as another process would.
void expect_same_when_stopped(report const& whole, std::function<report(std::uint64_t)> const& checked) {
  report r;
  int runs = 0;
  for (std::uint64_t most = 1500;; most += 1500, ++runs) {
    r = checked(most);
    if (r.how != ending::not_finished) break;
    ASSERT_LT(runs, 1000);
  }
  EXPECT_GT(runs, 2);
  EXPECT_GT(r.resumed_at, 0U);
  EXPECT_EQ(r.how, whole.how);
  EXPECT_EQ(r.counts, whole.counts);
  EXPECT_EQ(to_text(r), to_text(whole));
}

TEST_F(resume, a_search_goes_on_where_it_was_stopped) {
  expect_same_when_stopped(checked(any, false), [this](auto most) { return checked(most); });
  EXPECT_TRUE(fs::is_empty(folder / "saved")) << "a search that has ended needs no checkpoint";
}

TEST_F(resume, and_finds_the_same_counterexample) {
  configure("SPECIFICATION Spec\nCONSTANT Node = {n1, n2}\nINVARIANT Full\nCHECK_DEADLOCK FALSE\n");
  expect_same_when_stopped(checked(any, false), [this](auto most) { return checked(most); });
}

TEST_F(resume, and_decides_liveness) {
  configure("SPECIFICATION Fair\nCONSTANT Node = {n1, n2}\nPROPERTIES Ends ReadAll\nCHECK_DEADLOCK FALSE\n");
  auto const whole = checked(any, false);
  EXPECT_EQ(whole.property, "ReadAll");
  expect_same_when_stopped(whole, [this](auto most) { return checked(most); });
}

TEST_F(resume, with_a_view) {
  configure("SPECIFICATION Spec\nCONSTANT Node = {n1, n2}\nVIEW vars\nCHECK_DEADLOCK FALSE\n");
  expect_same_when_stopped(checked(any, false), [this](auto most) { return checked(most); });
}

TEST_F(resume, a_changed_spec_or_configuration_refuses_the_checkpoint_and_says_so) {
  EXPECT_EQ(checked(700).how, ending::not_finished);
  configure("SPECIFICATION Spec\nCONSTANT Node = {n1, n2}\nINVARIANT Full\nCHECK_DEADLOCK FALSE\n");
  auto const r = checked(any);
  EXPECT_EQ(r.how, ending::bad_config);
  EXPECT_THAT(r.message, testing::HasSubstr("is of another spec or configuration"));
  EXPECT_THAT(r.message, testing::HasSubstr("remove it"));
}

TEST_F(resume, says_how_to_go_on) {
  auto const r = checked(700);
  EXPECT_THAT(r.message, testing::HasSubstr("The same command goes on from here"));
  EXPECT_TRUE(fs::exists(folder / "saved" / "M-M.checkpoint"));
}

TEST_F(resume, what_depends_on_chance_has_no_checkpoint) {
  folder.write("M.tla",
               "---- MODULE M ----\nEXTENDS TLC, Integers\nVARIABLE x\nInit == x = 0\n"
               "Next == x' = RandomElement(1 .. 3)\n====\n");
  configure("INIT Init\nNEXT Next\n");
  auto const r = checked(any);
  EXPECT_EQ(r.how, ending::bad_config);
  EXPECT_THAT(r.message, testing::HasSubstr("RandomElement"));
}

}  // namespace
}  // namespace halfopen::tla
