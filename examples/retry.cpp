// Retries with one budget for two pipelines: an outage does not multiply the load, and the answer says why.
#include <cstdio>
#include <stdexcept>

#include <halfopen/policy/call.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/retry.hpp>
#include <halfopen/policy/timeout.hpp>

using namespace std::chrono_literals;
using namespace halfopen::literals;

namespace {

// A reply that says that the far side has retried already is not tried again here.
halfopen::verdict by_status(int const& status) {
  if (status == 429) return {halfopen::result_class::throttled, 1s};
  if (status == 503) return halfopen::verdict{halfopen::result_class::failure}.given_up();
  return status >= 500 ? halfopen::result_class::failure : halfopen::result_class::success;
}

}  // namespace

int main() {
  halfopen::retry_budget budget{{.ratio = 20_percent, .minimum_per_second = 1}};

  halfopen::pipeline get_balance{
      halfopen::timeout{800ms, "call"},  // the whole call, waits included
      halfopen::retry{{.attempts_max = 3, .backoff = 1ms, .seed = 1}, budget},
      halfopen::timeout{250ms, "attempt"},
  };
  halfopen::pipeline get_history{halfopen::retry{{.attempts_max = 2, .backoff = 1ms, .seed = 2}, budget}};

  auto const second_time = [](halfopen::attempt a) {
    if (a.number == 1) throw std::runtime_error{"connection reset"};
    return 200;
  };
  auto const r = halfopen::call<int>(get_balance, second_time, by_status);
  std::printf("%d after %u attempts\n", *r, r.story().attempts);

  // In an outage the budget is soon used up, whichever pipeline asks.
  int sent = 0;
  halfopen::give_up last{};
  for (int i = 0; i < 100; ++i) {
    auto const down = [&](halfopen::attempt) { return ++sent, 500; };
    last = halfopen::call<int>(get_history, down, by_status).story().gave_up;
  }
  std::printf("100 calls sent %d times\n", sent);
  return *r == 200 && sent <= 121 && last == halfopen::give_up::no_budget ? 0 : 1;
}
