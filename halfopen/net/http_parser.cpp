#include <algorithm>
#include <optional>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/http_parser.hpp>
#include <halfopen/net/http_text.hpp>

namespace halfopen::net {
namespace {

using enum http_fault;

constexpr std::size_t method_max = 32;
constexpr std::size_t name_max = 255;

struct known_name {
  std::string_view name;
  known_field known;
};

constexpr known_name known_names[] = {
    {"te", known_field::te},
    {"host", known_field::host},
    {"expect", known_field::expect},
    {"upgrade", known_field::upgrade},
    {"connection", known_field::connection},
    {"keep-alive", known_field::keep_alive},
    {"retry-after", known_field::retry_after},
    {"content-type", known_field::content_type},
    {"authorization", known_field::authorization},
    {"content-length", known_field::content_length},
    {"proxy-connection", known_field::proxy_connection},
    {"transfer-encoding", known_field::transfer_encoding},
};

/// One step over the table: a name is looked at only if one of its length and first letter is known.
known_field lookup(std::string_view name) noexcept {
  for (auto const& row : known_names) {
    if (row.name.size() != name.size() || row.name.front() != lower(name.front())) continue;
    if (same_token(row.name, name)) return row.known;
  }
  return known_field::other;
}

/// "/": the fields that decide who gets a message, and where it ends. No other field may name them away.
bool frames_or_routes(std::string_view name) noexcept {
  return same_token(name, "host") || same_token(name, "content-length") ||
         same_token(name, "transfer-encoding");
}

std::optional<std::uint64_t> digits(std::string_view text) noexcept {
  constexpr std::size_t most = 19;  // ten to the 19th is above 2^63, so no sum below can wrap
  if (text.empty() || text.size() > most) return std::nullopt;
  std::uint64_t n = 0;
  for (char c : text) {
    if (!is(c, text_class::digit)) return std::nullopt;
    n = n * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (n > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return n;
}

/// The offset of the first byte that cannot stand in a Host value, or npos.
std::size_t bad_host_at(std::string_view host) noexcept {
  if (host.empty()) return 0;
  std::size_t i = 0;
  if (host.front() == '[') {
    for (i = 1; i < host.size() && host[i] != ']'; ++i)
      if (!is(host[i], text_class::hex) && host[i] != ':' && host[i] != '.') return i;
    if (i == host.size() || i == 1) return i;
    ++i;
  } else {
    while (i < host.size() && is(host[i], text_class::host)) ++i;
    if (i == 0) return 0;
  }
  if (i == host.size()) return host.npos;
  if (host[i] != ':') return i;
  auto const port = host.substr(i + 1);
  auto const number = port.empty() ? std::optional<std::uint64_t>{0} : digits(port);
  return number && *number <= 65535 ? host.npos : i + 1;
}

std::string_view without_port_80(std::string_view authority) noexcept {
  if (authority.ends_with(":80")) authority.remove_suffix(3);
  if (authority.ends_with(':')) authority.remove_suffix(1);
  return authority;
}

}  // namespace

head_parser::head_parser(head_limits limits) noexcept : limits_{limits} {
  limits_.head_max = std::min(limits_.head_max, message_head::size_max);
  limits_.fields_max = std::min(limits_.fields_max, message_head::fields_max);
}

void head_parser::restart(message_head& head) noexcept {
  line_at_ = seen_ = 0;
  in_fields_ = false;
  head.length_ = 0;
  head.start_ = head.fields_at_ = head.end_ = 0;
  head.fields_ = 0;
  head.minor_ = 1;
  head.has_length_ = head.chunked_ = head.says_close_ = head.says_keep_alive_ = head.hop_ = false;
  head.first_.fill(message_head::none);
}

parse_step head_parser::run(std::string_view bytes, message_head& head) {
  head.base_ = bytes.data();
  std::size_t const limit = std::min(bytes.size(), limits_.head_max);
  if (!in_fields_)
    if (auto const early = first_bytes(bytes.substr(line_at_)); early.is_bad()) return early;
  for (;;) {
    std::size_t i = seen_;
    while (i < limit && !is(bytes[i], text_class::control)) ++i;
    seen_ = i;
    if (i == limit || (bytes[i] == '\r' && i + 1 == limit)) return too_long_or_more(bytes.size());
    if (bytes[i] != '\r') return parse_step::bad(bytes[i] == '\n' ? bare_lf : control_byte, i);
    if (bytes[i + 1] != '\n') return parse_step::bad(bare_cr, i);
    std::size_t const at = line_at_;
    line_at_ = seen_ = i + 2;
    if (in_fields_ && at == i) {
      head.end_ = static_cast<std::uint16_t>(line_at_);
      auto const checked = check(bytes, at);
      return checked.is_bad() ? checked : parse_step::complete(line_at_);
    }
    auto const step = line(bytes, at, i, head);
    if (step.is_bad()) return step;
  }
}

parse_step head_parser::too_long_or_more(std::size_t arrived) const noexcept {
  if (arrived < limits_.head_max) return parse_step::need_more();
  return parse_step::bad(in_fields_ ? long_head : long_first_line(), limits_.head_max);
}

parse_step head_parser::line(std::string_view bytes, std::size_t at, std::size_t end, message_head& head) {
  if (in_fields_) return field_line(bytes, at, end, head);
  if (at == 0 && end == 0 && may_begin_empty()) {
    head.start_ = 2;
    return {};
  }
  auto const step = first_line(bytes, at, end);
  head.fields_at_ = static_cast<std::uint16_t>(end + 2);
  in_fields_ = true;
  return step;
}

parse_step head_parser::field_line(std::string_view bytes, std::size_t at, std::size_t end,
                                   message_head& head) {
  if (is_blank(bytes[at])) return parse_step::bad(folded_line, at);
  std::size_t colon = at;
  while (is(bytes[colon], text_class::token)) ++colon;  // ends at the line's CR at the latest
  if (colon == end) return parse_step::bad(no_colon, end);
  if (bytes[colon] != ':') {
    auto const next = bytes.substr(0, end).find_first_not_of(" \t", colon);
    bool const spaced = colon != at && next != bytes.npos && next != colon && bytes[next] == ':';
    return parse_step::bad(spaced ? space_before_colon : bad_name, colon);
  }
  if (colon == at) return parse_step::bad(bad_name, at);
  if (colon - at > name_max) return parse_step::bad(long_head, at + name_max);
  if (head.fields_ == limits_.fields_max) return parse_step::bad(many_fields, at);
  std::size_t first = colon + 1;
  std::size_t last = end;
  while (first < last && is_blank(bytes[first])) ++first;
  while (last > first && is_blank(bytes[last - 1])) --last;
  head.field_[head.fields_] = {.name_at = static_cast<std::uint16_t>(at),
                               .value_at = static_cast<std::uint16_t>(first),
                               .value_size = static_cast<std::uint16_t>(last - first),
                               .name_size = static_cast<std::uint8_t>(colon - at),
                               .known = lookup(bytes.substr(at, colon - at))};
  return note(head.fields_++, head);
}

parse_step head_parser::note(std::uint8_t i, message_head& head) {
  auto const known = head.field_[i].known;
  if (known == known_field::other) return {};
  auto& first = head.first_[message_head::index(known)];
  bool const again = first != message_head::none;
  if (!again) first = i;
  auto const value = head.value(i);
  std::size_t const at = head.field_[i].value_at;
  switch (known) {
    case known_field::host:
      return again ? parse_step::bad(several_hosts, head.field_[i].name_at) : parse_step{};
    case known_field::content_length: {
      if (again) return parse_step::bad(several_lengths, head.field_[i].name_at);
      auto const length = digits(value);
      if (!length) return parse_step::bad(bad_length, at);
      head.has_length_ = true;
      head.length_ = *length;
      return {};
    }
    case known_field::transfer_encoding:
      if (again) return parse_step::bad(several_transfer_encodings, head.field_[i].name_at);
      head.chunked_ = same_token(value, "chunked");
      return head.chunked_ ? parse_step{} : parse_step::bad(unknown_transfer_encoding, at);
    case known_field::connection: head.hop_ = true; return connection(value, at, head);
    case known_field::keep_alive:
    case known_field::proxy_connection:
    case known_field::te:
    case known_field::upgrade: head.hop_ = true; return {};
    case known_field::content_type:
    case known_field::expect:
    case known_field::retry_after:
    case known_field::authorization:
    case known_field::other: return {};
  }
  return {};
}

parse_step head_parser::connection(std::string_view value, std::size_t at, message_head& head) {
  bool const fine = for_each_token(value, [&](std::string_view option) {
    if (same_token(option, "close")) head.says_close_ = true;
    if (same_token(option, "keep-alive")) head.says_keep_alive_ = true;
    return is_token(option) && !frames_or_routes(option);
  });
  return fine ? parse_step{} : parse_step::bad(bad_connection, at);
}

parse_step head_parser::check_framing(message_head const& head) {
  if (!head.chunked_) return {};
  std::size_t const at =
      head.field_[head.first_[message_head::index(known_field::transfer_encoding)]].name_at;
  if (head.has_length_) return parse_step::bad(length_with_transfer_encoding, at);
  if (head.minor_ == 0) return parse_step::bad(transfer_encoding_before_1_1, at);
  return {};
}

void request_parser::reset() noexcept {
  restart(head_);
  head_.target_at_ = head_.target_size_ = head_.path_at_ = 0;
  head_.method_size_ = 0;
  head_.expects_continue_ = false;
}

parse_step request_parser::first_line(std::string_view bytes, std::size_t at, std::size_t end) {
  std::size_t i = at;
  while (is(bytes[i], text_class::token)) ++i;
  if (i == at && i == end) return parse_step::bad(bad_request_line, at);
  if (i == end) return parse_step::bad(no_version, end);
  if (bytes[i] != ' ' || i == at || i - at > method_max) return parse_step::bad(bad_method, i);
  head_.method_size_ = static_cast<std::uint8_t>(i - at);
  head_.method_ = method_of(bytes.substr(at, i - at));
  std::size_t const target_at = ++i;
  while (is(bytes[i], text_class::target)) ++i;
  if (i - target_at > limits_.target_max) return parse_step::bad(long_target, target_at + limits_.target_max);
  if (i == target_at) return parse_step::bad(bad_request_line, i);
  if (i == end) return parse_step::bad(no_version, end);
  if (bytes[i] != ' ') return parse_step::bad(bad_target, i);
  if (auto const step = target(bytes, target_at, i); step.is_bad()) return step;
  return version(bytes, i + 1, end);
}

parse_step request_parser::version(std::string_view bytes, std::size_t at, std::size_t end) {
  auto const text = bytes.substr(at, end - at);
  if (text == "HTTP/1.1") return {};
  head_.minor_ = 0;
  if (text == "HTTP/1.0") return {};
  bool const other = text.size() == 8 && text.starts_with("HTTP/") && is(text[5], text_class::digit) &&
                     text[6] == '.' && is(text[7], text_class::digit);
  return parse_step::bad(other ? unsupported_version : bad_request_line, at);
}

parse_step request_parser::target(std::string_view bytes, std::size_t at, std::size_t end) {
  using form = request_head::form;
  auto const text = bytes.substr(at, end - at);
  head_.target_at_ = static_cast<std::uint16_t>(at);
  head_.target_size_ = static_cast<std::uint16_t>(text.size());
  if (head_.method_ == http_method::connect) {
    head_.form_ = form::authority;
    auto const bad = bad_host_at(text);
    return bad == text.npos ? parse_step{} : parse_step::bad(bad_target, at + bad);
  }
  head_.form_ = form::origin;
  if (text.front() == '/') return {};
  if (text == "*" && head_.method_ == http_method::options) {
    head_.form_ = form::asterisk;
    return {};
  }
  auto const scheme = text.substr(0, text.find("://"));
  if (!same_token(scheme, "http") && !same_token(scheme, "https")) return parse_step::bad(bad_target, at);
  head_.form_ = form::absolute;
  std::size_t const authority_at = scheme.size() + 3;
  if (authority_at > text.size()) return parse_step::bad(bad_target, at);
  std::size_t const path_at = std::min(text.find_first_of("/?", authority_at), text.size());
  auto const bad = bad_host_at(text.substr(authority_at, path_at - authority_at));
  if (bad != text.npos) return parse_step::bad(bad_target, at + authority_at + bad);
  if (path_at < text.size() && text[path_at] == '?') return parse_step::bad(bad_target, at + path_at);
  head_.path_at_ = static_cast<std::uint16_t>(path_at);
  return {};
}

parse_step request_parser::check(std::string_view bytes, std::size_t empty_line_at) {
  if (auto const step = check_framing(head_); step.is_bad()) return step;
  auto const host = head_.find(known_field::host);
  if (!host) {
    if (head_.minor_version() >= 1) return parse_step::bad(no_host, empty_line_at);
  } else {
    auto const host_at = static_cast<std::size_t>(host->data() - bytes.data());
    auto const bad = bad_host_at(*host);
    if (bad != host->npos) return parse_step::bad(bad_host, host_at + bad);
    if (head_.form_ == request_head::form::absolute) {
      auto const target = head_.target();
      std::size_t const authority_at = target.find("://") + 3;
      auto const authority = target.substr(authority_at, head_.path_at_ - authority_at);
      if (!same_token(without_port_80(authority), without_port_80(*host)))
        return parse_step::bad(host_mismatch, host_at);
    }
  }
  if (auto const expect = head_.find(known_field::expect))
    head_.expects_continue_ = head_.minor_version() >= 1 && same_token(*expect, "100-continue");
  return {};
}

void response_parser::reset() noexcept {
  restart(head_);
  head_.status_ = 0;
}

parse_step response_parser::first_bytes(std::string_view bytes) {
  // What does not begin as HTTP is told at once: the rest may never come.
  constexpr std::string_view begin = "HTTP/1.";
  for (std::size_t i = 0; i < std::min(begin.size(), bytes.size()); ++i)
    if (bytes[i] != begin[i]) return parse_step::bad(bad_status_line, i);
  return {};
}

parse_step response_parser::first_line(std::string_view bytes, std::size_t at, std::size_t end) {
  constexpr std::size_t version_size = 8;  // "HTTP/1.1"
  auto const line = bytes.substr(at, end - at);
  if (line.size() < version_size || (line[7] != '0' && line[7] != '1'))
    return parse_step::bad(bad_status_line, at + std::min<std::size_t>(line.size(), 7));
  head_.minor_ = static_cast<std::uint8_t>(line[7] - '0');
  std::size_t i = version_size;
  for (std::size_t k = 0; k < 5; ++k, ++i) {
    bool const space = k == 0 || k == 4;
    bool const right = i < line.size() && (space ? line[i] == ' ' : is(line[i], text_class::digit));
    if (!right || (k == 1 && line[i] == '0'))
      return parse_step::bad(bad_status_line, at + std::min(i, line.size()));
    if (!space) head_.status_ = static_cast<std::uint16_t>(head_.status_ * 10 + (line[i] - '0'));
  }
  return {};
}

parse_step response_parser::check(std::string_view, std::size_t empty_line_at) {
  if (auto const step = check_framing(head_); step.is_bad()) return step;
  bool const bodiless = head_.is_interim() || head_.status_ == 204;
  if (bodiless && (head_.chunked() || head_.content_length().value_or(0) != 0))
    return parse_step::bad(body_where_none_may_be, empty_line_at);
  return {};
}

}  // namespace halfopen::net
