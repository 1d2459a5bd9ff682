#include <gmock/gmock.h>

#include <halfopen/app/check_spellings.hpp>

namespace halfopen::app {
namespace {

using testing::ElementsAre;
using words = std::vector<std::string>;

TEST(check_spellings, tlcs_options_become_our_own) {
  EXPECT_THAT(without_tlc_spellings({"check", "-deadlock", "-config", "A.cfg", "A.tla", "-workers", "auto"}),
              ElementsAre("check", "--no-deadlock", "--config", "A.cfg", "A.tla", "--workers", "auto"));
  EXPECT_THAT(without_tlc_spellings({"check", "-coverage", "1", "-nowarning", "-difftrace", "A"}),
              ElementsAre("check", "--coverage", "--no-warnings", "--difftrace", "A"));
}

TEST(check_spellings, a_simulation_may_say_how_many_walks) {
  EXPECT_THAT(without_tlc_spellings({"check", "-simulate", "-depth", "5", "A"}),
              ElementsAre("check", "--simulate", "0", "--depth", "5", "A"));
  EXPECT_THAT(without_tlc_spellings({"check", "-simulate", "num=20", "-seed", "3", "A"}),
              ElementsAre("check", "--simulate", "20", "--seed", "3", "A"));
  EXPECT_THAT(without_tlc_spellings({"check", "-simulate", "file=t,num=20", "A"}),
              ElementsAre("check", "--simulate", "20", "A"));
}

TEST(check_spellings, a_dump_goes_into_a_file_of_that_kind) {
  EXPECT_THAT(without_tlc_spellings({"check", "-dump", "dot,colorize,actionlabels", "states", "A"}),
              ElementsAre("check", "--dump-graph", "states.dot", "A"));
  EXPECT_THAT(without_tlc_spellings({"check", "-dump", "states.json", "A"}),
              ElementsAre("check", "--dump-graph", "states.json", "A"));
}

TEST(check_spellings, what_says_nothing_here_is_left_out) {
  EXPECT_THAT(without_tlc_spellings({"check", "-cleanup", "-fpmem", "0.5", "-metadir", "x", "A"}),
              ElementsAre("check", "A"));
}

TEST(check_spellings, other_commands_stay_as_they_are) {
  words const other{"serve", "-config", "x"};
  EXPECT_EQ(without_tlc_spellings(other), other);
  words const cut{"check", "-dump"};
  EXPECT_EQ(without_tlc_spellings(cut), (words{"check", "--dump-graph", ".dot"}));
}

}  // namespace
}  // namespace halfopen::app
