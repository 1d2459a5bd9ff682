// Observing a breaker: one event a transition, in order, told outside every lock.
#include <cstdio>
#include <utility>
#include <vector>

#include <halfopen/policy/circuit_breaker.hpp>

using namespace std::chrono_literals;

namespace {

class printer : public halfopen::breaker_observer {
 public:
  void on_event(halfopen::breaker_event const& e) override {
    std::printf("epoch %u: %s -> %s (%s), %u of %u calls had failed\n", e.epoch,
                halfopen::name(e.from).data(), halfopen::name(e.to).data(), halfopen::name(e.cause).data(),
                e.counts.failures, e.counts.calls);
    seen.push_back(e.to);
  }
  std::vector<halfopen::breaker_state> seen;
};

}  // namespace

int main() {
  printer out;  // outlives the breaker
  halfopen::manual_clock clock{halfopen::instant{1h}};
  halfopen::circuit_breaker breaker{
      {.window = halfopen::consecutive{2},
       .open_for = {.initial = 1s, .multiplier = 2, .maximum = 60s, .jitter = halfopen::jitter::none},
       .probe_timeout = 5s},
      {.name = "search", .clock = clock.source(), .observer = &out}};

  for (int i = 0; i < 2; ++i)
    if (auto p = breaker.try_acquire()) std::move(*p).failure();  // trips

  clock.advance(1s);
  auto lost = breaker.try_acquire();  // a probe that will never report
  clock.advance(8s);                  // its lease of 5 s is over, and so is the second back-off of 2 s
  if (auto p = breaker.try_acquire()) std::move(*p).success();  // finds that out, probes, recovers

  using enum halfopen::breaker_state;
  return out.seen == std::vector{open, half_open, open, half_open, closed} ? 0 : 1;
}
