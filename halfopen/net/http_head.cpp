#include <halfopen/net/http_head.hpp>
#include <halfopen/net/http_text.hpp>

namespace halfopen::net {

bool is_idempotent(http_method m) noexcept {
  switch (m) {
    case http_method::get:
    case http_method::head:
    case http_method::put:
    case http_method::delete_:
    case http_method::options:
    case http_method::trace: return true;
    case http_method::post:
    case http_method::connect:
    case http_method::patch:
    case http_method::other: return false;
  }
  return false;
}

http_method method_of(std::string_view text) noexcept {
  switch (text.size()) {
    case 3:
      if (text == "GET") return http_method::get;
      if (text == "PUT") return http_method::put;
      break;
    case 4:
      if (text == "POST") return http_method::post;
      if (text == "HEAD") return http_method::head;
      break;
    case 5:
      if (text == "PATCH") return http_method::patch;
      if (text == "TRACE") return http_method::trace;
      break;
    case 6:
      if (text == "DELETE") return http_method::delete_;
      break;
    case 7:
      if (text == "OPTIONS") return http_method::options;
      if (text == "CONNECT") return http_method::connect;
      break;
    default: break;
  }
  return http_method::other;
}

bool same_token(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

std::optional<std::string_view> message_head::find(known_field k) const noexcept {
  std::uint8_t const first = first_[index(k)];
  if (first == none) return std::nullopt;
  return value(first);
}

std::optional<std::string_view> message_head::find(std::string_view wanted) const noexcept {
  for (std::size_t i = 0; i < fields_; ++i)
    if (same_token(name(i), wanted)) return value(i);
  return std::nullopt;
}

std::string_view request_head::path_and_query() const noexcept {
  auto const rest = target().substr(path_at_);
  return rest.empty() ? std::string_view{"/"} : rest;
}

std::string_view request_head::path() const noexcept {
  auto const both = path_and_query();
  return both.substr(0, both.find('?'));
}

}  // namespace halfopen::net
