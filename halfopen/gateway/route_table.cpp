#include <algorithm>

#include <halfopen/gateway/route_table.hpp>

namespace halfopen::gateway {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether `text`, lower-cased, is `lowered`.
bool same_folded(std::string_view text, std::string_view lowered) noexcept {
  return std::ranges::equal(text, lowered, {}, lower);
}

std::string_view without_port(std::string_view host) noexcept {
  auto const bracket = host.rfind(']');
  auto const colon = host.rfind(':');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return host;
  return host.substr(0, colon);
}

bool allows(std::vector<std::string> const& methods, std::string_view method) noexcept {
  return methods.empty() || std::ranges::find(methods, method) != methods.end();
}

/// The length of a dot at the start of `s`, plain or percent-encoded, or 0.
std::size_t dot(std::string_view s) noexcept {
  if (s.starts_with('.')) return 1;
  return s.starts_with("%2e") || s.starts_with("%2E") ? 3 : 0;
}

bool segment_ends(std::string_view s) noexcept {
  return s.empty() || s[0] == '/' || s[0] == ';' || s[0] == '\\' || s.starts_with("%2f") ||
         s.starts_with("%2F");
}

}  // namespace

route_table::route_table(config::gateway_config const& config) {
  for (auto const& t : config.tools) tools_.push_back(t.name);
  for (auto const& r : config.routes) {
    auto& made = routes_.emplace_back();
    made.host_suffix = r.host.starts_with("*.");
    made.host = made.host_suffix ? r.host.substr(1) : r.host;
    made.path = r.path;
    made.folder = r.path.ends_with('/');
    made.methods = r.methods;
    made.tool = tool(r.tool);
  }
}

bool route_table::fits(route const& r, std::string_view host, std::string_view path) noexcept {
  if (r.folder ? !path.starts_with(r.path) : path != r.path) return false;
  if (r.host.empty()) return true;
  if (!r.host_suffix) return same_folded(host, r.host);
  return host.size() > r.host.size() && same_folded(host.substr(host.size() - r.host.size()), r.host);
}

route_table::match route_table::find(std::string_view method, std::string_view host,
                                     std::string_view path) const noexcept {
  host = without_port(host);
  match found;
  for (auto const& r : routes_) {
    if (!fits(r, host, path)) continue;
    if (allows(r.methods, method)) return {r.tool, true};
    found.method_known = false;
  }
  return found;
}

std::string route_table::allowed(std::string_view host, std::string_view path) const {
  host = without_port(host);
  std::vector<std::string> methods;
  for (auto const& r : routes_)
    if (fits(r, host, path)) methods.insert(methods.end(), r.methods.begin(), r.methods.end());
  std::ranges::sort(methods);
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
  std::string list;
  for (auto const& m : methods) (list += list.empty() ? "" : ", ") += m;
  return list;
}

std::uint32_t route_table::tool(std::string_view name) const noexcept {
  auto const at = std::ranges::find(tools_, name);
  return at == tools_.end() ? none : static_cast<std::uint32_t>(at - tools_.begin());
}

std::string_view path_of(std::string_view target) noexcept { return target.substr(0, target.find('?')); }

bool has_dot_segments(std::string_view path) noexcept {
  for (auto at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
    auto rest = path.substr(at + 1);
    auto const first = dot(rest);
    if (first == 0) continue;
    rest.remove_prefix(first);
    if (segment_ends(rest)) return true;
    auto const second = dot(rest);
    if (second != 0 && segment_ends(rest.substr(second))) return true;
  }
  return false;
}

}  // namespace halfopen::gateway
