#include <gtest/gtest.h>

#include <halfopen/app/demo_log.hpp>

namespace halfopen::app {
namespace {

std::optional<demo_transition> read(std::string_view fields) {
  return transition_of({gateway::log_level::info, "circuit breaker", fields});
}

TEST(demo_log, reads_what_the_gateway_says_of_a_breaker) {
  auto const t = read(
      R"({"tool":"service","from":"closed","to":"open","cause":"failures","calls":10,"failures":5,"for_ms":1000})");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->to, breaker_state::open);
  EXPECT_EQ(t->cause, breaker_cause::failures);
  EXPECT_EQ(t->failures, 5U);
  EXPECT_EQ(t->wait, std::chrono::seconds{1});
}

TEST(demo_log, passes_over_everything_else) {
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read("[]"));
  EXPECT_FALSE(read("{\"to\":"));
  EXPECT_FALSE(read(R"({"to":1})"));
  EXPECT_FALSE(read(R"({"to":"ajar"})"));
  EXPECT_FALSE(read(R"({"from":"closed","to":"closed"})"));
}

}  // namespace
}  // namespace halfopen::app
