#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/policy/registry.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

breaker_settings brittle(std::string name) {
  breaker_config c;
  c.window = consecutive{1};
  return {std::move(name), c};
}

pipeline_settings careful(std::string name, std::string breaker) {
  return {std::move(name),
          {timeout_settings{"call", 2s}, brittle(std::move(breaker)), timeout_settings{"attempt", 500ms}}};
}

class registry_of_pipelines : public testing::Test {
 protected:
  instant now{1h};
  registry all{{.loops = 1}};

  // One call through the pipeline, with the given result; returns its end.
  ended one(any_pipeline const& p, result_class result) {
    auto c = p.make_call();
    attempt a;
    ended e;
    if (c.start(now, a, e) == step::complete) return e;
    e = {.result = result, .why = errc::failed};
    EXPECT_EQ(c.done(now, e), step::complete);
    return e;
  }
};

TEST_F(registry_of_pipelines, finds_what_was_applied_and_nothing_else) {
  ASSERT_TRUE(all.apply({careful("pay", "payments")}, now));
  ASSERT_NE(all.find("pay"), nullptr);
  EXPECT_EQ(all.find("pay")->policies().size(), 3U);
  EXPECT_NE(all.find_breaker("payments"), nullptr);
  EXPECT_EQ(all.find("payments"), nullptr);
  EXPECT_EQ(all.find_breaker("pay"), nullptr);
}

TEST_F(registry_of_pipelines, shares_a_breaker_that_two_pipelines_name) {
  ASSERT_TRUE(all.apply({careful("pay", "bank"), careful("refund", "bank")}, now));
  one(*all.find("pay"), result_class::failure);
  EXPECT_EQ(one(*all.find("refund"), result_class::success).who, "bank");
}

// Sentinel#2901: any change of a rule rebuilds its breaker, closed. otoroshi#883: the opposite.
TEST_F(registry_of_pipelines, field_new_settings_keep_the_state_and_take_effect) {
  ASSERT_TRUE(all.apply({careful("pay", "payments")}, now));
  one(*all.find("pay"), result_class::failure);
  auto changed = careful("pay", "payments");
  std::get<breaker_settings>(changed.layers[1]).config.probes = 2;
  changed.layers.erase(changed.layers.begin());
  ASSERT_TRUE(all.apply({changed}, now));
  EXPECT_EQ(all.find_breaker("payments")->state(), breaker_state::open);
  EXPECT_EQ(all.find_breaker("payments")->config().probes, 2U);
  EXPECT_EQ(all.find("pay")->policies().size(), 2U);
}

// Polly#1578: a reload while a call is in flight takes away what the call needs.
TEST_F(registry_of_pipelines, field_a_call_goes_on_with_the_pipeline_that_it_began_with) {
  ASSERT_TRUE(all.apply({careful("pay", "payments")}, now));
  auto held = all.find("pay");
  auto c = held->make_call();
  attempt a;
  ended e;
  ASSERT_EQ(c.start(now, a, e), step::descend);
  ASSERT_TRUE(all.apply({}, now));
  e = {.result = result_class::failure, .why = errc::failed, .who = {}};
  EXPECT_EQ(c.done(now, e), step::complete);
}

// Hystrix#1737, resilience4j#2243: what was removed is kept for ever.
TEST_F(registry_of_pipelines, field_removal_frees_everything) {
  ASSERT_TRUE(all.apply({careful("pay", "payments")}, now));
  std::weak_ptr<any_pipeline const> const pipeline = all.find("pay");
  std::weak_ptr<circuit_breaker> const breaker = all.find_breaker("payments");
  ASSERT_TRUE(all.apply({}, now));
  EXPECT_TRUE(pipeline.expired());
  EXPECT_TRUE(breaker.expired());
  EXPECT_EQ(all.size(), 0U);
  EXPECT_TRUE(all.snapshot(now).empty());
}

TEST_F(registry_of_pipelines, changes_nothing_and_lists_every_problem_when_there_is_one) {
  ASSERT_TRUE(all.apply({careful("pay", "payments")}, now));
  auto bad = careful("refund", "bank");
  std::get<timeout_settings>(bad.layers[0]).length = 0s;
  std::get<breaker_settings>(bad.layers[1]).config.probes = 0;
  bad.layers.resize(9, timeout_settings{"t", 1s});
  auto twice = careful("twice", "bank");
  auto const r = all.apply({bad, twice, twice}, now);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().size(), 6U) << to_string(r.error());
  EXPECT_THAT(to_string(r.error()), HasSubstr("refund"));
  EXPECT_NE(all.find("pay"), nullptr);
  EXPECT_EQ(all.find("refund"), nullptr);
}

TEST_F(registry_of_pipelines, shows_all_counts) {
  ASSERT_TRUE(all.apply({careful("pay", "payments"), careful("find", "search")}, now));
  one(*all.find("pay"), result_class::success);
  one(*all.find("pay"), result_class::failure);
  one(*all.find("pay"), result_class::success);
  auto const seen = all.snapshot(now);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].name, "payments");
  EXPECT_EQ(seen[0].now.state, breaker_state::open);
  EXPECT_EQ(seen[0].totals.successes, 1U);
  EXPECT_EQ(seen[0].totals.failures, 1U);
  EXPECT_EQ(seen[0].totals.refused_open, 1U);
  EXPECT_EQ(seen[1].totals.admitted, 0U);
}

TEST_F(registry_of_pipelines, holds_a_hundred_thousand) {
  std::vector<pipeline_settings> many;
  for (int i = 0; i < 100'000; ++i) many.push_back(careful("p" + std::to_string(i), "b" + std::to_string(i)));
  ASSERT_TRUE(all.apply(many, now));
  EXPECT_EQ(all.size(), 100'000U);
  EXPECT_EQ(all.snapshot(now).size(), 100'000U);
  EXPECT_NE(all.find("p99999"), nullptr);
  ASSERT_TRUE(all.apply({}, now));
}

// An observer may look things up: it is told without the registry's lock.
struct curious : breaker_observer {
  registry* all = nullptr;
  int told = 0;
  void on_event(breaker_event const&) override { told += all->find_breaker("payments") != nullptr ? 1 : 0; }
};

TEST(registry, tells_observers_without_its_lock) {
  curious observer;
  registry all{{.observer = &observer}};
  observer.all = &all;
  instant const now{1h};
  ASSERT_TRUE(all.apply({careful("pay", "payments")}, now));
  auto changed = careful("pay", "payments");
  std::get<breaker_settings>(changed.layers[1]).config.window = call_window<30>{};
  ASSERT_TRUE(all.apply({changed}, now));
  EXPECT_EQ(observer.told, 1);
}

TEST_F(registry_of_pipelines, shares_a_rate_limiter_by_name_and_keeps_what_is_used_up) {
  rate_limiter_settings l{"partner", {.calls = 1, .per = 1s, .burst = 2}};
  ASSERT_TRUE(all.apply({{"pay", {l}}, {"refund", {l}}}, now));
  auto const shared = all.find_rate_limiter("partner");
  ASSERT_TRUE(shared->try_acquire(now, 2));
  l.config.burst = 3;
  ASSERT_TRUE(all.apply({{"pay", {l}}, {"refund", {l}}}, now));
  EXPECT_EQ(all.find_rate_limiter("partner"), shared);
  EXPECT_EQ(shared->snapshot(now).available, 1U);
  EXPECT_EQ(shared->name(), "partner");
  auto const wrong = all.apply({{"pay", {l, rate_limiter_settings{"partner", {.burst = 0}}}}}, now);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(to_string(wrong.error()),
            "pay.rate_limiter.burst: is 0; must be at least 1\n"
            "pay.rate_limiter: has other settings than 'partner' elsewhere");
  ASSERT_TRUE(all.apply({}, now));
  EXPECT_EQ(all.find_rate_limiter("partner"), nullptr);
}

TEST_F(registry_of_pipelines, shares_a_retry_budget_by_name_and_keeps_what_it_has_saved_up) {
  retry_settings const patient{.config = {.backoff = constant_backoff(1ms)},
                               .budget = retry_budget_settings{"fleet", {.minimum_per_second = 0}}};
  std::vector<pipeline_settings> wanted{{"pay", {patient}}, {"refund", {patient}}};
  ASSERT_TRUE(all.apply(wanted, now));
  for (int i = 0; i < 5; ++i) (void)one(*all.find("pay"), result_class::success);
  EXPECT_EQ(all.find_retry_budget("fleet")->snapshot().saved_hundredths, 100U);

  for (auto& p : wanted) std::get<retry_settings>(p.layers[0]).budget->config.ratio = percent{50};
  ASSERT_TRUE(all.apply(wanted, now));
  auto const call_on = all.find("refund")->make_call();
  EXPECT_EQ(all.find_retry_budget("fleet")->snapshot().saved_hundredths, 100U);
  EXPECT_EQ(all.find_retry_budget("fleet")->config().ratio, percent{50});

  ASSERT_TRUE(all.apply({}, now));
  EXPECT_EQ(all.find_retry_budget("fleet"), nullptr);
}

TEST_F(registry_of_pipelines, names_what_is_wrong_with_a_retry_or_a_fallback) {
  retry_settings const wrong{.config = {.attempts_max = 0},
                             .budget = retry_budget_settings{"", {.burst = 0}}};
  retry_settings const one_way{.budget = retry_budget_settings{"fleet", {}}};
  retry_settings const another{.budget = retry_budget_settings{"fleet", {.burst = 7}}};
  auto const r = all.apply({{"pay", {wrong, fallback_settings{.rungs = 0}, one_way, another}}}, now);
  ASSERT_FALSE(r);
  EXPECT_EQ(to_string(r.error()),
            "pay.retry.attempts_max: is 0; must be 1..4294967295\n"
            "pay.budget: has no name\n"
            "pay.budget.burst: is 0; must be 1..1000000\n"
            "pay.fallback: has no rungs\n"
            "pay.budget: has other settings than 'fleet' elsewhere");
}

TEST_F(registry_of_pipelines, counts_what_stands_inside_a_hedge_twice) {
  hedge_settings const h{.budget = {"fleet", {}}};
  timeout_settings const t{"attempt", 1s};
  ASSERT_TRUE(all.apply({{"pay", {t, h, t, t, t}}}, now));
  EXPECT_EQ(all.find_retry_budget("fleet").use_count(), 3) << "the registry, the pipeline, and this";
  auto const r = all.apply({{"pay", {h, t, t, t, t}}, {"refund", {h, h}}}, now);
  ASSERT_FALSE(r);
  EXPECT_EQ(to_string(r.error()),
            "pay: has 9 layers; at most 8 are possible (those inside a hedge count twice)\n"
            "refund.hedge: is there twice");
}

}  // namespace
}  // namespace halfopen
