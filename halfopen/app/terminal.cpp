#include <algorithm>
#include <ostream>

#include <halfopen/app/terminal.hpp>

namespace halfopen::app {
namespace {

char const* sequence(colour c) {
  switch (c) {
    case colour::plain: return "";
    case colour::bold: return "\x1b[1m";
    case colour::dim: return "\x1b[2m";
    case colour::red: return "\x1b[31m";
    case colour::green: return "\x1b[32m";
    case colour::yellow: return "\x1b[33m";
    case colour::blue: return "\x1b[34m";
  }
  return "";
}

// Characters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t width_of(std::string_view s) {
  return static_cast<std::size_t>(std::ranges::count_if(s, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string painted(terminal const& t, colour c, std::string_view text) {
  if (!t.colours || c == colour::plain) return std::string{text};
  return sequence(c) + std::string{text} + "\x1b[0m";
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out{text};
  if (auto const n = width_of(text); n < width) out.append(width - n, ' ');
  return out;
}

std::string padded_left(std::string_view text, std::size_t width) {
  auto const n = width_of(text);
  return (n < width ? std::string(width - n, ' ') : std::string{}) + std::string{text};
}

void complain(terminal& t, std::string_view what) { t.err << "halfopen: error: " << what << '\n'; }

}  // namespace halfopen::app
