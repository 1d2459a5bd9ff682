#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace halfopen::net {

/// What a byte may be in HTTP/1.1's grammar.
enum class text_class : std::uint8_t {
  token = 1,    // tchar (RFC 9110, 5.6.2)
  control = 2,  // anything below space but tab; DEL
  target = 4,   // visible ASCII but #: browsers send | { } ^ ` unencoded in queries
  host = 8,     // reg-name without the comma, which is what a proxy makes of two Host fields
  digit = 16,
  hex = 32,
  quoted = 64,  // qdtext
};

namespace detail {
constexpr std::array<std::uint8_t, 256> make_text_classes() {
  std::array<std::uint8_t, 256> table{};
  auto const add = [&](unsigned c, text_class k) {
    table[c] = static_cast<std::uint8_t>(table[c] | static_cast<unsigned>(k));
  };
  auto const add_all = [&](std::string_view chars, text_class k) {
    for (char c : chars) add(static_cast<unsigned char>(c), k);
  };
  for (unsigned c = 0; c < 0x20; ++c)
    if (c != '\t') add(c, text_class::control);
  add(0x7F, text_class::control);
  for (unsigned c = '0'; c <= '9'; ++c)
    for (auto k : {text_class::token, text_class::host, text_class::digit, text_class::hex}) add(c, k);
  for (unsigned c = 'a'; c <= 'z'; ++c)
    for (unsigned letter : {c, c - 'a' + 'A'})
      for (auto k : {text_class::token, text_class::host}) add(letter, k);
  add_all("abcdefABCDEF", text_class::hex);
  add_all("!#$%&'*+-.^_`|~", text_class::token);
  add_all("-._~%!$&'()*+;=", text_class::host);
  for (unsigned c = 0x21; c < 0x7F; ++c)
    if (c != '#') add(c, text_class::target);
  for (unsigned c = 0x20; c < 256; ++c)
    if (c != '"' && c != '\\' && c != 0x7F) add(c, text_class::quoted);
  add('\t', text_class::quoted);
  return table;
}
inline constexpr auto text_classes = make_text_classes();
}  // namespace detail

[[nodiscard]] constexpr bool is(char c, text_class k) noexcept {
  return (detail::text_classes[static_cast<unsigned char>(c)] & static_cast<unsigned>(k)) != 0;
}
[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

/// ASCII only, whatever the locale.
[[nodiscard]] constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr bool is_token(std::string_view text) noexcept {
  for (char c : text)
    if (!is(c, text_class::token)) return false;
  return !text.empty();
}

/// Calls `each(token)` for the elements of a comma-separated list, blanks around them taken off; stops at
/// false.
template <class Each>
constexpr bool for_each_token(std::string_view list, Each each) {
  while (!list.empty()) {
    auto const comma = list.find(',');
    auto element = list.substr(0, comma);
    list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
    while (!element.empty() && is_blank(element.front())) element.remove_prefix(1);
    while (!element.empty() && is_blank(element.back())) element.remove_suffix(1);
    if (!element.empty() && !each(element)) return false;
  }
  return true;
}

}  // namespace halfopen::net
