#include "bench/two_threads.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <thread>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

namespace halfopen::bench {
namespace {

using clock = std::chrono::steady_clock;
using nanoseconds = std::chrono::duration<double, std::nano>;

constexpr std::uint64_t calls_a_round = 20'000;
constexpr int tries_a_round = 50;

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);  // best effort: an unpinned run is only noisier
}

long taken_away() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nivcsw;
}

struct round_time {
  double ns = 0;
  bool undisturbed = false;  // the system took neither thread off its processor
};

round_time try_round(thread_body const& body) {
  std::barrier together{2};
  round_time each[2];
  auto const run = [&](int number) {
    pin(number);
    body(number, calls_a_round / 10);
    long const before = taken_away();
    together.arrive_and_wait();
    auto const start = clock::now();
    body(number, calls_a_round);
    each[number].ns = nanoseconds{clock::now() - start}.count() / static_cast<double>(calls_a_round);
    each[number].undisturbed = taken_away() == before;
  };
  std::thread other{run, 1};
  run(0);
  other.join();
  return {(each[0].ns + each[1].ns) / 2, each[0].undisturbed && each[1].undisturbed};
}

// A round in which the system ran something else in between says nothing about the call.
double one_round(thread_body const& body) {
  round_time seen;
  for (int i = 0; i < tries_a_round && !seen.undisturbed; ++i) seen = try_round(body);
  return seen.ns;
}

}  // namespace

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> on_two_threads(std::vector<thread_body> const& bodies, int rounds) {
  std::vector<std::vector<double>> seen(bodies.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < bodies.size(); ++i) seen[i].push_back(one_round(bodies[i]));
  std::vector<double> medians;
  for (auto const& s : seen) medians.push_back(median(s));
  return medians;
}

private_work::private_work() {
  constexpr int repetitions = 10'000;
  std::vector<double> seen;
  for (int i = 0; i < 9; ++i) {
    auto const start = clock::now();
    for (int k = 0; k < repetitions; ++k) (*this)();
    seen.push_back(nanoseconds{clock::now() - start}.count() / repetitions);
  }
  steps_ = static_cast<std::uint32_t>(steps_ * 80 / median(seen));
}

}  // namespace halfopen::bench
