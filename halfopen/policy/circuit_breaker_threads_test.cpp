// What must hold when threads meet. Meant for ThreadSanitizer, and true without it.
#include <thread>

#include <halfopen/base/random.hpp>
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

constexpr int threads_max = 4;

template <class F>
void in_threads(F work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < threads_max; ++i) threads.emplace_back([&work, i] { work(i); });
  for (auto& t : threads) t.join();
}

class order_keeper final : public breaker_observer {
 public:
  void on_event(breaker_event const& e) override {
    if (e.kind != breaker_event_kind::transition) return;
    EXPECT_EQ(e.epoch, last.epoch + 1);  // S6
    EXPECT_EQ(e.from, last.to);
    last = e;
    trips += e.cause == breaker_cause::failures ? 1U : 0U;
  }
  breaker_event last{.to = breaker_state::closed};
  std::uint64_t trips = 0;
};

class under_threads : public ::testing::TestWithParam<window_config> {};

TEST_P(under_threads, nothing_is_lost_and_every_event_is_told_once_in_order) {
  breaker_config c{.window = GetParam(), .minimum_calls = 5, .open_for = {.initial = 1ms, .maximum = 8ms}};
  c.probe_timeout = 2ms;
  c.max_probe_timeout = 8ms;
  c.probes = c.required_successes = 2;
  c.events_max = 1U << 16;
  auto cells = breaker_cells::each(threads_max);
  manual_clock clock;
  order_keeper keeper;
  circuit_breaker b{c, {.clock = clock.source(), .cells = &cells, .observer = &keeper, .now = instant{}}};
  std::atomic<std::int64_t> now{0};
  in_threads([&](int me) {
    random_stream chance{static_cast<std::uint64_t>(me)};
    std::vector<permit> held;
    auto& cell = cells[static_cast<std::size_t>(me)];
    for (int i = 0; i < 3000; ++i) {
      auto const bits = chance();
      instant const t{std::chrono::microseconds{now.fetch_add(static_cast<std::int64_t>(bits % 60))}};
      if (auto p = b.try_acquire(t, cell)) held.push_back(*std::move(p));
      if (held.size() > 3 || bits % 2 == 0) {
        if (!held.empty()) std::move(held.back()).settle(static_cast<outcome>(bits >> 8 & 3), t);
        if (!held.empty()) held.pop_back();
      }
      if (bits % 701 == 0) b.reset(t);
      if (bits % 907 == 0) b.metrics_only(t), b.automatic(t);
      if (bits % 311 == 0) (void)b.snapshot(t);
      if (bits % 313 == 0) (void)b.would_admit(t);
    }
  });
  auto const s = b.snapshot(instant{1h});
  EXPECT_EQ(keeper.last.epoch, s.epoch);
  EXPECT_EQ(s.events_lost, 0U);
  EXPECT_EQ(cells.sum().in_flight(), 0U);  // S4: admitted = settled
  EXPECT_EQ(s.settled_twice, 0U);
  EXPECT_GT(keeper.trips, 0U);
}
INSTANTIATE_TEST_SUITE_P(windows, under_threads,
                         ::testing::Values(window_config{consecutive{3}},
                                           window_config{call_window{.size = 20}},
                                           window_config{time_window{.length = 1s}}));

// Nobody inside a method: the trips are those of a sequential window. With only failures, each `n` of them is
// one trip.
TEST(circuit_breaker_threads, trip_exactly_once_for_each_window_full_of_failures) {
  breaker_config const c{.window = consecutive{10}, .open_for = {.initial = 1s, .jitter = jitter::none}};
  for (int round = 0; round < 20; ++round) {
    order_keeper keeper;
    circuit_breaker b{c, {.observer = &keeper, .now = instant{}}};
    std::vector<permit> permits[threads_max];
    for (auto& mine : permits) {
      for (int i = 0; i < 5; ++i) mine.push_back(*b.try_acquire(instant{}));
    }
    in_threads([&](int me) {
      for (auto& p : permits[me]) std::move(p).failure(instant{});
    });
    EXPECT_EQ(keeper.trips, 1U);  // twenty failures: one trip, ten late
    EXPECT_EQ(b.snapshot(instant{}).epoch, 1U);
  }
}

TEST(circuit_breaker_threads, a_reader_never_sees_fewer_admissions_than_settlements) {
  auto cells = breaker_cells::each(threads_max);
  circuit_breaker b{plain_breaker(), {.cells = &cells, .now = instant{}}};
  std::atomic<int> done{0};
  std::thread reader{[&] {
    while (done.load() < threads_max) {
      auto const t = cells.sum();
      EXPECT_LE(t.settled(), t.admitted);
    }
  }};
  in_threads([&](int me) {
    for (int i = 0; i < 20'000; ++i) {
      std::move(*b.try_acquire(instant{}, cells[static_cast<std::size_t>(me)])).success(instant{});
    }
    done.fetch_add(1);
  });
  reader.join();
  EXPECT_EQ(cells.sum().successes, 20'000U * threads_max);
  EXPECT_EQ(cells.sum().in_flight(), 0U);
}

TEST(circuit_breaker_threads, settings_change_while_calls_run) {
  breaker_subject s{{.window = call_window{.size = 50}, .minimum_calls = 40}};
  std::atomic<bool> stop{false};
  std::thread operators{[&] {
    for (int i = 0; i < 200; ++i) {
      auto c = s.breaker.config();
      c.window = i % 3 == 0   ? window_config{call_window{.size = 41U + static_cast<unsigned>(i)}}
                 : i % 3 == 1 ? window_config{time_window{.length = 10s}}
                              : window_config{consecutive{1000}};
      c.probes = c.required_successes = 1U + static_cast<unsigned>(i) % 4;
      c.slow_after = i % 2 == 0 ? duration{1s} : duration::max();
      EXPECT_TRUE(s.breaker.reconfigure(c, s.now()));
    }
    stop = true;
  }};
  in_threads([&](int me) {
    for (int i = 0; !stop; ++i) {
      auto p = s.breaker.try_acquire();
      if (p && (i + me) % 5 == 0)
        std::move(*p).failure();
      else if (p)
        std::move(*p).success();
    }
  });
  operators.join();
  EXPECT_EQ(s.totals().in_flight(), 0U);
}

}  // namespace
}  // namespace halfopen
