// What a call through a breaker costs, beside a locked add on one line and beside a breaker under a mutex.
#include <benchmark/benchmark.h>

#include "bench/breaker_cases.hpp"

namespace halfopen::bench {
namespace {

template <class Case, class... Args>
void add(char const* name, Args... args) {
  auto const run = [args...](benchmark::State& state) {
    static Case* shared = nullptr;  // one breaker for all threads of a run
    if (state.thread_index() == 0) shared = new Case(args...);
    for (auto _ : state) (*shared)();
    if (state.thread_index() == 0) delete shared;
  };
  benchmark::RegisterBenchmark(name, run)->ThreadRange(1, 2)->UseRealTime();
}

template <class Case, class... Args>
void add_alone(char const* name, Args... args) {
  benchmark::RegisterBenchmark(name, [args...](benchmark::State& state) {
    Case one(args...);
    for (auto _ : state) one();
  });
}

void creation(benchmark::State& state) {
  breaker_config const config = with(consecutive{5});
  for (auto _ : state) {
    circuit_breaker breaker{config, bench_options()};
    benchmark::DoNotOptimize(breaker);
  }
}

}  // namespace
}  // namespace halfopen::bench

int main(int argc, char** argv) {
  using namespace halfopen;
  using namespace halfopen::bench;
  add<fetch_add_case>("fetch_add");
  add<mutex_case>("mutex_breaker");
  add<healthy_case>("healthy/consecutive", window_config{consecutive{5}});
  add<healthy_case>("healthy/calls", window_config{call_window<100>{}});
  add<healthy_case>("healthy/time", window_config{time_window<10>{}});
  add_alone<healthy_clocked_case>("healthy/time_coarse_clock", window_config{time_window<10>{}},
                                  coarse_clock());
  add_alone<healthy_clocked_case>("healthy/time_steady_clock", window_config{time_window<10>{}},
                                  steady_clock());
  add_alone<one_in_ten_fails_case>("one_in_ten_fails/consecutive", window_config{consecutive{5}});
  add_alone<one_in_ten_fails_case>("one_in_ten_fails/calls", window_config{call_window<100>{}});
  add_alone<one_in_ten_fails_case>("one_in_ten_fails/time", window_config{time_window<10>{}});
  add<rejected_case>("rejected");
  benchmark::RegisterBenchmark("creation", creation);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
