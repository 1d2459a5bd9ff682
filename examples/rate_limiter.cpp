// A rate limit that pipelines share: a burst, waits in order, and a refusal at once where waiting is
// hopeless.
#include <cstdio>

#include <halfopen/policy/call.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/rate_limiter.hpp>
#include <halfopen/policy/timeout.hpp>

using namespace std::chrono_literals;

int main() {
  halfopen::rate_limiter partner{{.calls = 100, .per = 1s, .burst = 5, .wait_max = 200ms}, "partner"};

  halfopen::pipeline get_report{
      halfopen::timeout{800ms, "call"},
      partner,  // shared by every pipeline that may call the partner
      halfopen::timeout{250ms, "attempt"},
  };

  int sent = 0;
  halfopen::duration waited{};
  for (int i = 0; i < 8; ++i) {
    auto const r = halfopen::call<int>(get_report, [&](halfopen::attempt) { return ++sent; });
    waited += r.story().waited;
  }
  std::printf("8 calls waited for %lld ms\n", static_cast<long long>(waited / 1ms));

  // By hand: a grant counts as used, unless it is given back.
  auto const now = halfopen::steady_runtime::now();
  auto const many = partner.try_acquire(now, 100);
  std::printf("more than the burst: %s\n", many ? "granted" : "never");
  return sent == 8 && waited > 0ms && !many ? 0 : 1;
}
