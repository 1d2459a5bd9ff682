// Timeouts and a circuit breaker in one pipeline, around an operation that returns, fails or throws.
#include <cstdio>
#include <stdexcept>
#include <string>

#include <halfopen/policy/call.hpp>
#include <halfopen/policy/circuit_breaker_layer.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/timeout.hpp>

using namespace std::chrono_literals;
using namespace halfopen::literals;

namespace {

struct reply {
  int status = 200;
  std::string body;
};

// What counts as what. The caller gets the reply in any case; only the counting differs.
halfopen::verdict by_status(reply const& r) {
  if (r.status == 429) return {halfopen::result_class::throttled, 2s};
  if (r.status >= 500) return halfopen::result_class::failure;
  return r.status >= 400 ? halfopen::result_class::ignored : halfopen::result_class::success;
}

}  // namespace

int main() {
  halfopen::circuit_breaker payments{
      {.window = halfopen::call_window<10>{}, .failure_rate = 50_percent, .minimum_calls = 4},
      {.name = "payments"}};

  halfopen::pipeline get_balance{
      // first listed is outermost
      halfopen::timeout{800ms, "call"},     // the whole call
      payments,                             // shared by reference
      halfopen::timeout{250ms, "attempt"},  // each attempt; a probe gets its lease instead
  };

  auto const ok =
      halfopen::call<reply>(get_balance, [](halfopen::attempt) { return reply{200, "42"}; }, by_status);
  std::printf("balance: %s\n", ok->body.c_str());

  // A deadline comes with every attempt; client.get(url, a.deadline) would keep to it.
  auto const broken = [](halfopen::attempt) -> reply { throw std::runtime_error{"no route to host"}; };
  for (int i = 0; i < 3; ++i) {
    auto const r = halfopen::call<reply>(get_balance, broken, by_status);
    std::printf("%s\n", halfopen::name(r.error().why).data());
  }

  auto const refused = halfopen::call<reply>(get_balance, broken, by_status);
  std::printf("refused by %s: %s\n", refused.error().who.data(), halfopen::name(refused.error().why).data());
  return refused.error().why == halfopen::errc::open ? 0 : 1;
}
