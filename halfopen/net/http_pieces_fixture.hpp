#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/http_parser.hpp>

namespace halfopen::net {

/// Reads `bytes` whole with `parser`, and cut in two (at cut/256 of them) with another: any bytes get one of
/// three answers, the same however they arrive.
template <class Parser>
parse_step read_whole_and_in_pieces(Parser& parser, std::string_view bytes, std::uint8_t cut) {
  auto const whole = parser.next(bytes);
  invariant(whole.at <= bytes.size(), "an answer lies within the bytes");
  Parser split;
  auto const first = split.next(bytes.substr(0, cut * bytes.size() / 256));
  invariant(first.wants_more() || first == whole, "a prefix says need more, or what the whole says");
  if (first.wants_more()) invariant(split.next(bytes) == whole, "the pieces do not matter");
  return whole;
}

}  // namespace halfopen::net
