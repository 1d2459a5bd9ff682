#include <sstream>

#include <gtest/gtest.h>

#include <halfopen/app/status_view.hpp>

namespace halfopen::app {
namespace {

using namespace std::chrono_literals;

TEST(status_table, aligns_a_line_a_breaker) {
  std::ostringstream out, err;
  terminal const t{out, err};
  EXPECT_EQ(
      status_table(t, {{.tool = "payments", .state = "closed", .calls = 120, .failures = 1, .in_state = 65s},
                       {.tool = "payments",
                        .host = "http://127.0.0.1:9001",
                        .state = "open",
                        .calls = 20,
                        .failures = 12,
                        .in_state = 500ms,
                        .retry_after = 3s,
                        .cause = "probe_failed"},
                       {.tool = "free"}}),
      "TOOL      HOST                   STATE        WINDOW           NEXT          WHY\n"
      "payments  -                      closed 65 s  1 of 120 failed\n"
      "payments  http://127.0.0.1:9001  open 500 ms  12 of 20 failed  probe in 3 s  probe failed\n"
      "free      -                      no breaker\n");
}

TEST(status_table, says_when_the_next_call_will_be_a_probe) {
  std::ostringstream out, err;
  terminal const t{out, err};
  auto const table = status_table(t, {{.tool = "a", .state = "open", .retry_after = 0ns}});
  EXPECT_NE(table.find("probe at the next call"), std::string::npos) << table;
}

TEST(short_time, keeps_to_one_unit) {
  EXPECT_EQ(short_time(999ms), "999 ms");
  EXPECT_EQ(short_time(119s), "119 s");
  EXPECT_EQ(short_time(120s), "2 m");
  EXPECT_EQ(short_time(48h), "2 d");
}

}  // namespace
}  // namespace halfopen::app
