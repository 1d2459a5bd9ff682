#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/tla/check_all.hpp>

namespace halfopen::tla {
namespace {

using testing::HasSubstr;

class folder_of_checks : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root_ / "deep");
    put("Gate.tla", "");
    put("GateWide.tla", "");
    put("deep/Lock.tla", "");
  }

  void put(std::string const& name, std::string const& text) { root_.write(name, text); }
  [[nodiscard]] std::vector<check_job> jobs() const { return find_checks(root_.path().string()); }

  temporary_folder root_;
};

TEST(expectation, reads_verdict_property_and_counts) {
  auto const e = parse_expectation("\\* expect: safety NoDoubleProbe distinct=12 depth=3 spec=A.tla");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->verdict, "safety");
  EXPECT_EQ(e->property, "NoDoubleProbe");
  EXPECT_EQ(e->distinct, 12);
  EXPECT_EQ(e->depth, 3);
  EXPECT_EQ(e->spec, "A.tla");
}

TEST(expectation, refuses_what_it_does_not_understand) {
  EXPECT_FALSE(parse_expectation(""));
  EXPECT_FALSE(parse_expectation("INIT Init"));
  EXPECT_FALSE(parse_expectation("\\* expect:"));
  EXPECT_FALSE(parse_expectation("\\* expect: fine"));
  EXPECT_FALSE(parse_expectation("\\* expect: ok distinct=many"));
  EXPECT_FALSE(parse_expectation("\\* expect: ok A B"));
}

TEST_F(folder_of_checks, a_configuration_belongs_to_the_module_with_the_longest_common_name) {
  put("GateWideLive.cfg", "\\* expect: ok\n");
  put("GateBad.cfg", "\\* expect: deadlock\n");
  put("deep/Lock.cfg", "\\* expect: ok\n");
  auto const all = jobs();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[0].spec, testing::EndsWith("Gate.tla"));
  EXPECT_THAT(all[1].spec, testing::EndsWith("GateWide.tla"));
  EXPECT_THAT(all[2].spec, testing::EndsWith("deep/Lock.tla"));
}

TEST_F(folder_of_checks, any_other_outcome_is_a_difference) {
  put("Gate.cfg", "\\* expect: safety Inv\n");
  auto const run = [&](int code, std::string property) {
    return check_all(jobs(),
                     [&](check_job const&) { return check_outcome{code, property, 5, 9, 2, 0.1, "text"}; });
  };
  EXPECT_TRUE(all_as_expected(run(12, "Inv")));
  EXPECT_FALSE(all_as_expected(run(12, "Other")));
  EXPECT_FALSE(all_as_expected(run(0, "")));
  EXPECT_FALSE(all_as_expected(run(124, "")));
  EXPECT_THAT(to_table(run(0, "")), HasSubstr("found ok, expected safety Inv"));
}

TEST_F(folder_of_checks, counts_are_held_against_the_line) {
  put("Gate.cfg", "\\* expect: ok distinct=6\n");
  auto const all = check_all(jobs(), [](check_job const&) { return check_outcome{0, "", 5, 9, 2, 0.1, ""}; });
  EXPECT_EQ(all[0].difference, "found distinct=5, expected 6");
}

TEST_F(folder_of_checks, a_configuration_without_an_expectation_is_a_difference_and_is_not_run) {
  put("Gate.cfg", "INIT Init\n");
  put("Nothing.cfg", "\\* expect: ok\n");
  auto const all = check_all(jobs(), [](check_job const&) -> check_outcome { throw 1; });
  EXPECT_THAT(all[0].difference, HasSubstr("first line"));
  EXPECT_THAT(all[1].difference, HasSubstr("spec=Name.tla"));
}

TEST_F(folder_of_checks, reports_escape_what_they_quote) {
  put("Gate.cfg", "\\* expect: ok\n");
  auto const all = check_all(
      jobs(), [](check_job const&) { return check_outcome{12, "A<\"B\">", 5, 9, 2, 0.1, "x < y & z"}; });
  EXPECT_THAT(to_junit(all),
              HasSubstr("found safety A&lt;&quot;B&quot;&gt;, expected ok\">x &lt; y &amp; z</failure>"));
  EXPECT_THAT(to_json(all), HasSubstr("\"property\": \"A<\\\"B\\\">\""));
}

}  // namespace
}  // namespace halfopen::tla
