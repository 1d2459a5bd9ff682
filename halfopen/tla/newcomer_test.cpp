#include <gmock/gmock.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/tla/verify.hpp>

/// What somebody gets wrong first, and whether the message says what to do next.
namespace halfopen::tla {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char const* clock_module = R"(---- MODULE Clock ----
EXTENDS Naturals
CONSTANT Hours
ASSUME Sane == Hours \in Nat /\ Hours > 0
VARIABLE hr
Init == hr = 0
Tick == hr' = (hr + 1) % Hours
Stop == hr < 2 /\ hr' = hr + 1
Next == Tick
Spec == Init /\ [][Next]_hr
Early == hr < Hours
Live == <>(hr = 1)
====
)";

class newcomer : public testing::Test {
 protected:
  void SetUp() override { write("Clock.tla", clock_module); }

  void write(std::string const& name, std::string const& text) const { folder_.write(name, text); }
  std::string said(std::string const& spec, std::string const& config = "") const {
    return to_text(verify(
        {.spec = (folder_ / spec).string(), .config = config.empty() ? "" : (folder_ / config).string()}));
  }
  std::string said_with(std::string const& config) const {
    write("Clock.cfg", config);
    return said("Clock.tla");
  }

  temporary_folder folder_;
};

TEST_F(newcomer, without_a_configuration_is_told_what_one_would_say) {
  EXPECT_THAT(said("Clock.tla"),
              HasSubstr("write one, such as: CONSTANTS Hours = ... SPECIFICATION Spec INVARIANT ..."));
  write("Small.cfg", "");
  EXPECT_THAT(said("Clock.tla"), HasSubstr("there is Small.cfg: name one with --config"));
  EXPECT_THAT(said("Clock.tla", "Smal.cfg"), HasSubstr("there is Small.cfg"));
}

TEST_F(newcomer, who_names_no_module_is_told_which_there_is) {
  EXPECT_THAT(said("clock.tla"), HasSubstr("did you mean Clock.tla?"));
  EXPECT_THAT(said("Clock"), HasSubstr("did you mean Clock.tla?"));
  EXPECT_THAT(said(""), HasSubstr("found a folder"));
  EXPECT_THAT(said(""), HasSubstr("--all"));
  write("Clock.cfg", "");
  EXPECT_THAT(
      said("Clock.cfg"),
      HasSubstr("found a configuration, expected a TLA+ module; name the module, and this with --config"));
}

TEST_F(newcomer, a_constant_that_is_misspelt_or_of_the_wrong_kind_is_told) {
  EXPECT_THAT(said_with("CONSTANT Hour = 3\nSPECIFICATION Spec"),
              HasSubstr("the configuration gives one to Hour, which is not declared"));
  EXPECT_THAT(said_with("CONSTANT Hours = h\nSPECIFICATION Spec"),
              HasSubstr("the assumption Sane is false; here Hours = h"));
  EXPECT_THAT(said_with("CONSTANT Hours = {1}\nSPECIFICATION Spec"), HasSubstr("; here Hours = {1}"));
  EXPECT_THAT(said_with("CONSTANT Hours <- twelve\nSPECIFICATION Spec"),
              HasSubstr("to give it a value, write Hours = twelve"));
}

TEST_F(newcomer, a_behaviour_that_is_missing_or_no_behaviour_is_told_what_to_add) {
  std::string const hours = "CONSTANT Hours = 3\n";
  EXPECT_THAT(said_with(hours + "INVARIANT Early"), HasSubstr("add SPECIFICATION Spec"));
  EXPECT_THAT(said_with(hours + "INIT Init"), HasSubstr("add NEXT Next"));
  EXPECT_THAT(said_with(hours + "SPECIFICATION Next"),
              AllOf(HasSubstr("found Next, an action"), HasSubstr("add SPECIFICATION Spec")));
  EXPECT_THAT(said_with(hours + "SPECIFICATION Init"), HasSubstr("found Init, a state predicate"));
}

TEST_F(newcomer, a_property_in_the_wrong_place_is_told_where_it_belongs) {
  std::string const spec = "CONSTANT Hours = 3\nSPECIFICATION Spec\n";
  EXPECT_THAT(said_with(spec + "INVARIANT Live"), HasSubstr("write it under PROPERTY"));
  EXPECT_THAT(said_with(spec + "INVARIANT Tick"), HasSubstr("under PROPERTY, as [][A]_vars"));
  EXPECT_THAT(said_with(spec + "INVARIANT Erly"), HasSubstr("did you mean Early?"));
}

TEST_F(newcomer, deadlock_and_stuttering_say_what_to_do) {
  EXPECT_THAT(said_with("CONSTANT Hours = 3\nINIT Init\nNEXT Stop"), HasSubstr("say CHECK_DEADLOCK FALSE"));
  EXPECT_THAT(said_with("CONSTANT Hours = 3\nSPECIFICATION Spec\nPROPERTY Live"),
              HasSubstr("a fairness condition may be missing"));
}

}  // namespace
}  // namespace halfopen::tla
