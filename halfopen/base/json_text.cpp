#include <array>
#include <cstdint>

#include <halfopen/base/json_text.hpp>

namespace halfopen {
namespace {

constexpr std::array<bool, 256> plain = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

std::uint8_t byte_at(std::string_view s, std::size_t i) { return static_cast<std::uint8_t>(s[i]); }

/// The length of the UTF-8 sequence at the start of `s` (RFC 3629), or 0 where there is none.
std::size_t sequence(std::string_view s) {
  auto const lead = byte_at(s, 0);
  std::size_t const length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || s.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_at(s, i) & 0xC0) != 0x80) return 0;
  if (lead == 0xE0 && byte_at(s, 1) < 0xA0) return 0;   // overlong
  if (lead == 0xED && byte_at(s, 1) >= 0xA0) return 0;  // surrogates
  if (lead == 0xF0 && byte_at(s, 1) < 0x90) return 0;   // overlong
  if (lead == 0xF4 && byte_at(s, 1) >= 0x90) return 0;  // past U+10FFFF
  return length;
}

void append_escape(std::string& out, std::uint8_t c) {
  constexpr std::string_view hex = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += "\\u00";
  out += hex[c >> 4];
  out += hex[c & 15];
}

/// Appends what stands at the start of `s` and is not plain; returns how many bytes of `s` that was.
std::size_t append_special(std::string& out, std::string_view s) {
  auto const c = byte_at(s, 0);
  if (c < 0x80) {
    append_escape(out, c);
    return 1;
  }
  auto const length = sequence(s);
  if (length == 0) {
    out += "\xEF\xBF\xBD";
    return 1;
  }
  out += s.substr(0, length);
  return length;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    std::size_t n = 0;
    while (n < text.size() && plain[byte_at(text, n)]) ++n;
    out += text.substr(0, n);
    text.remove_prefix(n);
    if (!text.empty()) text.remove_prefix(append_special(out, text));
  }
  out += '"';
}

void append_json_member(std::string& out, std::string_view name, std::string_view value) {
  ((out += ",\"") += name) += "\":";
  append_json_string(out, value);
}

}  // namespace halfopen
