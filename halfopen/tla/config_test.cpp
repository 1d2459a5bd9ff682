#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/tla/config.hpp>

namespace halfopen::tla {
namespace {

using testing::HasSubstr;

constexpr char const* sample = R"(---- MODULE M ----
EXTENDS Naturals
CONSTANTS N, Op(_)
VARIABLE x
Init == x = 0
Next == x' = Op(x)
Spec == Init /\ [][Next]_x
Inv == x < N
Under(k) == x < k
Plus(k) == k + 1
---- MODULE In ----
LOCAL Hidden == 7
Shown == Hidden
====
I == INSTANCE In
====
)";

spec loaded() {
  auto s = load_text(sample, "M.tla");
  if (!s) throw std::runtime_error{to_string(s.error().at(0))};
  return std::move(*s);
}

std::string errors_of(std::vector<diagnostic> const& all) {
  std::string out;
  for (auto const& d : all) out += to_string(d) + "\n";
  return out;
}

std::string parse_errors(std::string_view text) {
  auto const c = parse_config(text, "M.cfg");
  return c ? "" : errors_of(c.error());
}

std::string bind_errors(std::string const& text) {
  auto const s = loaded();
  auto const c = parse_config(text, "M.cfg");
  if (!c) return "parse: " + errors_of(c.error());
  auto const b = bind(*c, s);
  return b ? "" : errors_of(b.error());
}

std::string const values = "CONSTANTS N = 3 Op <- Plus\n";

TEST(config, reads_every_kind_of_value) {
  auto const c =
      parse_config("CONSTANTS A = 1 B = -2 C = \"a \\\"b\" D = TRUE E = {1, {m}, {}} F = m", "M.cfg");
  ASSERT_TRUE(c);
  ASSERT_EQ(c->constants.size(), 6U);
  EXPECT_EQ(c->constants[1].value->number, -2);
  EXPECT_EQ(c->constants[2].value->text, "a \"b");
  EXPECT_EQ(c->constants[3].value->what, config_value::sort::boolean);
  EXPECT_EQ(c->constants[4].value->elements[1].elements[0].what, config_value::sort::model_value);
  EXPECT_TRUE(c->constants[4].value->elements[2].elements.empty());
  EXPECT_EQ(c->constants[5].value->text, "m");
}

TEST(config, reads_replacements_of_names_and_symbols_and_in_one_module) {
  auto const c = parse_config("CONSTANT A <- B\n%% <- Mod\nL <- [Mod] M\nH = [Mod] h\nOp(1, 2) = 3", "M.cfg");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->constants[0].replacement.text, "B");
  EXPECT_EQ(c->constants[1].name.text, "%%");
  EXPECT_EQ(c->constants[2].in_module.text, "Mod");
  EXPECT_EQ(c->constants[3].in_module.text, "Mod");
  EXPECT_EQ(c->constants[3].value->text, "h");
  EXPECT_EQ(c->constants[4].args.size(), 2U);
}

TEST(config, layout_and_comments_do_not_matter) {
  auto const c = parse_config(
      "\\* INIT No\nINIT\n  A NEXT B (* NEXT (* C *) *)\nINVARIANTS I J\nINVARIANT\nK CHECK_DEADLOCK FALSE",
      "M.cfg");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->init->text, "A");
  EXPECT_EQ(c->init->at, (source_position{3, 3}));
  EXPECT_EQ(c->invariants.size(), 3U);
  EXPECT_EQ(c->check_deadlock, false);
}

TEST(config, names_what_is_wrong_with_the_text) {
  EXPECT_EQ(parse_errors("INIT Init\nINVARIENT Inv"),
            "M.cfg:2:1: error: found INVARIENT, expected a statement such as INIT, NEXT, INVARIANT or "
            "CONSTANT; did you "
            "mean INVARIANT? [cfg.syntax]\n");
  EXPECT_THAT(parse_errors("CONSTANT N =\nINIT I"),
              HasSubstr("M.cfg:2:1: error: found INIT, expected a value"));
  EXPECT_THAT(parse_errors("CONSTANT S = {1, 2"), HasSubstr("expected } or ,"));
  EXPECT_THAT(parse_errors("CHECK_DEADLOCK maybe"), HasSubstr("TRUE or FALSE"));
  EXPECT_THAT(parse_errors("(* INIT"), HasSubstr("not closed"));
  EXPECT_THAT(parse_errors("INIT A INIT B"), HasSubstr("a second INIT"));
}

TEST(config, finds_several_errors) {
  auto const errors = parse_errors("CONSTANT N =\nINVARIANT A\nCHECK_DEADLOCK\nVIEW");
  EXPECT_THAT(errors, HasSubstr("M.cfg:2:1"));
  EXPECT_THAT(errors, HasSubstr("M.cfg:4:1"));
}

TEST(config, binds_names_to_the_spec) {
  auto const s = loaded();
  auto const c = parse_config(values + "SPECIFICATION Spec INVARIANT Inv", "M.cfg");
  auto const b = bind(*c, s);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->specification->what.def, s.find("Spec").def);
  EXPECT_EQ(b->invariants[0].name, "Inv");
  ASSERT_EQ(b->replacements.size(), 2U);
  EXPECT_EQ(b->replacements[0].constant, s.find("N").decl);
  EXPECT_EQ(b->replacements[1].by.def, s.find("Plus").def);
}

TEST(config, a_replacement_in_a_module_reaches_what_is_local_there) {
  auto const s = loaded();
  auto const c = parse_config(values + "CONSTANT Hidden = [In] 8 INIT Init NEXT Next", "M.cfg");
  auto const b = bind(*c, s);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->replacements[2].only_in, s.find_module("In"));
  EXPECT_EQ(b->replacements[2].defined->name, "Hidden");
}

TEST(config, refuses_what_does_not_fit_the_spec) {
  EXPECT_THAT(bind_errors(values + "SPECIFICATION Spec INIT Init NEXT Next"),
              HasSubstr("INIT beside SPECIFICATION"));
  EXPECT_THAT(bind_errors(values + "INIT Init"), HasSubstr("INIT without NEXT"));
  EXPECT_THAT(bind_errors(values + "SPECIFICATION Speck"), HasSubstr("did you mean Spec?"));
  EXPECT_THAT(bind_errors(values + "INIT Init NEXT Next INVARIANT Under"),
              HasSubstr("Under with 1 parameter"));
  EXPECT_THAT(bind_errors(values + "INIT Init NEXT Next INVARIANT Next"),
              HasSubstr("Next, which has a prime"));
  EXPECT_THAT(bind_errors(values + "SPECIFICATION Spec PROPERTY Next"), HasSubstr("[][Next]_v"));
  EXPECT_THAT(bind_errors(values + "INVARIANT Inv"), HasSubstr("no behaviour"));
  EXPECT_THAT(bind_errors("CONSTANT N = 3 INIT Init NEXT Next"), HasSubstr("no value for the constant Op"));
  EXPECT_THAT(bind_errors("CONSTANT N <- Under Op <- Plus INIT Init NEXT Next"),
              HasSubstr("no parameter, as N has"));
  EXPECT_THAT(bind_errors("CONSTANT N <- Missing Op <- Plus INIT Init NEXT Next"), HasSubstr("Missing"));
}

TEST(config, warns_of_a_constant_that_is_not_there_and_of_a_second_value) {
  auto const s = loaded();
  auto const c = parse_config(values + "CONSTANTS M = 1 N = 4 INIT Init NEXT Next", "M.cfg");
  auto const b = bind(*c, s);
  ASSERT_TRUE(b);
  EXPECT_THAT(errors_of(b->warnings),
              testing::AllOf(HasSubstr("found M,"), HasSubstr("a second value for N")));
  EXPECT_EQ(b->replacements[0].value->number, 4);
}

}  // namespace
}  // namespace halfopen::tla
