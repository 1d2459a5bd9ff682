#include <algorithm>

#include <halfopen/base/json_text.hpp>
#include <halfopen/gateway/admin_message.hpp>
#include <halfopen/net/reason_phrase.hpp>

namespace halfopen::gateway {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size() || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0) return std::nullopt;
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    }
  }
  return out;
}

template <class F>
bool each_part(std::string_view text, char separator, F&& f) {
  while (!text.empty()) {
    auto const end = text.find(separator);
    if (!f(text.substr(0, end))) return false;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return true;
}

bool take_parameter(admin_request& r, std::string_view part) {
  auto const equals = part.find('=');
  auto name = decoded(part.substr(0, equals), true);
  auto value = decoded(equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1), true);
  if (!name || !value) return false;
  r.query.emplace_back(*std::move(name), *std::move(value));
  return true;
}

bool take_segment(admin_request& r, std::string_view part) {
  auto text = decoded(part, false);
  if (!text) return false;
  r.segments.push_back(*std::move(text));
  return true;
}

}  // namespace

std::string_view admin_request::parameter(std::string_view name) const noexcept {
  for (auto const& [n, value] : query)
    if (n == name) return value;
  return {};
}

bool admin_request::has(std::string_view name) const noexcept {
  return std::ranges::any_of(query, [&](auto const& q) { return q.first == name; });
}

bool take_target(admin_request& r, std::string_view target) {
  auto const mark = target.find('?');
  r.path = target.substr(0, mark);
  r.segments.clear();
  r.query.clear();
  auto path = std::string_view{r.path};
  if (path.starts_with('/')) path.remove_prefix(1);
  if (!each_part(path, '/', [&](auto part) { return take_segment(r, part); })) return false;
  if (mark == std::string_view::npos) return true;
  return each_part(target.substr(mark + 1), '&', [&](auto part) { return take_parameter(r, part); });
}

admin_reply admin_problem(int status, std::string_view code, std::string_view detail) {
  admin_reply r{.status = status, .body = {}, .content_type = "application/problem+json", .fields = {}};
  r.body = "{\"type\":\"urn:halfopen:problem:";
  (r.body += code) += '"';
  append_json_member(r.body, "title", net::reason_phrase(status));
  append_json_member(r.body, "status", status);
  append_json_member(r.body, "reason", code);
  append_json_member(r.body, "detail", detail);
  r.body += "}\n";
  if (status == 401) r.fields = "WWW-Authenticate: Bearer realm=\"halfopen\"\r\n";
  return r;
}

}  // namespace halfopen::gateway
