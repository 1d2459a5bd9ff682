// Many calls at once through pipelines of real layers, over breakers that they share, in any order of events
// a driver may produce. At rest no permit and no probe is out, whatever happened.

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/base/random.hpp>
#include <halfopen/policy/any_pipeline.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

class world : public breaker_choice {
 public:
  explicit world(std::uint64_t seed) : chance_{seed} {
    for (auto& b : guarded_) {
      breaker_config c;
      c.window = chance(2) == 0 ? window_config{consecutive{1 + chance(2)}} : window_config{call_window<4>{}};
      c.minimum_calls = 2;
      c.open_for = {.initial = 2ms, .multiplier = 2, .maximum = 8ms, .jitter = jitter::full};
      c.probes = 1 + chance(2);
      c.required_successes = 1 + chance(2);
      c.probe_timeout = 4ms;
      c.max_probe_timeout = 16ms;
      c.neutral_max = 2;
      c.seed = seed;
      b.breaker = std::make_shared<circuit_breaker>(c, breaker_options{.cells = &b.cells, .now = now_});
    }
    for (std::uint32_t i = 0; i < 3; ++i) pipelines_.push_back(any_pipeline{some_policies()});
  }

  void run() {
    for (int i = 0; i < 150; ++i) one_act();
    for (auto& c : calls_) c.abandon(now_);
    calls_.clear();
    for (auto const& b : guarded_) {
      auto const totals = b.cells.sum();
      EXPECT_EQ(totals.in_flight(), 0U);
      EXPECT_EQ(b.breaker->snapshot(now_).probes_out, 0U);
      EXPECT_EQ(b.breaker->snapshot(now_).settled_twice, 0U);
      admitted += totals.admitted;
    }
    EXPECT_EQ(budget_->snapshot().out, 0U) << "every charge has ended or been given back";
    charged += budget_->snapshot().charged;
  }

  std::uint64_t admitted = 0;
  std::uint64_t orphans = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t charged = 0;
  std::uint64_t rungs = 0;
  std::uint64_t hedges = 0;

 private:
  struct guarded {
    breaker_cells cells = breaker_cells::one();
    std::shared_ptr<circuit_breaker> breaker;
  };

  std::uint32_t chance(std::uint64_t n) { return static_cast<std::uint32_t>(below(chance_(), n)); }

  std::vector<any_policy> some_policies() {
    std::vector<any_policy> listed;
    for (std::uint32_t left = chance(6); left > 0; --left) {
      switch (chance(6)) {
        case 0: listed.emplace_back(timeout{1ms * (1 + chance(5))}); break;
        case 1: listed.emplace_back(any_breaker{guarded_[chance(guarded_.size())].breaker}); break;
        case 2: listed.emplace_back(some_retry()); break;
        case 5: listed.emplace_back(any_hedge{hedge_, budget_}); break;
        case 3: listed.emplace_back(any_fallback{static_cast<std::uint8_t>(1 + chance(2)), {}}); break;
        default: listed.emplace_back(any_choice{});
      }
    }
    bool const two = std::count_if(listed.begin(), listed.end(), [](any_policy const& p) {
                       return std::holds_alternative<any_hedge>(p);
                     }) > 1;
    return two || layers_needed(listed) > any_layers_max ? some_policies() : listed;
  }

  any_retry some_retry() {
    retry_config const c{.attempts_max = 1 + chance(3),
                         .backoff = constant_backoff(1ms * chance(3)),
                         .refusals = chance(2) == 0,
                         .already_retried = chance(4) == 0};
    return {std::make_shared<retry>(c, *budget_), budget_};
  }

  chosen choose(instant, attempt const&, ended& why_not) override {
    if (chance(10) == 0) {
      why_not = {.result = result_class::refused, .why = errc::open, .who = "choice"};
      return {nullptr};
    }
    return {guarded_[chance(guarded_.size())].breaker.get()};
  }

  void one_act() {
    now_ += duration{chance(2'000'000)};
    if (calls_.size() < 6 && chance(3) == 0) return begin();
    if (calls_.empty()) return;
    std::size_t const i = chance(calls_.size());
    if (chance(8) == 0) part(i);
    ended e;
    if (chance(12) == 0) {
      calls_[i].abandon(now_);
      return forget(i);
    }
    auto const branch = static_cast<std::uint8_t>(chance(2));
    if (calls_[i].in_flight(branch) && chance(2) == 0) {
      e = {.result = static_cast<result_class>(chance(7)), .why = errc::failed};
      return act(i, calls_[i].done(now_, e, branch), e);
    }
    act(i, calls_[i].wake(now_, e), e);
  }

  void begin() {
    attempt a{.deadline = chance(2) == 0 ? instant::max() : now_ + 1ms * chance(6),
              .repeat = static_cast<repeat>(chance(3))};
    ended e;
    calls_.push_back(pipelines_[chance(pipelines_.size())].make_call(this));
    act(calls_.size() - 1, calls_.back().start(now_, a, e), e);
  }

  void part(std::size_t i) {
    if (!calls_[i].probe_can_outlive(now_)) return;
    auto apart = calls_[i].part_probe();
    calls_.push_back(std::move(apart));
    ++orphans;
  }

  void act(std::size_t i, step s, ended const& e) {
    rungs += s == step::descend && calls_[i].below().rung > 0 ? 1 : 0;
    EXPECT_EQ(s == step::descend || s == step::abort_below,
              s != step::stay && calls_[i].in_flight(calls_[i].branch()));
    hedges += s == step::descend && calls_[i].branch() == 1 ? 1 : 0;
    if (s != step::complete) return;
    timeouts += e.why == errc::timed_out && e.result == result_class::failure ? 1 : 0;
    forget(i);
  }

  void forget(std::size_t i) {
    EXPECT_TRUE(calls_[i].over());
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  random_stream chance_;
  std::shared_ptr<retry_budget> budget_ =
      std::make_shared<retry_budget>(retry_budget_config{.ratio = percent{50}, .minimum_per_second = 100});
  std::shared_ptr<hedge> hedge_ = std::make_shared<hedge>(hedge_config{.after = 1ms}, *budget_);
  instant now_{1h};
  std::array<guarded, 3> guarded_;
  std::vector<any_pipeline> pipelines_;
  std::vector<any_call> calls_;
};

TEST(any_pipeline_model, leaves_no_permit_out_under_any_order_of_events) {
  std::uint64_t admitted = 0;
  std::uint64_t orphans = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t charged = 0;
  std::uint64_t rungs = 0;
  std::uint64_t hedges = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    SCOPED_TRACE("seed=" + std::to_string(seed));
    world w{seed};
    w.run();
    if (testing::Test::HasFailure()) return;
    admitted += w.admitted;
    orphans += w.orphans;
    timeouts += w.timeouts;
    charged += w.charged;
    rungs += w.rungs;
    hedges += w.hedges;
  }
  EXPECT_GT(admitted, 10'000U) << "the test reaches what it is about";
  EXPECT_GT(orphans, 100U);
  EXPECT_GT(timeouts, 1'000U);
  EXPECT_GT(charged, 1'000U);
  EXPECT_GT(rungs, 1'000U);
  EXPECT_GT(hedges, 1'000U);
}

}  // namespace
}  // namespace halfopen
