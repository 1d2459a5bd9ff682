#include <cstddef>
#include <cstdint>
#include <string_view>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_forward.hpp>
#include <halfopen/net/http_parser.hpp>

using namespace halfopen;
using namespace halfopen::net;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 1, size - 1};
  response_parser parser;
  auto const whole = parser.next(bytes);
  invariant(whole.at <= bytes.size(), "an answer lies within the bytes");

  std::size_t const cut = data[0] * bytes.size() / 256;
  response_parser split;
  auto const first = split.next(bytes.substr(0, cut));
  invariant(first.wants_more() || first == whole, "a prefix says need more, or what the whole says");
  if (first.wants_more()) invariant(split.next(bytes) == whole, "the pieces do not matter");

  if (!whole.is_complete()) return 0;
  auto const sent = forwarded_head{parser.head()}.text();
  response_parser again;
  invariant(again.next(sent) == parse_step::complete(sent.size()), "what is sent on can be read");
  for (auto m : {http_method::get, http_method::head})
    invariant(framing_of(again.head(), m) == framing_of(parser.head(), m), "the framing stays");

  body_reader body{framing_of(parser.head(), http_method::get)};
  std::size_t consumed = 0;
  (void)body.pass(bytes.substr(whole.at), consumed);
  invariant(consumed <= bytes.size() - whole.at, "a body lies within the bytes");
  return 0;
}
