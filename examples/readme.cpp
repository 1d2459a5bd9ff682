// What the README shows, as a program.
#include <cstdio>
#include <utility>

#include <halfopen/policy/circuit_breaker.hpp>

using namespace std::chrono_literals;
using namespace halfopen::literals;

namespace {

void respond_503(halfopen::duration retry_after) {
  std::printf("503, Retry-After: %.0f s\n", std::chrono::duration<double>(retry_after).count());
}

}  // namespace

int main() {
  halfopen::circuit_breaker payments{{
      .window = halfopen::time_window{.length = 10s},
      .failure_rate = 50_percent,
      .minimum_calls = 20,
      .open_for = {.initial = 1s, .multiplier = 2, .maximum = 60s},
  }};

  for (int i = 0; i < 20; ++i)
    if (auto permit = payments.try_acquire()) std::move(*permit).failure();

  if (auto permit = payments.try_acquire())
    std::move(*permit).success();  // or .failure(), .ignored(); or drop it: abandoned
  else
    respond_503(permit.error().retry_after);

  return payments.state() == halfopen::breaker_state::open ? 0 : 1;
}
