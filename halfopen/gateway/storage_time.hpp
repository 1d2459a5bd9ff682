#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <halfopen/base/time.hpp>

namespace halfopen::gateway {

/// A date and time as people and other machines know it, to the millisecond, UTC.
using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

[[nodiscard]] wall_time wall_now() noexcept;

/// "2026-06-24T10:00:00.123Z": sorts as text in the order of time.
[[nodiscard]] std::string to_text(wall_time t);

/// Empty unless `text` is exactly to_text's form and a date that exists.
[[nodiscard]] std::optional<wall_time> parse_wall_time(std::string_view text) noexcept;

/// Turns instants of the loops' steady clock into dates. A change of the system's date does not move what has
/// already happened: the two clocks are tied together once.
class wall_clock {
 public:
  wall_clock() noexcept;
  constexpr wall_clock(wall_time date, instant same_moment) noexcept : date_{date}, moment_{same_moment} {}

  [[nodiscard]] wall_time at(instant t) const noexcept;

 private:
  wall_time date_;
  instant moment_;
};

}  // namespace halfopen::gateway
