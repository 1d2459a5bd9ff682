// Holds the circuit breaker's figures against their limits: one line a bar, `name value limit ok|short`.
//
// Everything is measured in this one run, repeated and interleaved, so that a noisy machine disturbs all
// cases alike; a ratio is that of two medians, its denominator a locked add on one cache line.
#include <cstdio>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/allocations.hpp"
#include "bench/bars.hpp"
#include "bench/breaker_cases.hpp"
#include "bench/compile_time.hpp"
#include "bench/two_threads.hpp"

namespace halfopen::bench {
namespace {

template <class Case>
void alone(char const* name, std::shared_ptr<Case> one) {
  benchmark::RegisterBenchmark(name, [one](benchmark::State& state) {
    Case& called = *one;
    for (auto _ : state) called();
  });
}

void alone_with_cell(char const* name, std::shared_ptr<healthy_case> one, totals_cell& cell) {
  benchmark::RegisterBenchmark(name, [one, &cell](benchmark::State& state) {
    healthy_case& called = *one;
    for (auto _ : state) called(cell);
  });
}

// In memory that has just been used: the allocator hands the same blocks out again.
void creation(benchmark::State& state) {
  breaker_config const config = with(consecutive{5});
  for (auto _ : state) {
    circuit_breaker breaker{config, bench_options()};
    benchmark::DoNotOptimize(breaker);
  }
}

void one_thread(bars& b) {
  auto cells = breaker_cells::each(1);
  alone("fetch_add", std::make_shared<fetch_add_case>());
  alone("mutex", std::make_shared<mutex_case>());
  alone("consecutive", std::make_shared<healthy_case>(consecutive{5}));
  alone("calls", std::make_shared<healthy_case>(call_window<100>{}));
  alone("time", std::make_shared<healthy_clocked_case>(time_window<10>{}, coarse_clock()));
  alone_with_cell("consecutive_cells", std::make_shared<healthy_case>(consecutive{5}, &cells), cells[0]);
  alone_with_cell("calls_cells", std::make_shared<healthy_case>(call_window<100>{}, &cells), cells[0]);
  alone("consecutive_failures", std::make_shared<one_in_ten_fails_case>(consecutive{5}));
  alone("calls_failures", std::make_shared<one_in_ten_fails_case>(call_window<100>{}));
  alone("time_failures", std::make_shared<one_in_ten_fails_case>(time_window<10>{}));
  alone("rejected", std::make_shared<rejected_case>());
  benchmark::RegisterBenchmark("creation", creation);
  auto const seen = run_all();
  std::fprintf(stderr, "a locked add takes %.2f ns, a call through a mutex breaker %.1f ns\n",
               seen.of("fetch_add"), seen.of("mutex"));
  b.hold("breaker_consecutive_healthy_x", seen.ratio("consecutive"), 0.25);
  b.hold("breaker_calls_healthy_x", seen.ratio("calls"), 0.25);
  b.hold("breaker_time_healthy_coarse_clock_x", seen.ratio("time"), 2);
  b.hold("breaker_consecutive_exact_totals_x", seen.ratio("consecutive_cells"), 0.5);
  b.hold("breaker_calls_exact_totals_x", seen.ratio("calls_cells"), 0.5);
  b.hold("breaker_consecutive_10_percent_failures_x", seen.ratio("consecutive_failures"), 3);
  b.hold("breaker_calls_10_percent_failures_x", seen.ratio("calls_failures"), 3);
  b.hold("breaker_time_10_percent_failures_x", seen.ratio("time_failures"), 3);
  b.hold("breaker_rejected_x", seen.ratio("rejected"), 1.5);
  b.hold("breaker_creation_ns", seen.of("creation"), 200);
}

template <class Case>
thread_body shared(std::shared_ptr<Case> one, private_work work) {
  return [one, work](int, std::uint64_t calls) {
    private_work mine = work;
    Case& called = *one;
    for (std::uint64_t i = 0; i < calls; ++i) {
      called();
      mine();
    }
  };
}

void two_threads(bars& b) {
  private_work const work;
  struct nothing {
    void operator()() noexcept {}
  };
  auto const ns = on_two_threads(
      {shared(std::make_shared<nothing>(), work), shared(std::make_shared<fetch_add_case>(), work),
       shared(std::make_shared<mutex_case>(), work),
       shared(std::make_shared<healthy_case>(consecutive{5}), work),
       shared(std::make_shared<healthy_case>(call_window<100>{}), work),
       shared(std::make_shared<healthy_case>(time_window<10>{}), work)},
      15);
  std::fprintf(
      stderr,
      "two threads, %.0f ns of their own work a call: a locked add %.1f ns more, a mutex breaker %.1f ns\n",
      ns[0], ns[1] - ns[0], ns[2] - ns[0]);
  b.hold("breaker_two_threads_consecutive_extra_ns", ns[3] - ns[0], 30);
  b.hold("breaker_two_threads_calls_extra_ns", ns[4] - ns[0], 30);
  b.hold("breaker_two_threads_time_compact_extra_ns", ns[5] - ns[0], 150);
}

void sizes(bars& b) {
  auto const bytes = [](window_config w) {
    return static_cast<double>(circuit_breaker{with(w)}.state_bytes());
  };
  b.hold("breaker_state_bytes_consecutive", bytes(consecutive{5}), 64);
  b.hold("breaker_state_bytes_100_calls", bytes(call_window<100>{}), 192);
  b.hold("breaker_state_bytes_10_buckets", bytes(time_window<10>{}), 256);
}

void no_allocation(bars& b) {
  healthy_case healthy[]{healthy_case{consecutive{5}}, healthy_case{call_window<100>{}},
                         healthy_case{time_window<10>{}}};
  one_in_ten_fails_case failing{call_window<100>{}};
  rejected_case rejected;
  auto const before = allocations();
  for (int i = 0; i < 10'000; ++i) {
    for (auto& h : healthy) h();
    failing();
    rejected();
  }
  b.hold("breaker_allocations", static_cast<double>(allocations() - before), 0);
}

void including(bars& b) {
  auto const cost = cost_of_including("halfopen/policy/circuit_breaker.hpp");
  b.hold("breaker_include_cpu_s", cost.seconds, 0.5);
  b.hold("breaker_include_asio", cost.has_asio ? 1 : 0, 0);
}

}  // namespace
}  // namespace halfopen::bench

int main() {
  halfopen::bench::bars b;
  halfopen::bench::one_thread(b);
  halfopen::bench::two_threads(b);
  halfopen::bench::sizes(b);
  halfopen::bench::no_allocation(b);
  halfopen::bench::including(b);
  return b.exit_code();
}
