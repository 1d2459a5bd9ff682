#include <gtest/gtest.h>

#include <halfopen/tla/check_all.hpp>
#include <halfopen/tla/verify.hpp>

namespace halfopen::tla {
namespace {

/// What other checkers got wrong: specs/language, with what must come out on the first line of each
/// configuration.
TEST(language, every_spec_of_what_checkers_got_wrong_has_its_verdict) {
  auto const jobs = find_checks(HALFOPEN_SOURCE_DIR "/specs/language");
  EXPECT_GE(jobs.size(), 14U);
  auto const results = check_all(jobs, [](check_job const& job) {
    auto const r = verify({.spec = job.spec, .config = job.config});
    return check_outcome{static_cast<int>(r.how),
                         r.property,
                         static_cast<std::int64_t>(r.counts.distinct),
                         static_cast<std::int64_t>(r.counts.generated),
                         static_cast<std::int64_t>(r.counts.depth),
                         0,
                         to_text(r)};
  });
  for (auto const& r : results) EXPECT_EQ(r.difference, "") << r.job.config << "\n" << r.found.text;
}

}  // namespace
}  // namespace halfopen::tla
