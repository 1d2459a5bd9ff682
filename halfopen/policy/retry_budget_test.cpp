#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <halfopen/base/random.hpp>
#include <halfopen/policy/retry_budget.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;
using namespace halfopen::literals;

constexpr instant at(duration d) { return instant{d}; }

retry_budget_config without_minimum(std::uint32_t burst) {
  return {.ratio = 20_percent, .minimum_per_second = 0, .burst = burst};
}

std::vector<retry_charge> charge_all(retry_budget& b, int wanted, instant now) {
  std::vector<retry_charge> got;
  for (int i = 0; i < wanted; ++i)
    if (auto c = b.charge(now)) got.push_back(std::move(c));
  return got;
}

// How many of them are made, sent and over.
std::size_t use(retry_budget& b, int wanted, instant now) {
  auto made = charge_all(b, wanted, now);
  for (auto& c : made) c.end();
  return made.size();
}

static_assert(sizeof(retry_budget) <= 64);

TEST(retry_budget, allows_a_share_of_the_calls) {
  retry_budget b{without_minimum(100)};
  for (int i = 0; i < 10; ++i) b.on_call();
  EXPECT_EQ(charge_all(b, 10, at(0s)).size(), 2U);
  EXPECT_EQ(b.snapshot().refused, 8U);
}

TEST(retry_budget, begins_with_nothing_saved_up) {
  retry_budget b{without_minimum(100)};
  EXPECT_FALSE(b.charge(at(0s)));
}

TEST(retry_budget, saves_up_no_more_than_its_burst) {
  retry_budget b{without_minimum(5)};
  for (int i = 0; i < 1000; ++i) b.on_call();
  EXPECT_EQ(charge_all(b, 10, at(0s)).size(), 5U);
}

// failsafe-go#139: the minimum was ignored, so that without load nothing could be retried.
TEST(retry_budget, field_66_allows_its_minimum_without_any_load) {
  retry_budget b{{.ratio = 20_percent, .minimum_per_second = 3}};
  EXPECT_EQ(use(b, 10, at(1h)), 3U);
  EXPECT_EQ(use(b, 10, at(1h + 333ms)), 0U);
  EXPECT_EQ(use(b, 10, at(1h + 334ms)), 1U);
  EXPECT_EQ(use(b, 10, at(2h)), 3U) << "what is not used in a second is not kept";
}

TEST(retry_budget, holds_its_minimum_to_the_burst_as_well) {
  retry_budget b{{.ratio = 20_percent, .minimum_per_second = 5, .burst = 2}};
  auto out = charge_all(b, 10, at(1h));
  EXPECT_EQ(out.size(), 2U);
  EXPECT_FALSE(b.charge(at(2h))) << "they are still out";
  out[0].end();
  EXPECT_TRUE(b.charge(at(2h)));
}

// go x/time/rate#71360: a clock that went back minted tokens.
TEST(retry_budget, field_42_mints_nothing_on_a_stale_clock) {
  retry_budget b{{.ratio = 20_percent, .minimum_per_second = 2}};
  EXPECT_EQ(use(b, 10, at(1h)), 2U);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(b.charge(at(1h - 1s * i)));
  EXPECT_FALSE(b.charge(at(1h + 499ms)));
}

// envoy#30205: retries that wait out their back-off were not counted like those under way, so that a thousand
// failures at once all went to wait, under a budget of 20 %.
TEST(retry_budget, field_64_is_charged_at_the_decision_and_held_until_the_retry_ends) {
  retry_budget b{without_minimum(100)};
  for (int i = 0; i < 1000; ++i) b.on_call();
  auto waiting = charge_all(b, 1000, at(0s));
  EXPECT_EQ(waiting.size(), 100U);
  for (int i = 0; i < 1000; ++i) b.on_call();
  EXPECT_FALSE(b.charge(at(0s))) << "what is out keeps its place";
  EXPECT_EQ(b.snapshot().saved_hundredths, 0U);
  for (auto& c : waiting) c.end();
  EXPECT_EQ(b.snapshot().out, 0U);
  EXPECT_FALSE(b.charge(at(0s))) << "a retry that was sent is used up";
  for (int i = 0; i < 5; ++i) b.on_call();
  EXPECT_TRUE(b.charge(at(0s)));
}

TEST(retry_budget, gives_back_what_was_never_sent) {
  retry_budget b{without_minimum(10)};
  for (int i = 0; i < 5; ++i) b.on_call();
  {
    auto const dropped = b.charge(at(0s));
  }
  EXPECT_EQ(b.snapshot().saved_hundredths, 100U);
  auto sent = b.charge(at(0s));
  sent.end();
  sent.give_back();
  EXPECT_EQ(b.snapshot().saved_hundredths, 0U) << "ended once";
}

TEST(retry_budget, takes_new_settings_and_keeps_what_is_out) {
  retry_budget b{without_minimum(10)};
  for (int i = 0; i < 50; ++i) b.on_call();
  auto out = charge_all(b, 8, at(0s));
  b.reconfigure(without_minimum(2));
  EXPECT_EQ(b.snapshot().out, 8U);
  b.on_call();
  EXPECT_EQ(b.snapshot().saved_hundredths, 200U) << "more than may be is used up, not cut";
  EXPECT_THROW(b.reconfigure(without_minimum(0)), std::invalid_argument);
  EXPECT_EQ(b.config(), without_minimum(2));
}

TEST(retry_budget, lists_what_is_wrong_with_its_settings) {
  retry_budget_config const c{.ratio = percent{101}, .minimum_per_second = 2'000'000, .burst = 0};
  EXPECT_EQ(validate(c).size(), 3U);
  EXPECT_EQ(validate({.ratio = percent{0}, .minimum_per_second = 0}).size(), 1U);
  EXPECT_THROW(retry_budget{c}, std::invalid_argument);
}

// Whatever happens in whatever order: what was added is saved, out, used up or was over the burst; and what
// may be saved or out is bounded.
TEST(retry_budget, conserves_every_retry_under_any_order_of_events) {
  rc::check([] {
    retry_budget_config const c{.ratio = percent{*rc::gen::inRange<std::uint8_t>(0, 101)},
                                .minimum_per_second = *rc::gen::inRange<std::uint32_t>(1, 4),
                                .burst = *rc::gen::inRange<std::uint32_t>(1, 6)};
    retry_budget b{c};
    std::vector<retry_charge> out;
    std::uint64_t calls = 0;
    std::uint64_t sent = 0;
    duration now{};
    for (int const act : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8))) {
      now += std::chrono::milliseconds{*rc::gen::inRange(0, 200)};
      if (act < 3) b.on_call(), ++calls;
      if (act == 3 || act == 4)
        if (auto charge = b.charge(at(now))) out.push_back(std::move(charge));
      if (act == 5 && !out.empty()) out.back().end(), out.pop_back(), ++sent;
      if (act == 6 && !out.empty()) out.pop_back();
      auto const s = b.snapshot();
      RC_ASSERT(s.out == out.size());
      RC_ASSERT(s.saved_hundredths + 100ULL * s.out < 100ULL * (c.burst + 1));
      auto const seconds = static_cast<std::uint64_t>(now / 1s) + 2;
      RC_ASSERT(100 * (sent + s.out) <= calls * c.ratio.value + 100 * c.minimum_per_second * seconds);
    }
  });
}

TEST(retry_budget, is_exact_when_sixteen_threads_share_it) {
  constexpr int threads_max = 16;
  constexpr int calls = 2000;
  retry_budget b{without_minimum(retry_budget_limit)};  // nothing is lost to the burst
  std::atomic<std::uint64_t> used{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < threads_max; ++t) {
    threads.emplace_back([&b, &used, t] {
      random_stream chance{static_cast<std::uint64_t>(t)};
      std::vector<retry_charge> out;
      for (int i = 0; i < calls; ++i) {
        b.on_call();
        auto const bits = chance();
        if (auto c = b.charge(instant{})) out.push_back(std::move(c));
        if (out.empty() || bits % 3 == 0) continue;
        if (bits % 2 == 0) out.back().end(), used.fetch_add(1);
        out.pop_back();
      }
    });
  }
  for (auto& t : threads) t.join();
  auto const s = b.snapshot();
  EXPECT_EQ(s.out, 0U);
  EXPECT_EQ(s.saved_hundredths + 100 * used, std::uint64_t{20} * threads_max * calls);
}

TEST(retry_budget, hands_out_its_minimum_once_when_threads_meet) {
  for (int round = 0; round < 50; ++round) {
    retry_budget b{{.ratio = percent{0}, .minimum_per_second = 5}};
    std::atomic<int> got{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 5; ++i)
          if (auto c = b.charge(instant{1h})) c.end(), got.fetch_add(1);
      });
    }
    for (auto& t : threads) t.join();
    EXPECT_EQ(got, 5);
  }
}

}  // namespace
}  // namespace halfopen
