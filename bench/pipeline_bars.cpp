// Holds what a pipeline costs around a call against its limits: one line a bar, `name value limit ok|short`.
//
// Five layers: a fallback, the timeout of the call, a retry with its budget, a breaker, the timeout of each
// attempt; every call succeeds. Clock readings are measured beside it and taken off, and their number is
// told.
#include <cstdio>
#include <memory>

#include <halfopen/policy/any_pipeline.hpp>
#include <halfopen/policy/call.hpp>
#include <halfopen/policy/last_good.hpp>
#include <halfopen/policy/pipeline.hpp>

#include "bench/allocations.hpp"
#include "bench/bars.hpp"
#include "bench/compile_time.hpp"

namespace halfopen::bench {
namespace {

using namespace std::chrono_literals;

// Counts how often a call reads the clock.
struct counting_runtime {
  int* readings;
  [[nodiscard]] instant now() const noexcept {
    ++*readings;
    return steady_runtime::now();
  }
  static void sleep_until(instant at) { steady_runtime::sleep_until(at); }
};

breaker_config healthy() {
  breaker_config c;
  c.window = call_window<100>{};
  return c;
}

struct five_layers {
  circuit_breaker breaker{healthy()};
  retry_budget budget;
  pipeline<fallback<always<int>>, timeout, retry, circuit_breaker&, timeout> pipe{
      fallback{always{1}}, timeout{2s}, retry{{.seed = 1}, budget}, breaker, timeout{500ms}};

  five_layers() {
    for (int i = 0; i < 2000; ++i) (*this)();  // a full window, a full budget
  }
  void operator()() {
    auto r = call<int>(pipe, [](attempt) { return 1; });
    benchmark::DoNotOptimize(r);
  }
  [[nodiscard]] int clock_readings() {
    int n = 0;
    (void)call<int>(pipe, [](attempt) { return 1; }, classify_by_kind{}, counting_runtime{&n});
    return n;
  }
};

// As the gateway steps it.
struct five_layers_at_run_time {
  instant now = steady_runtime::now();
  std::shared_ptr<circuit_breaker> breaker = std::make_shared<circuit_breaker>(healthy());
  std::shared_ptr<retry_budget> budget = std::make_shared<retry_budget>();
  any_pipeline pipe{{any_fallback{1, {}}, timeout{2s},
                     any_retry{std::make_shared<retry>(retry_config{.seed = 1}, *budget), budget},
                     any_breaker{breaker}, timeout{500ms}}};

  five_layers_at_run_time() {
    for (int i = 0; i < 2000; ++i) (*this)();
  }
  void operator()() {
    auto c = pipe.make_call();
    attempt a;
    ended e;
    benchmark::DoNotOptimize(c.start(now, a, e));
    benchmark::DoNotOptimize(c.wake_at());
    benchmark::DoNotOptimize(c.done(now, e = ended{}));
  }
};

// Every call fails and asks the budget, which has nothing left.
struct out_of_budget {
  instant now = steady_runtime::now();
  retry_budget budget{{.ratio = percent{1}, .minimum_per_second = 0, .burst = 1}};
  pipeline<retry> pipe{retry{{.backoff = constant_backoff(1ms)}, budget}};
  void operator()() {
    auto c = pipe.make_call();
    attempt a;
    ended e;
    c.start(now, a, e);
    step s = c.done(now, e = ended{.result = result_class::failure, .why = errc::failed});
    if (s == step::stay) c.abandon(now);
    benchmark::DoNotOptimize(s);
  }
};

struct remembering {
  instant now = steady_runtime::now();
  last_good<int> last{1h};
  void operator()() { benchmark::DoNotOptimize(last.remember(1, now)); }
};

template <class Case>
void alone(char const* name, std::shared_ptr<Case> one) {
  benchmark::RegisterBenchmark(name, [one](benchmark::State& state) {
    Case& called = *one;
    for (auto _ : state) called();
  });
}

void speed(bars& b) {
  auto const five = std::make_shared<five_layers>();
  int const readings = five->clock_readings();
  alone("five", five);
  alone("any", std::make_shared<five_layers_at_run_time>());
  alone("budget", std::make_shared<out_of_budget>());
  alone("last_good", std::make_shared<remembering>());
  benchmark::RegisterBenchmark("clock", [readings](benchmark::State& state) {
    for (auto _ : state)
      for (int i = 0; i < readings; ++i) benchmark::DoNotOptimize(steady_runtime::now());
  });
  auto const seen = run_all();
  std::fprintf(stderr, "a call reads the clock %d times (%.1f ns) and takes %.1f ns in all\n", readings,
               seen.of("clock"), seen.of("five"));
  b.hold("pipeline_5_layers_success_ns", seen.of("five") - seen.of("clock"), 100);
  b.hold("pipeline_5_layers_at_run_time_ns", seen.of("any"), 200);
  b.hold("pipeline_retry_out_of_budget_ns", seen.of("budget"), 100);
  b.hold("pipeline_last_good_remember_ns", seen.of("last_good"), 60);
}

void no_allocation(bars& b) {
  five_layers five;
  five_layers_at_run_time any;
  out_of_budget failing;
  auto const before = allocations();
  for (int i = 0; i < 10'000; ++i) five(), any(), failing();
  b.hold("pipeline_allocations", static_cast<double>(allocations() - before), 0);
}

void including(bars& b) {
  b.hold("pipeline_include_cpu_s", cost_of_including("halfopen/policy/any_pipeline.hpp").seconds, 1.5);
}

}  // namespace
}  // namespace halfopen::bench

int main() {
  halfopen::bench::bars b;
  halfopen::bench::speed(b);
  halfopen::bench::no_allocation(b);
  halfopen::bench::including(b);
  return b.exit_code();
}
