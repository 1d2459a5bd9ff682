#include <algorithm>
#include <array>

#include <halfopen/app/status_view.hpp>

namespace halfopen::app {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t columns = 6;
using cells = std::array<std::string, columns>;

std::string spelled(std::string const& state) { return state == "half_open" ? "half-open" : state; }

std::string window_of(breaker_row const& r) {
  if (r.state.empty()) return "";
  return std::to_string(r.failures) + " of " + std::to_string(r.calls) + " failed";
}

std::string next_of(breaker_row const& r) {
  if (r.state != "open" || !r.retry_after) return "";
  return *r.retry_after <= 0ns ? "probe at the next call" : "probe in " + short_time(*r.retry_after);
}

std::string words_of(std::string cause) {
  std::ranges::replace(cause, '_', ' ');
  return cause;
}

cells cells_of(breaker_row const& r) {
  auto const state =
      r.state.empty() ? "no breaker" : spelled(r.state) + (r.in_state ? " " + short_time(*r.in_state) : "");
  return {r.tool,     r.host.empty() ? "-" : r.host,
          state,      window_of(r),
          next_of(r), r.cause == "created" ? "" : words_of(r.cause)};
}

colour colour_of(std::string const& state) {
  if (state == "closed") return colour::green;
  if (state == "open" || state == "forced_open") return colour::red;
  return state == "half_open" ? colour::yellow : colour::plain;
}

}  // namespace

std::string short_time(duration d) {
  auto const in = [&](duration unit, char const* name) { return std::to_string(d / unit) + " " + name; };
  if (d < 1s) return in(1ms, "ms");
  if (d < 2min) return in(1s, "s");
  if (d < 2h) return in(1min, "m");
  if (d < 48h) return in(1h, "h");
  return in(24h, "d");
}

std::string status_table(terminal const& t, std::vector<breaker_row> const& rows) {
  std::vector<cells> lines{{"TOOL", "HOST", "STATE", "WINDOW", "NEXT", "WHY"}};
  for (auto const& r : rows) lines.push_back(cells_of(r));
  std::array<std::size_t, columns> widths{};
  for (auto const& l : lines)
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], l[i].size());
  std::string out;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      auto const cell = padded(lines[n][i], widths[i]);
      auto const c = n == 0 ? colour::dim : i == 2 ? colour_of(rows[n - 1].state) : colour::plain;
      line += (i == 0 ? "" : "  ") + painted(t, c, cell);
    }
    if (!t.colours) line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace halfopen::app
