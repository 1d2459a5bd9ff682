// S8: the windows count what a plain list of results would.
#include <deque>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/base/random.hpp>
#include <halfopen/policy/breaker_window.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

struct recorded {
  bool failed;
  bool slow;
  instant at;
};

// The window as breaker.md says it, from the list of everything that was ever recorded.
window_counts expected(window_config const& c, std::deque<recorded> const& all, instant now) {
  window_counts sum;
  std::size_t from = 0;
  if (c.kind == window_kind::calls) from = all.size() - std::min<std::size_t>(all.size(), c.count);
  if (c.kind == window_kind::consecutive) {
    from = all.size();
    while (from > 0 && all[from - 1].failed) --from;
  }
  std::int64_t const step = (c.length.count() + c.count - 1) / c.count;
  auto const bucket = [&](instant i) { return step == 0 ? 0 : i.since_start().count() / step; };
  for (std::size_t i = from; i < all.size(); ++i) {
    if (c.kind == window_kind::time && bucket(all[i].at) <= bucket(now) - std::int64_t{c.count}) continue;
    sum.calls += 1;
    sum.failures += all[i].failed ? 1 : 0;
    sum.slow += all[i].slow && c.kind != window_kind::consecutive ? 1 : 0;
  }
  return sum;
}

class any_window : public ::testing::TestWithParam<window_config> {};

TEST_P(any_window, equals_the_list_of_results_after_every_step) {
  window_config const c = GetParam();
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<std::uint32_t> words(breaker_window::words_needed(c) + 1);
    std::uint32_t in_a_row = 0;
    breaker_window w{c, in_a_row, words.data()};
    std::deque<recorded> all;
    random_stream chance{seed};
    instant now{};
    for (int i = 0; i < 400; ++i) {
      std::uint64_t const bits = chance();
      if (bits % 4 == 0) now += std::chrono::milliseconds{below(chance(), bits % 64 == 0 ? 60'000 : 700)};
      if (bits % 101 == 0) {
        w.clear();
        all.clear();
      } else {
        bool const failed = (bits >> 8) % 3 == 0;
        bool const slow = (bits >> 16) % 5 == 0;
        w.record(failed, slow, now);
        all.push_back({failed, slow, now});
        ASSERT_EQ(w.recorded(), expected(c, all, now)) << "seed=" << seed << " step=" << i;
      }
      ASSERT_EQ(w.counts(now), expected(c, all, now)) << "seed=" << seed << " step=" << i;
      auto const later = now + std::chrono::milliseconds{below(chance(), 20'000)};
      ASSERT_EQ(w.counts(later), expected(c, all, later)) << "seed=" << seed << " step=" << i;
    }
    ASSERT_EQ(words.back(), 0U) << "wrote past its words";
  }
}

TEST_P(any_window, is_quiet_only_if_a_fast_success_changes_nothing) {
  window_config const c = GetParam();
  std::vector<std::uint32_t> words(breaker_window::words_needed(c) + 1);
  std::uint32_t in_a_row = 0;
  breaker_window w{c, in_a_row, words.data()};
  random_stream chance{5};
  int quiet = 0;
  for (int i = 0; i < 2000; ++i) {
    if (w.is_quiet()) {
      ++quiet;
      auto const before = w.counts(instant{});
      w.record(false, false, instant{});
      ASSERT_EQ(w.counts(instant{}), before);
      ASSERT_TRUE(w.is_quiet());
    }
    w.record(chance() % 300 == 0, chance() % 300 == 0, instant{});
  }
  EXPECT_EQ(quiet > 0, c.kind != window_kind::time);
}

// Calls from 1 to past a word's 32 and 64 bits; buckets from 1; a length that does not divide evenly.
INSTANTIATE_TEST_SUITE_P(
    all, any_window,
    ::testing::Values(window_config{consecutive{3}}, window_config{call_window{.size = 1}},
                      window_config{call_window{.size = 2}}, window_config{call_window{.size = 31}},
                      window_config{call_window{.size = 32}}, window_config{call_window{.size = 33}},
                      window_config{call_window{.size = 64}}, window_config{call_window{.size = 100}},
                      window_config{time_window{.length = 1s, .buckets = 1}},
                      window_config{time_window{.length = 1s, .buckets = 2}},
                      window_config{time_window{.length = 10s, .buckets = 10}},
                      window_config{time_window{.length = 1s, .buckets = 7}}),
    [](auto const& i) {
      auto const& w = i.param;
      return std::string{w.kind == window_kind::calls  ? "calls_"
                         : w.kind == window_kind::time ? "buckets_"
                                                       : "in_a_row_"} +
             std::to_string(w.count);
    });

TEST(time_window,
     field_48_52_53_an_idle_gap_of_any_length_empties_it) {  // resilience4j#2379, failsafe, cockatiel
  for (std::uint32_t const buckets : {1U, 2U, 10U}) {
    window_config const c = time_window{.length = 10s, .buckets = buckets};
    for (duration const gap :
         {duration{10s}, duration{11s}, duration{20s}, duration{1h}, duration{24h * 3650}}) {
      std::vector<std::uint32_t> words(breaker_window::words_needed(c));
      std::uint32_t none = 0;
      breaker_window w{c, none, words.data()};
      for (int round = 0; round < 3; ++round) {
        instant const now{gap * (round + 1)};
        for (int i = 0; i < 200; ++i) w.record(true, false, now);
        ASSERT_EQ(w.counts(now).failures, 200U) << "an older bucket was counted again";
      }
    }
  }
}

TEST(time_window, field_45_slides_instead_of_tumbling) {  // gobreaker#21
  window_config const c = time_window{.length = 10s, .buckets = 10};
  std::vector<std::uint32_t> words(breaker_window::words_needed(c));
  std::uint32_t none = 0;
  breaker_window w{c, none, words.data()};
  for (int s = 0; s < 100; ++s) {
    for (int i = 0; i < 10; ++i) w.record(i == 0, false, instant{std::chrono::seconds{s}});
    auto const now = w.recorded();
    if (s < 10) continue;
    EXPECT_EQ(now.failures * 10, now.calls);  // right behind a boundary as anywhere: 10 %
    EXPECT_EQ(now.calls, 100U);
  }
}

TEST(time_window, field_47_failures_age) {  // vertx-circuit-breaker#24
  window_config const c = time_window{.length = 10s, .buckets = 10};
  std::vector<std::uint32_t> words(breaker_window::words_needed(c));
  std::uint32_t none = 0;
  breaker_window w{c, none, words.data()};
  for (int i = 0; i < 4; ++i) w.record(true, false, instant{});
  w.record(true, false, instant{24h * 3});
  EXPECT_EQ(w.recorded().failures, 1U);
}

TEST(time_window, counts_never_wrap) {
  window_config const c = time_window{.length = 10s, .buckets = 1};
  std::vector<std::uint32_t> words(breaker_window::words_needed(c));
  std::uint32_t none = 0;
  breaker_window w{c, none, words.data()};
  w.record(true, false, instant{});
  words[3] = words[6] = ~0U - 1;  // as if four thousand million calls had come
  for (int i = 0; i < 5; ++i) w.record(false, false, instant{});
  EXPECT_EQ(w.recorded().calls, ~0U);
  w.record(false, false, instant{20s});
  EXPECT_EQ(w.recorded(), (window_counts{1, 0, 0}));
}

}  // namespace
}  // namespace halfopen
