#include <cstddef>
#include <cstdint>
#include <string_view>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_forward.hpp>
#include <halfopen/net/http_pieces_fixture.hpp>

using namespace halfopen;
using namespace halfopen::net;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 1, size - 1};
  response_parser parser;
  auto const whole = read_whole_and_in_pieces(parser, bytes, data[0]);
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
