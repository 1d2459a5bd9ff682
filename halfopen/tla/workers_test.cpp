#include <gmock/gmock.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/tla/verify.hpp>

namespace halfopen::tla {
namespace {

/// Checks a module and its configuration with so many workers, who all work from the first level on.
class workers : public testing::Test {
 protected:
  report checked(std::string const& module, std::string const& config, unsigned count) const {
    folder.write("M.tla",
                 "---- MODULE M ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n" + module + "\n====\n");
    folder.write("M.cfg", config + "\n");
    verification how;
    how.spec = folder / "M.tla";
    how.workers = {.count = count, .from_round = 0};
    return verify(how);
  }

  void expect_same_for_all(std::string const& module, std::string const& config, ending how) const {
    auto const alone = checked(module, config, 1);
    EXPECT_EQ(alone.how, how) << to_text(alone);
    for (unsigned n : {2U, 4U}) {
      auto const together = checked(module, config, n);
      EXPECT_EQ(together.how, how);
      EXPECT_EQ(together.counts, alone.counts);
      EXPECT_EQ(to_text(together), to_text(alone));
    }
  }

  temporary_folder const folder;
};

/// Messages on their way: many values are made by all workers at once.
constexpr char const* posts = R"(
CONSTANTS Node
VARIABLES sent, got
Message == [from : Node, to : Node, note : {ToString(n) : n \in 1..2}]
Init == sent = {} /\ got = [n \in Node |-> << >>]
Send == \E m \in Message : m.from # m.to /\ Cardinality(sent) < 2 /\ sent' = sent \cup {m} /\ UNCHANGED got
Take == \E m \in sent : /\ Len(got[m.to]) < 2
                       /\ sent' = sent \ {m}
                       /\ got' = [got EXCEPT ![m.to] = Append(@, <<m.from, m.note>>)]
Next == Send \/ Take
Spec == Init /\ [][Next]_<<sent, got>>
Fair == Spec /\ WF_<<sent, got>>(Take)
Few == \A n \in Node : Len(got[n]) < 2
Said == CHOOSE s \in {ToString(n + 100) : n \in 1..4} : s # "101"
Never == got["a"] # <<<<"b", "2">>, <<"b", "1">>>>
Emptied == sent # {} ~> sent = {}
Taken == [](sent # {} => <>(got["a"] # << >>))
)";

TEST_F(workers, agree_on_a_model_that_holds) {
  expect_same_for_all(posts, "CONSTANT Node = {\"a\", \"b\"}\nSPECIFICATION Spec\nCHECK_DEADLOCK FALSE",
                      ending::holds);
}

TEST_F(workers, show_the_same_counterexample) {
  expect_same_for_all(
      posts, "CONSTANT Node = {\"a\", \"b\"}\nSPECIFICATION Spec\nINVARIANT Never\nCHECK_DEADLOCK FALSE",
      ending::invariant_broken);
  expect_same_for_all(
      posts, "CONSTANT Node = {\"a\", \"b\"}\nSPECIFICATION Spec\nINVARIANT Few\nCHECK_DEADLOCK FALSE",
      ending::invariant_broken);
}

TEST_F(workers, agree_under_symmetry) {
  std::string const module = R"(
CONSTANTS Node
VARIABLE asks
Perms == Permutations(Node)
Init == asks = [n \in Node |-> {}]
Next == \E n, m \in Node : n # m /\ asks' = [asks EXCEPT ![n] = @ \cup {m}]
Spec == Init /\ [][Next]_asks
)";
  expect_same_for_all(
      module, "CONSTANT Node = {n1, n2, n3, n4}\nSPECIFICATION Spec\nSYMMETRY Perms\nCHECK_DEADLOCK FALSE",
      ending::holds);
}

// Liveness after a parallel search missed violations elsewhere: tlaplus/tlaplus, "multi-worker liveness".
TEST_F(workers, field_liveness_is_decided_on_the_whole_graph_however_many_searched) {
  expect_same_for_all(
      posts, "CONSTANT Node = {\"a\", \"b\"}\nSPECIFICATION Fair\nPROPERTY Taken\nCHECK_DEADLOCK FALSE",
      ending::property_broken);
}

TEST_F(workers, print_nothing_out_of_order) {
  auto const module = R"(
VARIABLE x
Init == x = 0
Next == PrintT(x) /\ x' = (x + 1) % 40
Spec == Init /\ [][Next]_x
)";
  EXPECT_EQ(checked(module, "SPECIFICATION Spec", 4).output, checked(module, "SPECIFICATION Spec", 1).output);
}

}  // namespace
}  // namespace halfopen::tla
