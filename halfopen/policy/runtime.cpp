#include <ctime>

#include <sched.h>

#include <halfopen/policy/runtime.hpp>

namespace halfopen {
namespace {

// The holder may have lost its processor: give ours away, and after a while sleep, so that a holder of lower
// priority gets to run.
void give_way(unsigned tries) noexcept {
  if (tries < 64) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    return;
  }
  if (tries < 256) {
    sched_yield();
    return;
  }
  timespec const nap{0, 50'000};
  nanosleep(&nap, nullptr);
}

}  // namespace

void spin_mutex::wait() noexcept {
  for (unsigned tries = 0;; ++tries) {
    if (taken_.load(std::memory_order_relaxed) == 0 && taken_.exchange(1, std::memory_order_acquire) == 0)
      return;
    give_way(tries);
  }
}

}  // namespace halfopen
