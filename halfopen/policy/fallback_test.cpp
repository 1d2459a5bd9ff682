#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/policy/call.hpp>
#include <halfopen/policy/circuit_breaker_layer.hpp>
#include <halfopen/policy/fallback.hpp>
#include <halfopen/policy/last_good.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/retry.hpp>
#include <halfopen/policy/timeout.hpp>
#include <halfopen/policy/virtual_runtime.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

using text = std::string;

class fallbacks : public testing::Test {
 protected:
  template <class Pipeline, class Op>
  auto run(Pipeline& p, Op op) {
    return call<text>(p, op, by_text, time);
  }
  static verdict by_text(text const& s) {
    return s == "500" ? result_class::failure : s == "400" ? result_class::ignored : result_class::success;
  }
  static text down(attempt) { return "500"; }
  static text live(attempt) { return "live"; }

  instant now{1h};
  virtual_runtime time{now};
  last_good<text> last{10s};
};

TEST_F(fallbacks, are_not_asked_while_the_call_has_an_answer) {
  pipeline p{fallback{[](attempt) -> text { throw 1; }}};
  auto const r = run(p, live);
  EXPECT_EQ(*r, "live");
  EXPECT_EQ(r.story().rung, 0);
}

TEST_F(fallbacks, give_the_first_rung_that_has_an_answer_and_say_which) {
  pipeline p{fallback{[](attempt) { return text{"500"}; }, last, always{text{"static"}}}};
  auto const r = run(p, down);
  EXPECT_EQ(*r, "static");
  EXPECT_EQ(r.story().rung, 3);
  EXPECT_EQ(r.story().result, result_class::success);
  EXPECT_EQ(r.story().why, errc::failed) << "why there is nothing better";
  EXPECT_EQ(r.story().attempts, 1U);
}

TEST_F(fallbacks, say_who_refused_the_live_call) {
  circuit_breaker b{{.window = consecutive{1}}, {.name = "payments", .now = now}};
  std::move(*b.try_acquire(now)).failure(now);
  pipeline p{fallback{[](attempt) { return text{"mirror"}; }}, b};
  auto const r = run(p, live);
  EXPECT_EQ(*r, "mirror") << "the open breaker below is not asked again";
  EXPECT_EQ(r.story().who, "payments");
  EXPECT_EQ(r.story().why, errc::open);
  EXPECT_EQ(r.story().attempts, 0U);
}

TEST_F(fallbacks, are_back_to_live_by_themselves) {
  pipeline p{fallback{always{text{"static"}}}};
  EXPECT_EQ(run(p, down).story().rung, 1);
  EXPECT_EQ(run(p, live).story().rung, 0);
}

TEST_F(fallbacks, remember_live_answers_only) {
  pipeline p{fallback{last, [](attempt) { return text{"mirror"}; }}};
  EXPECT_EQ(*run(p, down), "mirror") << "nothing to remember yet";
  EXPECT_FALSE(last.recall(now)) << "a degraded answer is not taken for live";
  EXPECT_EQ(*run(p, live), "live");
  auto const stale = run(p, down);
  EXPECT_EQ(*stale, "live");
  EXPECT_EQ(stale.story().rung, 1);
  now += 10s;
  EXPECT_EQ(*run(p, down), "live");
  now += 1ns;
  EXPECT_EQ(*run(p, down), "mirror") << "too old, however often it has been shown";
}

TEST_F(fallbacks, do_not_remember_what_came_too_late) {
  pipeline p{timeout{1s}, fallback{last}};
  (void)run(p, [&](attempt) { return now += 2s, text{"late"}; });
  EXPECT_FALSE(last.recall(now));
}

TEST_F(fallbacks, end_as_the_live_call_did_where_no_rung_has_an_answer) {
  pipeline p{fallback{last, [](attempt) -> text { throw std::runtime_error{"mirror"}; }}};
  auto const own = run(p, down);
  EXPECT_EQ(*own, "500");
  EXPECT_EQ(own.story().rung, 0);
  EXPECT_EQ(own.story().result, result_class::failure);
  auto const thrown = run(p, [](attempt) -> text { throw std::runtime_error{"live"}; });
  try {
    std::rethrow_exception(thrown.error().cause);
  } catch (std::runtime_error const& e) {
    EXPECT_STREQ(e.what(), "live");
  }
}

TEST_F(fallbacks, leave_cancellations_and_the_callers_own_mistakes_alone) {
  pipeline p{fallback{always{text{"static"}}}};
  EXPECT_EQ(*run(p, [](attempt) { return text{"400"}; }), "400");
  auto c = p.make_call();
  attempt a;
  ended e;
  c.start(now, a, e);
  EXPECT_EQ(c.done(now, e = ended::called_off()), step::complete);
}

TEST_F(fallbacks, come_after_the_retries_inside_and_are_no_reason_to_retry) {
  int sent = 0;
  pipeline p{retry{{.backoff = constant_backoff(1ms)}}, fallback{always{text{"static"}}},
             retry{{.attempts_max = 2, .backoff = constant_backoff(1ms)}}};
  auto const r = run(p, [&](attempt) { return ++sent, text{"500"}; });
  EXPECT_EQ(*r, "static");
  EXPECT_EQ(sent, 2);
  EXPECT_EQ(r.story().gave_up, give_up::attempts_used);
}

TEST_F(fallbacks, keep_an_alternative_to_the_deadline_of_the_whole_call) {
  instant given;
  pipeline p{timeout{1s, "call"},
             fallback{[&](attempt a) { return given = a.deadline, now += 2s, text{"mirror"}; }},
             timeout{250ms, "attempt"}};
  auto const r = run(p, down);
  EXPECT_EQ(given, instant{1h} + 1s);
  EXPECT_EQ(r.error().who, "call");
}

TEST_F(fallbacks, within_fallbacks_each_have_their_own_rungs) {
  pipeline p{fallback{always{text{"outer"}}}, fallback{[](attempt) { return text{"500"}; }}};
  auto const r = run(p, down);
  EXPECT_EQ(*r, "outer");
  EXPECT_EQ(r.story().rung, 1);
}

TEST_F(fallbacks, decide_by_the_users_rule_where_there_is_one) {
  fallback_options const o{.name = "on refusal",
                           .when = [](ended const& e) { return e.result == result_class::refused; }};
  pipeline p{fallback{o, always{text{"static"}}}};
  EXPECT_EQ(*run(p, down), "500");
}

TEST_F(fallbacks, take_what_holds_a_value_or_not) {
  pipeline optional{fallback{[](attempt) -> std::optional<text> { return std::nullopt; },
                             [](attempt) -> std::optional<text> { return "some"; }}};
  EXPECT_EQ(run(optional, down).story().rung, 2);
  pipeline expects{fallback{[](attempt) -> expected<text, int> { return unexpected<int>{1}; },
                            [](attempt) -> expected<text, int> { return "some"; }}};
  EXPECT_EQ(run(expects, down).story().rung, 2);
  pipeline with_error{fallback{always{7}}};
  auto const r = call<int>(
      with_error, [](attempt) -> expected<int, text> { return unexpected<text>{"no"}; }, classify_by_kind{},
      time);
  EXPECT_EQ(*r, 7);
  pipeline nothing{fallback{[](attempt) {}}};
  EXPECT_TRUE(call<void>(nothing, [](attempt) { throw 1; }, classify_by_kind{}, time));
  pipeline call_within{fallback{[&](attempt) { return run(expects, live); }, always{text{"x"}}}};
  EXPECT_EQ(*run(call_within, [&](attempt) { return run(expects, live); }), "live");
}

TEST_F(fallbacks, move_a_value_that_cannot_be_copied) {
  pipeline p{fallback{[](attempt) { return std::make_unique<int>(7); }}};
  auto const r = call<std::unique_ptr<int>>(
      p, [](attempt) -> std::unique_ptr<int> { throw 1; }, classify_by_kind{}, time);
  EXPECT_EQ(**r, 7);
}

TEST(last_good, keeps_the_latest_value_whatever_the_order_in_which_they_come) {
  last_good<int> kept{10s};
  EXPECT_FALSE(kept.recall(instant{1s}));
  EXPECT_TRUE(kept.remember(1, instant{2s}));
  EXPECT_FALSE(kept.remember(2, instant{1s})) << "an older answer that comes later";
  EXPECT_EQ(kept.recall(instant{12s}), 1);
  EXPECT_FALSE(kept.recall(instant{12s + 1ns}));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(kept.remember(i, instant{2s}));
  EXPECT_EQ(kept.recall(instant{3s}), 99);
}

TEST(last_good, keeps_what_it_has_where_a_copy_throws) {
  struct brittle {
    bool throws = false;
    int value = 0;
    brittle(bool t, int v) : throws{t}, value{v} {}
    brittle(brittle const& b) : throws{b.throws}, value{b.value} {
      if (throws) throw 1;
    }
    brittle& operator=(brittle const& b) {
      if (b.throws) throw 1;
      value = b.value;
      return *this;
    }
  };
  last_good<brittle> kept{10s};
  EXPECT_TRUE(kept.remember({false, 1}, instant{1s}));
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(kept.remember({true, 2}, instant{2s}));
  EXPECT_EQ(kept.recall(instant{3s})->value, 1);
  EXPECT_TRUE(kept.remember({false, 3}, instant{4s}));
  EXPECT_EQ(kept.recall(instant{4s})->value, 3);
}

// A value is seen whole or not at all. Meant for ThreadSanitizer, and true without it.
TEST(last_good, is_whole_and_never_goes_back_when_threads_meet) {
  struct pair {
    std::uint64_t one;
    std::uint64_t two;
  };
  last_good<pair> kept{1h};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&kept, t] {
      for (std::uint64_t i = 1; i < 20'000; ++i) {
        std::uint64_t const v = 2 * i + static_cast<std::uint64_t>(t);
        kept.remember({v, ~v}, instant{duration{static_cast<std::int64_t>(v)}});
      }
    });
  }
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      std::uint64_t latest = 0;
      while (!stop) {
        auto const v = kept.recall(instant{1ms});
        if (!v) continue;
        EXPECT_EQ(v->one, ~v->two);
        EXPECT_GE(v->one, latest);
        latest = v->one;
      }
    });
  }
  threads[0].join();
  threads[1].join();
  stop = true;
  threads[2].join();
  threads[3].join();
  EXPECT_GT(kept.recall(instant{1ms})->one, 30'000U);
}

}  // namespace
}  // namespace halfopen
