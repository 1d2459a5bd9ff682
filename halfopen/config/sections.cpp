#include <algorithm>

#include <halfopen/config/sections.hpp>

namespace halfopen::config {

char const* wrong_method(std::string const& method) {
  auto const capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  bool const fits = !method.empty() && method.size() <= 32 && std::ranges::all_of(method, capital);
  return fits ? nullptr : "an HTTP method in capitals, such as GET";
}

char const* wrong_path(std::string const& path) {
  auto const fits = [](unsigned char c) { return c > 0x20 && c < 0x7F && c != '?' && c != '#'; };
  return path.starts_with('/') && std::ranges::all_of(path, fits)
             ? nullptr
             : "a path that begins with '/', without '?', '#' or spaces";
}

char const* wrong_route_host(std::string const& host) {
  auto const fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == ':' || c == '[' || c == ']';
  };
  std::string_view const rest =
      host.starts_with("*.") ? std::string_view{host}.substr(2) : std::string_view{host};
  bool const has_port = rest.find(':') != std::string_view::npos && !rest.starts_with('[');
  return !rest.empty() && !has_port && std::ranges::all_of(rest, fits)
             ? nullptr
             : "a host name without a port, such as api.example.com";
}

window_spelling spelled(window_config const& w) {
  switch (w.kind) {
    case window_kind::consecutive: return {.consecutive = w.count};
    case window_kind::calls: return {.calls = w.count};
    case window_kind::time: break;
  }
  return {.time = w.length, .buckets = w.count};
}

}  // namespace halfopen::config
