#pragma once

#include <algorithm>

#include <halfopen/base/time.hpp>

namespace halfopen {

/// Time that moves only when somebody waits or says so: a blocking call without a clock.
///
/// Threads: one.
class virtual_runtime {
 public:
  explicit virtual_runtime(instant& now) noexcept : now_{&now} {}

  [[nodiscard]] instant now() const noexcept { return *now_; }
  void sleep_until(instant at) noexcept { *now_ = std::max(*now_, at); }

 private:
  instant* now_;
};

}  // namespace halfopen
