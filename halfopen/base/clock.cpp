#include <ctime>

#include <halfopen/base/clock.hpp>

namespace halfopen {
namespace {

template <clockid_t Id>
instant read_system(void const*) noexcept {
  timespec t{};
  clock_gettime(Id, &t);
  return instant{std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec}};
}

}  // namespace

clock_source steady_clock() noexcept { return {&read_system<CLOCK_MONOTONIC>}; }
clock_source coarse_clock() noexcept { return {&read_system<CLOCK_MONOTONIC_COARSE>}; }

}  // namespace halfopen
