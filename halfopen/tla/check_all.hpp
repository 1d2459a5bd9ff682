#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/base/expected.hpp>

/// A folder of specs in which every configuration says what must come out:
///
///     \* expect: ok
///     \* expect: safety NoDoubleProbe
///     \* expect: ok distinct=1295 depth=12 spec=Breaker.tla
///
/// An expected failure is then as good as an expected success, and anything else is a difference.
namespace halfopen::tla {

/// The first line of a configuration, understood.
struct expectation {
  std::string verdict;   // ok, safety, liveness, deadlock, assumption, evaluation, spec, config, not-finished
  std::string property;  // that must break; empty: any
  std::string spec;  // empty: the module of the same folder whose name is the longest beginning of the file's
  std::int64_t distinct = -1;  // -1: any
  std::int64_t depth = -1;
};

/// What is wrong with the line, if it is no expectation.
[[nodiscard]] expected<expectation, std::string> parse_expectation(std::string_view first_line);

struct check_job {
  std::string spec;  // empty where no module fits; `problem` says so then
  std::string config;
  expectation want;
  std::string problem;  // empty, or why it cannot be run
};

/// Every .cfg under a folder, in the order of their names.
[[nodiscard]] std::vector<check_job> find_checks(std::string const& folder);

struct check_outcome {
  int exit_code = 0;  // TLC's: see docs/checker.md
  std::string property;
  std::int64_t distinct = 0;
  std::int64_t generated = 0;
  std::int64_t depth = 0;
  double seconds = 0;
  std::string text;  // for a person
};

/// "ok" for 0, "safety" for 12, ...; "?" for a number that no check ends with.
[[nodiscard]] std::string_view verdict_name(int exit_code) noexcept;

struct checked {
  check_job job;
  check_outcome found;
  std::string difference;  // empty where what came out was expected
};

/// Runs every job and compares. `one` checks a spec with a configuration; `done` hears of each as it ends.
[[nodiscard]] std::vector<checked> check_all(std::vector<check_job> const& jobs,
                                             std::function<check_outcome(check_job const&)> const& one,
                                             std::function<void(checked const&)> const& done = {});

[[nodiscard]] bool all_as_expected(std::vector<checked> const& all) noexcept;

/// A line a check, and a last one that counts.
[[nodiscard]] std::string to_table(std::vector<checked> const& all);

/// An object of docs/schemas/check-all.schema.json.
[[nodiscard]] std::string to_json(std::vector<checked> const& all);

/// JUnit XML, as CI servers read it.
[[nodiscard]] std::string to_junit(std::vector<checked> const& all);

}  // namespace halfopen::tla
