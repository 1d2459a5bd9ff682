#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {
namespace {

using testing::HasSubstr;

trace sample() {
  trace t;
  t.spec = "Gate";
  t.property = "NoDoubleProbe";
  t.states = {
      {"Initial predicate", "", {{"x", "0", "0"}, {"pc", "<<\"a\", \"b\">>", "{\"#tup\": [\"a\", \"b\"]}"}}},
      {"Step(2)",
       "Gate.tla:9:1",
       {{"x", "1", "1"}, {"pc", "<<\"a\", \"b\">>", "{\"#tup\": [\"a\", \"b\"]}"}}},
  };
  return t;
}

TEST(trace, text_names_the_action_and_all_variables) {
  EXPECT_EQ(to_text(sample(), false),
            "State 1: <Initial predicate>\n/\\ x = 0\n/\\ pc = <<\"a\", \"b\">>\n\n"
            "State 2: <Step(2) Gate.tla:9:1>\n/\\ x = 1\n/\\ pc = <<\"a\", \"b\">>\n\n");
}

TEST(trace, a_difference_shows_only_what_changed) {
  EXPECT_THAT(to_text(sample(), true), HasSubstr("State 2: <Step(2) Gate.tla:9:1>\n/\\ x = 1\n\n"));
}

TEST(trace, a_table_has_a_column_for_each_state) {
  EXPECT_EQ(to_table(sample()),
            "    1 Initial predicate  2 Step(2)\n"
            "x   0                    1\n"
            "pc  <<\"a\", \"b\">>         .\n\n");
}

TEST(trace, a_narrow_table_is_cut_into_parts) {
  EXPECT_EQ(to_table(sample(), 20),
            "    1 Initial predicate\nx   0\npc  <<\"a\", \"b\">>\n\n"
            "    2 Step(2)\nx   1\npc  .\n\n");
}

TEST(trace, every_form_tells_where_a_lasso_goes_on) {
  auto t = sample();
  t.back_to = 0;
  EXPECT_THAT(to_text(t, false), HasSubstr("Back to state 1\n"));
  EXPECT_THAT(to_json(t), HasSubstr("\"back_to\": 1"));
  EXPECT_THAT(to_itf(t), HasSubstr("\"loop\": 0"));
  EXPECT_THAT(to_tla(t), HasSubstr("BackTo == 1"));
  t.back_to = 1;
  EXPECT_THAT(to_text(t, false), HasSubstr("Stuttering"));
}

TEST(trace, json_escapes_what_it_must) {
  EXPECT_EQ(json_quoted("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\n\\u0001\"");
}

TEST(trace, a_value_cannot_close_the_page) {
  auto t = sample();
  t.states[0].variables[0].value = "</script>";
  EXPECT_THAT(to_html(t), testing::Not(HasSubstr("\"value\": \"</script>")));
  EXPECT_THAT(to_html(t), HasSubstr("\\u003c/script>"));
}

TEST(trace, forms_are_found_by_name) {
  EXPECT_EQ(find_trace_form("html"), trace_form::html);
  EXPECT_FALSE(find_trace_form("pdf"));
}

trace with_expressions() {
  auto t = sample();
  for (auto& s : t.states) {
    s.variables.push_back({"total", "3", "3", "x + 2"});
    s.variables.push_back({"x' - x", "(no next state)", "", "x' - x"});
  }
  return t;
}

TEST(trace, expressions_stand_beside_the_variables) {
  EXPECT_THAT(to_text(with_expressions(), false), HasSubstr("/\\ total = 3\n/\\ x' - x = (no next state)\n"));
  EXPECT_THAT(to_table(with_expressions()), HasSubstr("\ntotal   3 "));
  EXPECT_THAT(to_json(with_expressions()), HasSubstr("\"expression\": \"x + 2\""));
  EXPECT_THAT(to_itf(with_expressions()), HasSubstr("\"x' - x\": \"(no next state)\""));
}

TEST(trace, a_module_calls_expressions_by_names_that_it_explains) {
  EXPECT_THAT(to_tla(with_expressions()),
              testing::AllOf(HasSubstr("\\* total is x + 2\n\\* expr4 is x' - x\n"), HasSubstr("total |-> 3"),
                             HasSubstr("expr4 |-> \"(no next state)\"")));
}

}  // namespace
}  // namespace halfopen::tla
