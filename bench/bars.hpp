#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/two_threads.hpp"

namespace halfopen::bench {

/// Holds figures against their limits: one line each, `name value limit ok|short`.
class bars {
 public:
  void hold(char const* name, double value, double limit) {
    bool const ok = value <= limit;
    if (!ok) short_ = true;
    std::printf("%s %.3g %.3g %s\n", name, value, limit, ok ? "ok" : "short");
    std::fflush(stdout);
  }
  [[nodiscard]] int exit_code() const { return short_ ? 1 : 0; }

 private:
  bool short_ = false;
};

/// Medians of processor time a call.
class medians : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const& runs) override {
    for (auto const& r : runs)
      if (r.run_type == Run::RT_Iteration) seen_[r.run_name.function_name].push_back(r.GetAdjustedCPUTime());
  }
  [[nodiscard]] double of(std::string const& name) const { return median(seen_.at(name)); }
  [[nodiscard]] double ratio(std::string const& name) const { return of(name) / of("fetch_add"); }

 private:
  std::map<std::string, std::vector<double>> seen_;
};

/// Runs what is registered, repeated and interleaved, so that a noisy machine disturbs all cases alike.
inline medians run_all() {
  std::string flags[]{"bars", "--benchmark_repetitions=11", "--benchmark_min_time=0.03",
                      "--benchmark_enable_random_interleaving=true"};
  std::vector<char*> argv;
  for (auto& f : flags) argv.push_back(f.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  medians seen;
  benchmark::RunSpecifiedBenchmarks(&seen);
  return seen;
}

}  // namespace halfopen::bench
