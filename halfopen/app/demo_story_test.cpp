#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/app/demo_story.hpp>

namespace halfopen::app {
namespace {

using namespace std::chrono_literals;

struct plain_terminal {
  std::ostringstream out, err;
  terminal t{out, err};
};

TEST(demo_story, tells_what_happened_and_why_in_aligned_lines) {
  plain_terminal p;
  demo_story s{p.t};
  demo_counts c{.passed = 15, .failed = 5};
  EXPECT_EQ(s.upstream(1500ms, true), "   1.5 s             the service now fails every call");
  EXPECT_EQ(s.transition(2s,
                         {.to = breaker_state::open,
                          .cause = breaker_cause::failures,
                          .calls = 10,
                          .failures = 5,
                          .wait = 1s},
                         c),
            "   2.0 s  open       5 of the last 10 calls failed; no call reaches it for 1.0 s");
  c.refused = 9;
  EXPECT_EQ(s.transition(3s, {.to = breaker_state::half_open, .cause = breaker_cause::waited}, c),
            "   3.0 s  half-open  9 calls were refused at once; now a single one goes through as a probe");
  EXPECT_EQ(
      s.transition(3s, {.to = breaker_state::open, .cause = breaker_cause::probe_failed, .wait = 2s}, c),
      "   3.0 s  open       the probe failed; no call reaches it for 2.0 s");
  EXPECT_EQ(s.upstream(3700ms, false),
            "   3.7 s             the service works again, but nobody tells the breaker");
  EXPECT_EQ(s.transition(5s, {.to = breaker_state::closed, .cause = breaker_cause::probe_succeeded}, c),
            "   5.0 s  closed     the probe succeeded; every call passes again");
  EXPECT_EQ(s.summary(c),
            "29 calls: 15 passed, 5 failed, 9 refused at once instead of adding to the trouble");
}

TEST(demo_story, counts_down_to_the_next_probe_while_open) {
  plain_terminal p;
  demo_story s{p.t};
  demo_counts const c{.passed = 1, .failed = 2, .refused = 3};
  EXPECT_EQ(s.live(1s, c, 0s), "   1.0 s  closed     passed 1   failed 2   refused 3");
  (void)s.transition(2s, {.to = breaker_state::open, .cause = breaker_cause::failures}, c);
  EXPECT_EQ(s.live(2s, c, 800ms),
            "   2.0 s  open       passed 1   failed 2   refused 3   next probe in 0.8 s");
}

TEST(demo_story, colours_states_only_where_the_terminal_shows_colours) {
  plain_terminal p;
  p.t.colours = true;
  EXPECT_THAT(demo_story{p.t}.live(1s, {}, 0s), ::testing::HasSubstr("\x1b[32mclosed   \x1b[0m"));
}

}  // namespace
}  // namespace halfopen::app
