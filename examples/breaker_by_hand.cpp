// A circuit breaker around a service that fails and comes back, with nothing but permits.
#include <iostream>
#include <string_view>
#include <utility>

#include <halfopen/policy/circuit_breaker.hpp>

using namespace std::chrono_literals;

namespace {

struct service {
  bool healthy = true;
  int calls = 0;
  bool call() { return ++calls, healthy; }
};

// The whole integration: ask, call, say how it went. A permit that is forgotten abandons the call by itself.
std::string_view guarded(halfopen::circuit_breaker& breaker, service& s, halfopen::instant now) {
  auto permit = breaker.try_acquire(now);
  if (!permit) return name(permit.error().why);  // and permit.error().retry_after says when to come back
  if (!s.call()) return std::move(*permit).failure(now), "failure";
  return std::move(*permit).success(now), "success";
}

}  // namespace

int main() {
  halfopen::circuit_breaker breaker{
      {.window = halfopen::consecutive{3},
       .open_for = {.initial = 1s, .multiplier = 2, .maximum = 60s, .jitter = halfopen::jitter::none}}};
  service payments;
  halfopen::instant now = breaker.now();  // time is an argument: this example need not wait

  payments.healthy = false;
  for (int i = 0; i < 5; ++i) std::cout << guarded(breaker, payments, now) << '\n';
  std::cout << payments.calls << " of 5 calls reached the service; the breaker is " << name(breaker.state())
            << '\n';
  if (payments.calls != 3 || breaker.state() != halfopen::breaker_state::open) return 1;

  payments.healthy = true;
  now += 1s;  // recovery needs no timer and no thread: the next call is the probe
  std::cout << guarded(breaker, payments, now) << "; the breaker is " << name(breaker.state()) << '\n';
  return breaker.state() == halfopen::breaker_state::closed ? 0 : 1;
}
