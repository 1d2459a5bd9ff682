// A hedge: a second attempt beside one that takes long. A driver of two operations at once, as an event loop
// would do it; the blocking call() makes no hedge, for it cannot run two.
#include <array>
#include <cstdio>

#include <halfopen/policy/circuit_breaker_layer.hpp>
#include <halfopen/policy/hedge.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/timeout.hpp>

using namespace std::chrono_literals;
using namespace halfopen::literals;
using halfopen::instant;
using halfopen::step;

namespace {

// Two operations that may be under way, and when each of them will have its answer.
struct operations {
  std::array<instant, 2> ready{instant::max(), instant::max()};

  [[nodiscard]] std::uint8_t first() const { return ready[1] < ready[0] ? 1 : 0; }
};

}  // namespace

int main() {
  halfopen::retry_budget budget{{.ratio = 10_percent, .minimum_per_second = 10}};
  halfopen::circuit_breaker search{{.seed = 7}, {.name = "search"}};

  halfopen::pipeline find{
      halfopen::timeout{800ms, "call"},
      halfopen::hedge{{.after = 50ms, .observed = 95_percent}, budget},  // 50 ms until enough is known
      search,                                                            // guards both attempts
      halfopen::timeout{250ms, "attempt"},
  };

  instant now{1h};
  auto call = find.make_call();
  halfopen::attempt a{.repeat = halfopen::repeat::at_once};  // a search may run twice
  halfopen::ended e;
  operations running;

  for (step s = call.start(now, a, e); s != step::complete;) {
    if (s == step::descend) {
      auto const takes = call.branch() == 0 ? 200ms : 20ms;  // the first one has met a slow replica
      running.ready[call.branch()] = now + takes;
      std::printf("%3lld ms: attempt %u begins\n", static_cast<long long>((now - instant{1h}) / 1ms),
                  call.below().number);
    }
    if (s == step::abort_below) {
      std::uint8_t const loser = call.branch();
      running.ready[loser] = instant::max();
      s = call.done(now, e = halfopen::ended::called_off(), loser);
      continue;
    }
    std::uint8_t const next = running.first();
    if (call.wake_at() < running.ready[next]) {
      now = call.wake_at();
      s = call.wake(now, e);
    } else {
      now = std::exchange(running.ready[next], instant::max());
      s = call.done(now, e = halfopen::ended{}, next);
    }
  }
  std::printf("%3lld ms: the hedge's answer, of %u attempts\n",
              static_cast<long long>((now - instant{1h}) / 1ms), e.attempts);
  return e.branch == 1 && e.attempts == 2 && now == instant{1h} + 70ms && budget.snapshot().out == 0 ? 0 : 1;
}
