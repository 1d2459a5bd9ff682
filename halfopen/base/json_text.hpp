#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace halfopen {

/// Appends `text` as a JSON string, quotes included. Whatever the bytes, the result is valid JSON in valid
/// UTF-8: what is not UTF-8 becomes U+FFFD.
///
/// Cost: no allocation where `out` has room; text without specials is copied in one piece.
void append_json_string(std::string& out, std::string_view text);

template <std::integral T>
void append_number(std::string& out, T n) {
  char digits[24];
  auto const end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  out.append(digits, end);
}

/// Appends a further member of an object: `,"name":` and the value.
///
/// Requires: a name that needs no escape.
void append_json_member(std::string& out, std::string_view name, std::string_view value);

template <std::integral T>
void append_json_member(std::string& out, std::string_view name, T value) {
  ((out += ",\"") += name) += "\":";
  append_number(out, value);
}

}  // namespace halfopen
