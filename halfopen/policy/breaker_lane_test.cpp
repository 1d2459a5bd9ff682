// A lane beside the lock counts every success once, in its own epoch and bucket, or not at all.
#include <functional>
#include <thread>

#include <halfopen/base/random.hpp>
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

constexpr instant bucket_end{1s};
constexpr instant in_bucket{1s - 1ns};

using lane = success_lane<std::atomic>;

TEST(success_lane, counts_nothing_until_it_is_opened) {
  lane l;
  EXPECT_TRUE(l.is_shut());
  EXPECT_FALSE(l.count(0, in_bucket));
  EXPECT_EQ(l.shut(), 0U);
}

TEST(success_lane, counts_in_its_epoch_and_bucket_alone) {
  lane l;
  l.open(7, bucket_end);
  EXPECT_TRUE(l.count(7, in_bucket));
  EXPECT_FALSE(l.count(7, bucket_end));  // the next bucket's
  EXPECT_FALSE(l.count(6, in_bucket));
  EXPECT_FALSE(l.count(8, in_bucket));
  EXPECT_TRUE(l.count(7, in_bucket));
  EXPECT_EQ(l.shut(), 2U);
  EXPECT_FALSE(l.count(7, in_bucket));
}

TEST(success_lane, begins_from_none_each_time_it_is_opened) {
  lane l;
  for (std::uint32_t i = 0; i < 100'000; ++i) {  // more often than there are generations
    l.open(i, bucket_end);
    for (std::uint32_t k = 0; k < i % 3; ++k) EXPECT_TRUE(l.count(i, in_bucket));
    EXPECT_EQ(l.shut(), i % 3);
  }
}

TEST(success_lane, that_is_full_counts_no_further) {
  constexpr std::uint32_t most = (1U << 16) - 1;
  lane l;
  l.open(0, bucket_end);
  for (std::uint32_t i = 0; i < most; ++i) ASSERT_TRUE(l.count(0, in_bucket));
  EXPECT_FALSE(l.count(0, in_bucket));
  EXPECT_EQ(l.shut(), most);
}

// Between a look and the exchange another thread does something, once.
std::function<void()> meanwhile;

template <class T>
struct disturbed : std::atomic<T> {
  using std::atomic<T>::atomic;
  bool compare_exchange_weak(T& seen, T wanted, std::memory_order a, std::memory_order b) {
    if (auto const act = std::exchange(meanwhile, nullptr)) act();
    return std::atomic<T>::compare_exchange_strong(seen, wanted, a, b);
  }
};

TEST(success_lane, a_count_that_meets_another_generation_looks_again) {
  success_lane<disturbed> l;
  l.open(0, bucket_end);
  meanwhile = [&] {
    EXPECT_EQ(l.shut(), 0U);
    l.open(0, instant{1ms});  // as it was, but for the bucket
  };
  EXPECT_FALSE(l.count(0, in_bucket));
  EXPECT_EQ(l.shut(), 0U);
}

TEST(success_lane, a_count_that_meets_another_epoch_is_none) {
  success_lane<disturbed> l;
  l.open(0, bucket_end);
  meanwhile = [&] {
    EXPECT_EQ(l.shut(), 0U);
    l.open(1, bucket_end);
  };
  EXPECT_FALSE(l.count(0, in_bucket));
  EXPECT_EQ(l.shut(), 0U);
}

TEST(success_lane, a_count_that_meets_another_count_is_not_lost) {
  success_lane<disturbed> l;
  l.open(0, bucket_end);
  meanwhile = [&] { EXPECT_TRUE(l.count(0, in_bucket)); };
  EXPECT_TRUE(l.count(0, in_bucket));
  EXPECT_EQ(l.shut(), 2U);
}

// --- in a breaker

breaker_config const healthy{.window = time_window{.length = 10s, .buckets = 10}, .minimum_calls = 4};

TEST(success_lane, every_success_of_a_healthy_breaker_is_in_its_window) {
  breaker_subject s{healthy};
  for (int second = 0; second < 30; ++second) {
    s.calls(5, outcome::success);
    s.after(1s);
  }
  EXPECT_EQ(s.look().window, (window_counts{45, 0, 0}));  // nine whole buckets, and one just begun
  EXPECT_EQ(s.totals().successes, 150U);
}

TEST(success_lane, successes_beside_the_lock_weigh_when_failures_come) {
  breaker_subject s{healthy};
  s.calls(20, outcome::success);
  s.calls(19, outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::closed);
  s.call(outcome::failure);
  EXPECT_EQ(s.state(), breaker_state::open);
  EXPECT_EQ(s.events.back().counts, (window_counts{40, 20, 0}));
}

TEST(success_lane, a_success_can_still_trip_what_has_failures) {
  breaker_subject s{healthy};
  s.calls(2, outcome::failure);
  s.call(outcome::success);
  EXPECT_EQ(s.state(), breaker_state::closed);
  s.call(outcome::success);  // completes minimum_calls
  EXPECT_EQ(s.state(), breaker_state::open);
}

TEST(success_lane, a_success_can_still_trip_what_has_slow_calls) {
  auto c = healthy;
  c.slow_rate = percent{50};
  c.slow_after = 100ms;
  breaker_subject s{c};
  s.slow_call(101ms);
  s.slow_call(101ms);
  s.call(outcome::success);
  EXPECT_EQ(s.state(), breaker_state::closed);
  s.call(outcome::success);  // completes minimum_calls
  EXPECT_EQ(s.state(), breaker_state::open);
}

TEST(success_lane, a_slow_success_is_counted_as_slow) {
  auto c = healthy;
  c.slow_rate = percent{50};
  c.slow_after = 100ms;
  breaker_subject s{c};
  s.calls(4, outcome::success);
  s.slow_call(101ms);
  EXPECT_EQ(s.look().window, (window_counts{5, 0, 1}));
}

TEST(success_lane, a_late_success_counts_in_no_window) {  // S2
  breaker_subject s{healthy};
  s.calls(3, outcome::success);
  auto early = s.admitted();
  s.breaker.reset(s.now());
  s.calls(2, outcome::success);
  std::move(early).success(s.now());
  EXPECT_EQ(s.look().window, (window_counts{2, 0, 0}));
  EXPECT_EQ(s.totals().late_successes, 1U);
}

TEST(success_lane, a_reload_carries_what_was_counted_beside) {
  breaker_subject s{healthy};
  s.calls(6, outcome::success);
  auto c = healthy;
  c.failure_rate = percent{60};
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  EXPECT_EQ(s.look().window, (window_counts{6, 0, 0}));
  s.calls(2, outcome::success);
  c.window = time_window{.length = 20s, .buckets = 10};
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  EXPECT_EQ(s.events.back().counts, (window_counts{8, 0, 0}));
  EXPECT_EQ(s.look().window, window_counts{});
}

TEST(success_lane, loses_no_success_among_threads_that_look_and_fail) {
  constexpr int threads = 4;
  constexpr int calls = 5'000;
  breaker_config const c{.window = time_window{.length = 1h, .buckets = 10}, .failure_rate = percent{100}};
  circuit_breaker b{c, {.now = instant{}}};
  std::atomic<std::uint32_t> failures{0};
  std::vector<std::thread> all;
  for (int me = 0; me < threads; ++me) {
    all.emplace_back([&, me] {
      random_stream chance{static_cast<std::uint64_t>(me)};
      for (int i = 0; i < calls; ++i) {
        auto p = b.try_acquire(instant{});
        if (me == 0 && i > calls / 2 && chance() % 64 == 0)
          failures.fetch_add(1), std::move(*p).failure(instant{});
        else
          std::move(*p).success(instant{});
        if (chance() % 128 == 0) (void)b.snapshot(instant{});
      }
    });
  }
  for (auto& t : all) t.join();
  EXPECT_EQ(b.snapshot(instant{}).window, (window_counts{threads * calls, failures, 0}));
}

}  // namespace
}  // namespace halfopen
