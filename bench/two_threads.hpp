#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace halfopen::bench {

/// Called with the number of its thread (0 or 1) and a number of calls to make.
using thread_body = std::function<void(int, std::uint64_t)>;

/// Runs each body on two pinned threads at once, the bodies in turn, `rounds` times over.
/// Returns: for each body the median of nanoseconds a call, as one thread sees it.
[[nodiscard]] std::vector<double> on_two_threads(std::vector<thread_body> const& bodies, int rounds);

/// Work of one's own between calls: `steps` dependent multiplications, about 80 ns in all.
class private_work {
 public:
  private_work();  // measures how many steps 80 ns are
  void operator()() noexcept {
    for (std::uint32_t i = 0; i < steps_; ++i) value_ = value_ * 0x9E3779B97F4A7C15ULL + 1;
    asm volatile("" : "+r"(value_));
  }

 private:
  std::uint64_t value_ = 1;
  std::uint32_t steps_ = 64;
};

[[nodiscard]] double median(std::vector<double> values);

}  // namespace halfopen::bench
