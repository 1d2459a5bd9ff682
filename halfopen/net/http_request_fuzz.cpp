#include <cstddef>
#include <cstdint>
#include <string_view>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_forward.hpp>
#include <halfopen/net/http_pieces_fixture.hpp>

using namespace halfopen;
using namespace halfopen::net;

// What was understood is understood the same when it is sent on.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 1, size - 1};
  request_parser parser;
  auto const whole = read_whole_and_in_pieces(parser, bytes, data[0]);
  if (!whole.is_complete()) return 0;
  auto const sent = forwarded_head{parser.head(), {}, "Via: 1.1 x\r\n"}.text();
  request_parser again;
  if (parser.head().size() == message_head::fields_max || sent.size() > head_limits{}.head_max) return 0;
  invariant(again.next(sent) == parse_step::complete(sent.size()), "what is sent on can be read");
  invariant(!again.head().has_hop_fields(), "no hop-by-hop field is sent on");
  invariant(again.head().target() == parser.head().target(), "the target stays");
  invariant(framing_of(again.head()) == framing_of(parser.head()), "the framing stays");
  return 0;
}
