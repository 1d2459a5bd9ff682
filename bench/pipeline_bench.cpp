// What layers cost around a call: a pipeline fixed at compile time, and one that is put together at run time.
#include <memory>

#include <benchmark/benchmark.h>

#include <halfopen/policy/any_pipeline.hpp>
#include <halfopen/policy/call.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/virtual_runtime.hpp>

namespace {

using namespace halfopen;
using namespace std::chrono_literals;

breaker_config healthy() {
  breaker_config c;
  c.window = call_window<100>{};
  return c;
}

// The breaker is full of successes, so that what is measured is the way there and back.
void warm(circuit_breaker& b, instant now) {
  for (int i = 0; i < 200; ++i)
    if (auto p = b.try_acquire(now)) std::move(*p).success(now);
}

void blocking_call_without_a_clock(benchmark::State& state) {
  instant now{1h};
  circuit_breaker b{healthy(), {.now = now}};
  warm(b, now);
  pipeline p{timeout{2s}, b, timeout{500ms}};
  virtual_runtime const time{now};
  for (auto _ : state) {
    auto r = call<int>(p, [](attempt) { return 1; }, classify_by_kind{}, time);
    benchmark::DoNotOptimize(r);
  }
}
BENCHMARK(blocking_call_without_a_clock);

void blocking_call(benchmark::State& state) {
  circuit_breaker b{healthy()};
  warm(b, b.now());
  pipeline p{timeout{2s}, b, timeout{500ms}};
  for (auto _ : state) {
    auto r = call<int>(p, [](attempt) { return 1; });
    benchmark::DoNotOptimize(r);
  }
}
BENCHMARK(blocking_call);

void two_clock_readings(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(steady_runtime::now());
    benchmark::DoNotOptimize(steady_runtime::now());
  }
}
BENCHMARK(two_clock_readings);

// As the gateway steps it.
void any_pipeline_stepped(benchmark::State& state) {
  instant const now{1h};
  auto b = std::make_shared<circuit_breaker>(healthy(), breaker_options{.now = now});
  warm(*b, now);
  any_pipeline const p{{timeout{2s}, any_breaker{b}, timeout{500ms}}};
  for (auto _ : state) {
    auto c = p.make_call();
    attempt a;
    ended e;
    benchmark::DoNotOptimize(c.start(now, a, e));
    benchmark::DoNotOptimize(c.wake_at());
    benchmark::DoNotOptimize(c.done(now, e));
  }
  state.counters["bytes"] = sizeof(any_call);
}
BENCHMARK(any_pipeline_stepped);

}  // namespace

BENCHMARK_MAIN();
