#include <cstdlib>

#include <gtest/gtest.h>

#include <halfopen/app/route_process_fixture.hpp>

// Tests of the tests: gateways with one wire left out must not pass, or the wire is not tested.
namespace halfopen::route {
namespace {

struct mutant {
  char const* name;
  char const* command;
  char const* tests;  // that must fail
  friend void PrintTo(mutant const& m, std::ostream* out) { *out << m.name; }
};

class route_mutants : public ::testing::TestWithParam<mutant> {};

TEST_P(route_mutants, are_caught_by_the_route_tests) {
  temporary_folder f;
  std::vector<std::string> const command{"/usr/bin/env",
                                         std::string{"HALFOPEN_COMMAND="} + GetParam().command,
                                         "HALFOPEN_TEST_LIMIT=3000",
                                         std::filesystem::read_symlink("/proc/self/exe").string(),
                                         std::string{"--gtest_filter="} + GetParam().tests,
                                         "--gtest_output=json:" + (f / "result.json").string()};
  process tests{command, f / "out", f / "err"};
  auto const code = tests.wait(3 * long_enough);
  auto const out = contents(f / "out");
  EXPECT_EQ(code, 1) << out;
  EXPECT_NE(out.find("[  FAILED  ]"), std::string::npos) << out;
  EXPECT_NE(out.find("[  PASSED  ]"), std::string::npos) << "not even started: " << out;
}

INSTANTIATE_TEST_SUITE_P(
    wires, route_mutants,
    ::testing::Values(mutant{"recovery_not_asked", HALFOPEN_RECOVERY_NOT_ASKED,
                             "route_post_mortem.breaker_closes_after_the_timeout:route_health.*"},
                      mutant{"result_not_reported", HALFOPEN_RESULT_NOT_REPORTED,
                             "windows/route_trip.*calls_tool:route_health.*"}),
    [](auto const& info) { return info.param.name; });

}  // namespace
}  // namespace halfopen::route
