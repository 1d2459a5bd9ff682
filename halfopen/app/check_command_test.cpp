#include <sstream>

#include <gmock/gmock.h>

#include <halfopen/app/run.hpp>

namespace halfopen::app {
namespace {

struct said {
  int code;
  std::string out;
  std::string err;
};

said ran(std::vector<std::string> const& arguments) {
  std::ostringstream out, err;
  terminal t{out, err};
  auto const code = static_cast<int>(run(arguments, t));
  return {code, out.str(), err.str()};
}

std::string const specs = HALFOPEN_SOURCE_DIR "/specs";
std::string const breaker = specs + "/circuit_breaker/CircuitBreaker.tla";

TEST(check_command, has_tlcs_exit_codes_and_ends_with_the_counts) {
  auto const s = ran({"check", breaker, "--stats"});
  EXPECT_EQ(s.code, 0) << s.err;
  EXPECT_THAT(s.out, testing::HasSubstr("distinct=13 generated=43 depth=10 seconds="));
  EXPECT_EQ(ran({"check", breaker, "--config", specs + "/circuit_breaker/CircuitBreakerNaive.cfg"}).code, 12);
  EXPECT_EQ(ran({"check", breaker, "--config", specs + "/circuit_breaker/CircuitBreakerLiveNaive.cfg"}).code,
            13);
  EXPECT_EQ(ran({"check", breaker, "--max-states", "5"}).code, 124);
  EXPECT_EQ(ran({"check", specs + "/no_such.tla"}).code, 150);
  EXPECT_EQ(ran({"check", breaker, "--config", "no_such.cfg"}).code, 151);
  EXPECT_EQ(ran({"check"}).code, 2);
}

TEST(check_command, understands_tlcs_spellings) {
  EXPECT_EQ(ran({"check", "-deadlock", "-workers", "2", "-config",
                 specs + "/circuit_breaker/CircuitBreaker3.cfg", breaker})
                .code,
            0);
}

TEST(check_command, every_spec_of_this_project_ends_as_its_first_line_says) {
  auto const s = ran({"check", "--all", specs});
  EXPECT_EQ(s.code, 0) << s.out;
  EXPECT_THAT(s.out, testing::HasSubstr(" 0 not"));
}

}  // namespace
}  // namespace halfopen::app
