#include <array>
#include <cstdio>

#include <halfopen/gateway/storage_time.hpp>

namespace halfopen::gateway {
namespace {

using std::chrono::milliseconds;

/// `width` digits at `at`, or -1.
int number(std::string_view text, std::size_t at, std::size_t width) noexcept {
  int n = 0;
  for (char const c : text.substr(at, width)) {
    if (c < '0' || c > '9') return -1;
    n = n * 10 + (c - '0');
  }
  return n;
}

bool has_shape(std::string_view text) noexcept {
  constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd.dddZ";
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    bool const digit = text[i] >= '0' && text[i] <= '9';
    if (shape[i] == 'd' ? !digit : text[i] != shape[i]) return false;
  }
  return true;
}

}  // namespace

wall_time wall_now() noexcept {
  return std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
}

std::string to_text(wall_time t) {
  auto const day = std::chrono::floor<std::chrono::days>(t);
  std::chrono::year_month_day const date{day};
  std::chrono::hh_mm_ss const time{t - day};
  std::array<char, 80> text{};
  int const n = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
      static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
  return {text.data(), static_cast<std::size_t>(n)};
}

std::optional<wall_time> parse_wall_time(std::string_view text) noexcept {
  if (!has_shape(text)) return {};
  std::chrono::year_month_day const date{std::chrono::year{number(text, 0, 4)},
                                         std::chrono::month{static_cast<unsigned>(number(text, 5, 2))},
                                         std::chrono::day{static_cast<unsigned>(number(text, 8, 2))}};
  int const hour = number(text, 11, 2);
  int const minute = number(text, 14, 2);
  int const second = number(text, 17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return {};
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second} + milliseconds{number(text, 20, 3)};
}

wall_clock::wall_clock() noexcept
    : date_{wall_now()}, moment_{std::chrono::steady_clock::now().time_since_epoch()} {}

wall_time wall_clock::at(instant t) const noexcept {
  return date_ + std::chrono::floor<milliseconds>(t - moment_);
}

}  // namespace halfopen::gateway
