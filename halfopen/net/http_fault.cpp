#include <algorithm>
#include <array>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/http_fault.hpp>

namespace halfopen::net {
namespace {

using enum http_fault;

// What is refused, and nothing else is. Where RFC 9112 lets a recipient be lenient, two recipients can
// differ; that difference is what request smuggling is made of. So every leniency is a row here.
constexpr std::array rules{
    fault_rule{bad_method, 400, "bad_method", "the method must be a token of at most 32 characters",
               "9112 3.1"},
    fault_rule{bad_request_line, 400, "bad_request_line",
               "the request line must be method, target and version with one space between", "9112 3"},
    fault_rule{
        bad_target, 400, "bad_target",
        "the target must be a path, a URL, an authority (CONNECT) or * (OPTIONS), in visible ASCII without #",
        "9112 3.2"},
    fault_rule{long_target, 414, "long_target", "the target is too long", "9112 3"},
    fault_rule{no_version, 400, "no_version", "HTTP/0.9 is not spoken here", "9112 2.3"},
    fault_rule{unsupported_version, 505, "unsupported_version", "only HTTP/1.0 and HTTP/1.1 are spoken here",
               "9110 15.6.6"},
    fault_rule{bad_status_line, 400, "bad_status_line",
               "the status line must be version, three digits and a reason, with one space between",
               "9112 4"},
    fault_rule{bare_lf, 400, "bare_lf", "a line must end with CR LF, not with LF alone", "9112 2.2"},
    fault_rule{bare_cr, 400, "bare_cr", "CR must be followed by LF", "9112 2.2"},
    fault_rule{control_byte, 400, "control_byte", "control bytes must not stand in a head", "9110 5.5"},
    fault_rule{folded_line, 400, "folded_line", "a field must not be continued on a second line", "9112 5.2"},
    fault_rule{bad_name, 400, "bad_name", "a field's name must be a token", "9110 5.1"},
    fault_rule{space_before_colon, 400, "space_before_colon", "no space may stand before a field's colon",
               "9112 5.1"},
    fault_rule{no_colon, 400, "no_colon", "a field must have a colon", "9112 5"},
    fault_rule{long_head, 431, "long_head", "the head is too long", "6585 5"},
    fault_rule{many_fields, 431, "many_fields", "the head has too many fields", "6585 5"},
    fault_rule{no_host, 400, "no_host", "HTTP/1.1 requests must have a Host field", "9112 3.2"},
    fault_rule{several_hosts, 400, "several_hosts", "there must be only one Host field", "9112 3.2"},
    fault_rule{bad_host, 400, "bad_host", "Host must be a name or an address, and at most a port",
               "9110 7.2"},
    fault_rule{host_mismatch, 400, "host_mismatch", "the target's host and the Host field must be the same",
               "9112 3.2.2"},
    fault_rule{several_lengths, 400, "several_lengths", "there must be only one Content-Length field",
               "9112 6.3"},
    fault_rule{bad_length, 400, "bad_length", "Content-Length must be digits, and fit 63 bits", "9110 8.6"},
    fault_rule{length_with_transfer_encoding, 400, "length_with_transfer_encoding",
               "Content-Length and Transfer-Encoding must not stand together", "9112 6.1"},
    fault_rule{several_transfer_encodings, 400, "several_transfer_encodings",
               "there must be only one Transfer-Encoding field", "9112 6.1"},
    fault_rule{unknown_transfer_encoding, 501, "unknown_transfer_encoding",
               "chunked alone is the one transfer coding spoken here", "9112 6.1"},
    fault_rule{transfer_encoding_before_1_1, 400, "transfer_encoding_before_1_1",
               "HTTP/1.0 has no Transfer-Encoding", "9112 6.1"},
    fault_rule{body_where_none_may_be, 400, "body_where_none_may_be",
               "1xx and 204 have no body, and must not announce one", "9110 8.6"},
    fault_rule{bad_connection, 400, "bad_connection",
               "Connection must be a list of tokens, and must not name a field that frames or routes",
               "9110 7.6.1"},
    fault_rule{bad_chunk_size, 400, "bad_chunk_size",
               "a chunk's size must be 1 to 16 hexadecimal digits, and fit 63 bits", "9112 7.1"},
    fault_rule{bad_chunk_extension, 400, "bad_chunk_extension",
               "a chunk's extension must be ;name or ;name=value without spaces, and short", "9112 7.1.1"},
    fault_rule{bad_chunk_end, 400, "bad_chunk_end", "a chunk's data must be followed by CR LF", "9112 7.1"},
    fault_rule{bad_trailer, 400, "bad_trailer", "a trailer must be a field that neither frames nor routes",
               "9110 6.5.1"},
    fault_rule{long_trailer, 431, "long_trailer", "the trailers are too long", "6585 5"},
};

constexpr bool one_row_each() {
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (rules[i].fault != static_cast<http_fault>(i)) return false;
  return rules.back().fault == long_trailer;
}
static_assert(one_row_each(), "the table lists every fault, in order");

}  // namespace

fault_rule const& rule_of(http_fault f) noexcept { return rules[static_cast<std::size_t>(f)]; }

}  // namespace halfopen::net
