#include <algorithm>
#include <array>
#include <charconv>

#include <halfopen/base/json_text.hpp>
#include <halfopen/gateway/forwarding.hpp>
#include <halfopen/net/http_forward.hpp>

namespace halfopen::gateway {
namespace {

using net::known_field;

bool stays(net::request_head const& head, std::size_t i, request_edit const& edit) {
  switch (head.known(i)) {
    case known_field::expect: return false;  // answered here
    case known_field::transfer_encoding: return !edit.drop_framing;
    case known_field::content_length: return !edit.drop_framing;
    case known_field::host: return !edit.drop_host;
    default: return !net::is_hop_field(head, i);
  }
}

bool stays(net::response_head const& head, std::size_t i, reply_edit const& edit) {
  if (head.known(i) == known_field::transfer_encoding) return !edit.drop_framing;
  return !net::is_hop_field(head, i);
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
  ((out += name) += value) += "\r\n";
}

}  // namespace

std::size_t append_request_head(std::string& out, net::request_head const& head, request_edit const& edit) {
  auto const start = out.size();
  if (!edit.first_line.empty()) {
    out += edit.first_line;
  } else {
    ((out += head.method_text()) += ' ') += head.path_and_query();
    out += " HTTP/1.1\r\n";
  }
  auto const first_line = out.size() - start;
  for (std::size_t i = 0; i < head.size(); ++i)
    if (stays(head, i, edit)) out += head.line(i);
  append_line(out, "X-Forwarded-For: ", edit.client);
  out += "Via: 1.1 halfopen\r\n";
  return first_line;
}

bool stays_as_it_is(net::response_head const& head, reply_edit const& edit) noexcept {
  bool const adds = !edit.keep_alive || edit.says_keep_alive || edit.add_chunked || !edit.added.empty();
  return !adds && !edit.drop_framing && head.minor_version() == 1 && !head.has_hop_fields();
}

void append_reply_head(std::string& out, net::response_head const& head, reply_edit const& edit) {
  // The tool's version is of its own connection; what follows it is the client's to read.
  out += "HTTP/1.1";
  out += head.first_line().substr(8);
  out += "\r\n";
  for (std::size_t i = 0; i < head.size(); ++i)
    if (stays(head, i, edit)) out += head.line(i);
  if (edit.add_chunked) out += "Transfer-Encoding: chunked\r\n";
  if (!edit.keep_alive)
    out += "Connection: close\r\n";
  else if (edit.says_keep_alive)
    out += "Connection: keep-alive\r\n";
  out += edit.added;
  out += "\r\n";
}

void append_chunk(std::string& out, std::string_view bytes, bool complete) {
  if (!bytes.empty()) {
    std::array<char, 20> size{};
    auto const end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
    out.append(size.data(), end);
    ((out += "\r\n") += bytes) += "\r\n";
  }
  if (complete) out += "0\r\n\r\n";
}

std::int64_t retry_after_of(net::response_head const& head) noexcept {
  auto const field = head.find(known_field::retry_after).value_or(std::string_view{});
  std::int64_t seconds = 0;
  auto const end = std::from_chars(field.data(), field.data() + field.size(), seconds);
  bool const number = end.ec == std::errc{} && end.ptr == field.data() + field.size();
  constexpr std::int64_t day = 24 * 60 * 60;
  return number && seconds > 0 ? std::min(seconds, day) : 0;
}

}  // namespace halfopen::gateway
