#include <string>

#include <halfopen/net/http_samples.hpp>

namespace halfopen::net {
namespace {

using enum http_fault;

std::string get(std::string_view lines) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + std::string{lines} + "\r\n";
}
std::string ok(std::string_view lines) { return "HTTP/1.1 200 OK\r\n" + std::string{lines} + "\r\n"; }

constexpr std::optional<http_fault> understood;
constexpr std::string_view anywhere;
constexpr std::string_view lenient_host = "Beast does not look at Host";
constexpr std::string_view lenient_target = "Beast takes any bytes as a target";
constexpr std::string_view lenient_te = "Beast takes any transfer coding, and then reads no body";
constexpr std::string_view lenient_connection =
    "Beast reads the tokens of Connection and does not care what they name";

}  // namespace

std::vector<http_sample> const& request_samples() {
  static std::vector<http_sample> const samples{
      // What must be understood.
      {"plain", "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"},
      {"port in host", "GET /a HTTP/1.1\r\nHost: example.com:8080\r\n\r\n"},
      {"address in host", "GET /a HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"},
      {"http 1.0 without host", "GET /old HTTP/1.0\r\n\r\n"},
      {"no blanks around the value", "GET / HTTP/1.1\r\nHost:a\r\nX:y\r\n\r\n"},
      {"blanks around the value", "GET / HTTP/1.1\r\nHost: \t a \t \r\nX:  \r\n\r\n"},
      {"names in any case", "GET / HTTP/1.1\r\nhOsT: a\r\nCONTENT-LENGTH: 0\r\n\r\n"},
      {"length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"},
      {"largest length", get("Content-Length: 9223372036854775807\r\n")},
      {"zeros before the length", get("Content-Length: 0000\r\n")},
      {"chunked", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {"chunked in capitals", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n"},
      {"every token byte in a name", get("!#$%&'*+-.^_`|~09azAZ: v\r\n")},
      {"bytes above ascii in a value", get("X: caf\xC3\xA9\r\n")},
      {"query as browsers send it", "GET /a?b={c|d}^`%20 HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"absolute target of the same host", "GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"absolute target with the default port", "GET http://a:80/b HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"absolute target without a path", "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"options for the server", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"connect", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", understood, anywhere, ""},
      {"method of one's own", "BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"empty line first", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", understood, anywhere,
       "RFC 9112, 2.2: one may come before; Beast refuses"},
      {"keep-alive", get("Connection: keep-alive, X-Gone\r\nX-Gone: 1\r\n")},
      {"empty elements in connection", get("Connection: ,, close ,\r\n")},
      {"two connection fields", get("Connection: close\r\nConnection: X-Gone\r\n")},
      {"expect", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"},

      // The first line.
      {"two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", bad_request_line, " / HTTP"},
      {"two spaces before the version", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", bad_request_line, " HTTP"},
      {"tab for a space", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", bad_method, "\t"},
      {"space first", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", bad_method, " GET"},
      {"space last", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", bad_request_line, "HTTP/1.1 "},
      {"two empty lines first", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", bad_request_line},
      {"bracket in the method", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", bad_method, "("},
      {"long method", std::string(33, 'M') + " / HTTP/1.1\r\nHost: a\r\n\r\n", bad_method, anywhere,
       "a method has no length for Beast"},
      {"http 0.9", "GET /\r\n", no_version},
      {"method alone", "GET\r\n", no_version},
      {"lower-case version", "GET / http/1.1\r\nHost: a\r\n\r\n", bad_request_line, "http/1.1"},
      {"http 2", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", unsupported_version, "HTTP/2.0"},
      {"http 1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", unsupported_version, "HTTP/1.2"},
      {"three digits in the version", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", bad_request_line},
      {"control byte in the target", "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", control_byte, "\x01"},
      {"byte above ascii in the target", "GET /caf\xC3\xA9 HTTP/1.1\r\nHost: a\r\n\r\n", bad_target, "\xC3",
       lenient_target},
      {"fragment", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", bad_target, "#", lenient_target},
      {"target that is no path", "GET a/b HTTP/1.1\r\nHost: a\r\n\r\n", bad_target, "a/b", lenient_target},
      {"asterisk for get", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", bad_target, "*", lenient_target},
      {"scheme we do not speak", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", bad_target, "ftp",
       lenient_target},
      {"user in the target", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", bad_target, "@", lenient_target},
      {"query without a path", "GET http://a?q HTTP/1.1\r\nHost: a\r\n\r\n", bad_target, "?", lenient_target},
      {"connect to a path", "CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n", bad_target, "/a", lenient_target},
      {"tls hello", std::string{"\x16\x03\x01\x02\x00\x01", 6}, control_byte, "\x16"},

      // Lines and fields.
      {"bare lf in the first line", "GET / HTTP/1.1\nHost: a\r\n\r\n", bare_lf, "\nHost"},
      {"bare lf after a field", "GET / HTTP/1.1\r\nHost: a\n\r\n", bare_lf, "\n\r\n"},
      {"bare lf at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n", bare_lf},
      {"bare cr in a value", get("X: a\rb\r\n"), bare_cr, "\rb"},
      {"two crs", get("X: a\r\r\n"), bare_cr, "\r\r\n"},
      {"nul in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(1, '\0') + "\r\n\r\n",
       control_byte},
      {"del in a value", get("X: \x7F\r\n"), control_byte, "\x7F"},
      {"folded line", get("X: a\r\n b\r\n"), folded_line, " b", "Beast unfolds (RFC 9112, 5.2 lets it)"},
      {"folded by a tab", get("X: a\r\n\tb\r\n"), folded_line, "\tb",
       "Beast unfolds (RFC 9112, 5.2 lets it)"},
      {"space before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", folded_line, " Host"},
      {"space before the colon", get("X : a\r\n"), space_before_colon, " : a"},
      {"length with a space before its colon", get("Content-Length : 5\r\n"), space_before_colon, " : 5"},
      {"tab before the colon", get("X\t: a\r\n"), space_before_colon, "\t: a"},
      {"space in a name", get("X Y: a\r\n"), bad_name, " Y"},
      {"no name", get(": a\r\n"), bad_name, ": a\r\n\r\n"},
      {"no colon", get("Xa\r\n"), no_colon},
      {"bracket in a name", get("X(: a\r\n"), bad_name, "("},
      {"byte above ascii in a name", get("X\xC3: a\r\n"), bad_name, "\xC3"},

      // Who it is for.
      {"no host", "GET / HTTP/1.1\r\n\r\n", no_host, anywhere, lenient_host},
      {"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", several_hosts, "Host: b", lenient_host},
      {"the same host twice", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", several_hosts, "host: a",
       lenient_host},
      {"empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", bad_host, anywhere, lenient_host},
      {"path in host", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", bad_host, "/b", lenient_host},
      {"user in host", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", bad_host, "@", lenient_host},
      {"two hosts in one", "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n", bad_host, ",", lenient_host},
      {"port out of range", "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", bad_host, "65536", lenient_host},
      {"port that is no number", "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", bad_host, "b\r", lenient_host},
      {"open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", bad_host, anywhere, lenient_host},
      {"absolute target of another host", "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", host_mismatch,
       "a\r\n\r\n", lenient_host},

      // Where it ends.
      {"two lengths", get("Content-Length: 5\r\nContent-Length: 6\r\n"), several_lengths,
       "Content-Length: 6"},
      {"the same length twice", get("Content-Length: 5\r\nContent-Length: 5\r\n"), several_lengths, anywhere,
       "Beast takes equal lengths (RFC 9112, 6.3 lets it)"},
      {"list of lengths", get("Content-Length: 5, 5\r\n"), bad_length, "5, 5",
       "Beast takes lists of equal lengths (RFC 9112, 6.3 lets it)"},
      {"plus before the length", get("Content-Length: +5\r\n"), bad_length, "+5"},
      {"minus before the length", get("Content-Length: -1\r\n"), bad_length, "-1"},
      {"hexadecimal length", get("Content-Length: 0x5\r\n"), bad_length, "0x5"},
      {"empty length", get("Content-Length:\r\n"), bad_length},
      {"space in the length", get("Content-Length: 1 0\r\n"), bad_length, "1 0"},
      {"length of 2^63", get("Content-Length: 9223372036854775808\r\n"), bad_length, anywhere,
       "Beast counts to 2^64"},
      {"length of 2^64", get("Content-Length: 18446744073709551616\r\n"), bad_length},
      {"length and chunked", get("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
       length_with_transfer_encoding, "Transfer"},
      {"chunked and length", get("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
       length_with_transfer_encoding, "Transfer"},
      {"chunked in http 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
       transfer_encoding_before_1_1, "Transfer", "RFC 9112, 6.1: such framing is faulty; Beast reads on"},
      {"xchunked", get("Transfer-Encoding: xchunked\r\n"), unknown_transfer_encoding, "xchunked", lenient_te},
      {"chunked twice", get("Transfer-Encoding: chunked, chunked\r\n"), unknown_transfer_encoding,
       "chunked, ", lenient_te},
      {"two transfer encodings", get("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
       several_transfer_encodings},
      {"gzip and chunked", get("Transfer-Encoding: gzip, chunked\r\n"), unknown_transfer_encoding, "gzip",
       lenient_te},
      {"identity", get("Transfer-Encoding: identity\r\n"), unknown_transfer_encoding, "identity", lenient_te},
      {"chunked in quotes", get("Transfer-Encoding: \"chunked\"\r\n"), unknown_transfer_encoding, "\"chunked",
       lenient_te},
      {"chunked behind a vertical tab",
       "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0B"
       "chunked\r\n\r\n",
       control_byte, "\x0B"},
      {"empty transfer encoding", get("Transfer-Encoding:\r\n"), unknown_transfer_encoding, anywhere,
       lenient_te},

      // What may not be named away.
      {"connection names the length", get("Connection: Content-Length\r\n"), bad_connection, "Content-Length",
       lenient_connection},
      {"connection names the host", get("Connection: close, host\r\n"), bad_connection, anywhere,
       lenient_connection},
      {"connection names the transfer encoding", get("Connection: transfer-encoding\r\n"), bad_connection,
       anywhere, lenient_connection},
      {"connection is no list of tokens", get("Connection: a b\r\n"), bad_connection, "a b"},
  };
  return samples;
}

std::vector<http_sample> const& response_samples() {
  static std::vector<http_sample> const samples{
      {"plain", ok("Content-Length: 5\r\n")},
      {"until close", ok("")},
      {"chunked", ok("Transfer-Encoding: chunked\r\n")},
      {"http 1.0", "HTTP/1.0 200 OK\r\n\r\n"},
      {"no reason", "HTTP/1.1 200 \r\n\r\n"},
      {"long reason", "HTTP/1.1 404 Not Found At All\r\n\r\n"},
      {"reason above ascii", "HTTP/1.1 404 pas trouv\xC3\xA9\r\n\r\n"},
      {"interim", "HTTP/1.1 100 Continue\r\n\r\n"},
      {"no content", "HTTP/1.1 204 No Content\r\n\r\n"},
      {"no content of length 0", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"},
      {"not modified with the length it would have",
       "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"},
      {"status of one's own", "HTTP/1.1 999 Odd\r\n\r\n"},

      {"no space after the status", "HTTP/1.1 200\r\n\r\n", bad_status_line},
      {"empty line first", "\r\nHTTP/1.1 200 OK\r\n\r\n", bad_status_line, "\r\nHTTP"},
      {"garbage", "lorem ipsum", bad_status_line, "lorem"},
      {"version alone", "HTTP/1.1\r\n\r\n", bad_status_line},
      {"http 2", "HTTP/2.0 200 OK\r\n\r\n", bad_status_line, "2.0"},
      {"http 1.2", "HTTP/1.2 200 OK\r\n\r\n", bad_status_line, "2 200"},
      {"lower case", "http/1.1 200 OK\r\n\r\n", bad_status_line, "http"},
      {"two digits", "HTTP/1.1 20 OK\r\n\r\n", bad_status_line, " OK"},
      {"four digits", "HTTP/1.1 2000 OK\r\n\r\n", bad_status_line, "0 OK"},
      {"status below 100", "HTTP/1.1 099 Low\r\n\r\n", bad_status_line, "099",
       "Beast takes any three digits"},
      {"letters for digits", "HTTP/1.1 2xx OK\r\n\r\n", bad_status_line, "xx"},
      {"two spaces", "HTTP/1.1  200 OK\r\n\r\n", bad_status_line, " 200"},
      {"nul in the reason", "HTTP/1.1 200 O" + std::string(1, '\0') + "K\r\n\r\n", control_byte},
      {"bare lf", "HTTP/1.1 200 OK\n\n", bare_lf},
      {"bare lf at the end", "HTTP/1.1 200 OK\r\n\n", bare_lf},
      {"folded line", ok("X: a\r\n b\r\n"), folded_line, " b", "Beast unfolds (RFC 9112, 5.2 lets it)"},
      {"two lengths", ok("Content-Length: 5\r\nContent-Length: 6\r\n"), several_lengths},
      {"length and chunked", ok("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
       length_with_transfer_encoding},
      {"xchunked", ok("Transfer-Encoding: xchunked\r\n"), unknown_transfer_encoding, anywhere, lenient_te},
      {"chunked in http 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
       transfer_encoding_before_1_1, anywhere, "RFC 9112, 6.1: such framing is faulty; Beast reads on"},
      {"interim with a length", "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n", body_where_none_may_be,
       anywhere, "Beast knows that there is no body and does not mind"},
      {"no content but chunked", "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
       body_where_none_may_be, anywhere, "Beast knows that there is no body and does not mind"},
  };
  return samples;
}

std::vector<http_sample> const& chunked_samples() {
  static std::vector<http_sample> const samples{
      {"nothing", "0\r\n\r\n"},
      {"one chunk", "5\r\nhello\r\n0\r\n\r\n"},
      {"several chunks", "1\r\na\r\nA\r\n0123456789\r\n000\r\n\r\n"},
      {"line ends in the data", "4\r\n\r\n\r\n\r\n0\r\n\r\n"},
      {"hexadecimal in both cases", "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n"},
      {"extension", "1;a\r\nx\r\n0;b=c\r\n\r\n"},
      {"quoted extension", "1;a=\"b;\\\"c\"\r\nx\r\n0\r\n\r\n"},
      {"two extensions", "1;a=b;c\r\nx\r\n0\r\n\r\n"},
      {"trailer", "0\r\nX-Sum: 1\r\nY:\r\n\r\n"},
      {"trailer with a long name", "0\r\nX-" + std::string(300, 'n') + ": 1\r\n\r\n"},

      {"empty size", "\r\nhello\r\n0\r\n\r\n", bad_chunk_size, "\r\nhello"},
      {"no number", "x\r\n", bad_chunk_size, "x"},
      {"prefixed size", "0x5\r\nhello\r\n0\r\n\r\n", bad_chunk_size, "x5"},
      {"plus before the size", "+5\r\nhello\r\n0\r\n\r\n", bad_chunk_size, "+5"},
      {"minus before the size", "-5\r\nhello\r\n0\r\n\r\n", bad_chunk_size, "-5"},
      {"space before the size", " 5\r\nhello\r\n0\r\n\r\n", bad_chunk_size, " 5"},
      {"space after the size", "5 \r\nhello\r\n0\r\n\r\n", bad_chunk_size, " \r"},
      {"underscore in the size", "1_0\r\n", bad_chunk_size, "_"},
      {"size of 2^63", "8000000000000000\r\n", bad_chunk_size},
      {"17 digits", "00000000000000001\r\na\r\n0\r\n\r\n", bad_chunk_size, anywhere,
       "Beast takes any number of zeros"},
      {"bare lf after the size", "5\nhello\r\n0\r\n\r\n", bare_lf, "\nhello"},
      {"bare cr after the size", "5\rXhello\r\n0\r\n\r\n", bare_cr, "Xhello"},
      {"bare lf in an extension", "5;a\nhello\r\n0\r\n\r\n", bare_lf, "\nhello"},
      {"extension without a name", "5;\r\nhello\r\n0\r\n\r\n", bad_chunk_extension, "\r\nhello"},
      {"extension without a value", "5;a=\r\nhello\r\n0\r\n\r\n", bad_chunk_extension, "\r\nhello"},
      {"space in an extension", "5; a\r\nhello\r\n0\r\n\r\n", bad_chunk_extension, " a",
       "RFC 9112, 7.1.1 lets one be lenient about blanks here; Beast is"},
      {"open quote", "5;a=\"b\r\nhello\r\n0\r\n\r\n", bad_chunk_extension, "\r\nhello"},
      {"text after a quote", "5;a=\"b\"c\r\nhello\r\n0\r\n\r\n", bad_chunk_extension, "c\r"},
      {"long extension", "5;" + std::string(5000, 'a') + "\r\nhello\r\n0\r\n\r\n", bad_chunk_extension,
       anywhere, "Beast has no limit on one extension"},
      {"data longer than its size", "5\r\nhello!\r\n0\r\n\r\n", bad_chunk_end, "!"},
      {"bare lf after the data", "5\r\nhello\n0\r\n\r\n", bad_chunk_end, "\n0"},
      {"cr without lf after the data", "5\r\nhello\rx0\r\n\r\n", bad_chunk_end, "x0"},
      {"bare lf at the end", "0\r\n\n", bad_trailer},
      {"framing in a trailer", "0\r\nContent-Length: 5\r\n\r\n", bad_trailer, ": 5"},
      {"routing in a trailer", "0\r\nhost: b\r\n\r\n", bad_trailer, ": b",
       "Beast takes any field as a trailer"},
      {"space in a trailer's name", "0\r\nX : 5\r\n\r\n", bad_trailer, " : 5"},
      {"folded trailer", "0\r\nX: 5\r\n 6\r\n\r\n", bad_trailer, " 6",
       "Beast unfolds (RFC 9112, 5.2 lets it)"},
      {"trailer without a name", "0\r\n: 5\r\n\r\n", bad_trailer, ": 5"},
      {"trailer without a colon", "0\r\nX\r\n\r\n", bad_trailer, "\r\n\r\n"},
      {"control byte in a trailer", "0\r\nX: \x01\r\n\r\n", bad_trailer, "\x01"},
      {"long trailers", "0\r\nX: " + std::string(9000, 'a') + "\r\n\r\n", long_trailer, anywhere,
       "Beast's limit is that of the head, and larger here"},
  };
  return samples;
}

}  // namespace halfopen::net
