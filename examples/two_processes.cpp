// One breaker for two processes: what one of them learns keeps the other away, and a process that dies while
// it holds the probe loses it by its lease.
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include <halfopen/policy/shared_breaker.hpp>

using namespace std::chrono_literals;

namespace {

halfopen::breaker_config settings() {
  return {.window = halfopen::consecutive{2},
          .open_for = {.initial = 1s, .multiplier = 2, .maximum = 60s, .jitter = halfopen::jitter::none},
          .probe_timeout = 5s};
}

// The other process: sees two failures, comes back for the probe, and is killed with it in hand.
[[noreturn]] void doomed(std::string const& path, halfopen::instant now) {
  auto breaker = halfopen::shared_breaker::open(path, settings());
  for (int i = 0; i < 2; ++i)
    if (auto permit = breaker->try_acquire(now)) std::move(*permit).failure(now);
  auto probe = breaker->try_acquire(now + 1s);
  raise(SIGKILL);
  _exit(probe.has_value() ? 0 : 1);
}

void show(char const* when, halfopen::shared_breaker const& breaker) {
  std::printf("%-28s %s\n", when, halfopen::name(breaker.state()).data());
}

}  // namespace

int main() {
  std::string const path = "/tmp/halfopen_example_" + std::to_string(getpid());
  auto breaker = halfopen::shared_breaker::open(path, settings());
  if (!breaker) return std::printf("%s\n", breaker.error().c_str()), 1;
  halfopen::instant now = halfopen::steady_clock().now();  // the same clock in every process of a machine
  show("at first:", *breaker);

  pid_t const child = fork();
  if (child == 0) doomed(path, now);
  waitpid(child, nullptr, 0);
  show("the other process is dead:", *breaker);
  bool const held = breaker->state() == halfopen::breaker_state::half_open;

  now += 1s + 5s + 2s + 1ms;  // its back-off, its probe's lease, and the back-off after that
  if (auto permit = breaker->try_acquire(now)) std::move(*permit).success(now);
  show("the next call has probed:", *breaker);
  unlink(path.c_str());
  return held && breaker->state() == halfopen::breaker_state::closed ? 0 : 1;
}
