#include <utility>

#include <halfopen/policy/circuit_breaker.hpp>

int main() {
  halfopen::circuit_breaker breaker{{.window = halfopen::consecutive{1}}};
  if (auto permit = breaker.try_acquire()) std::move(*permit).failure();
  return breaker.state() == halfopen::breaker_state::open ? 0 : 1;
}
