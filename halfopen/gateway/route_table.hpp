#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/config/gateway_config.hpp>

namespace halfopen::gateway {

/// Where a request goes: the first route that matches wins.
class route_table {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct match {
    std::uint32_t tool = none;  // an index into the configuration's tools
    bool method_known = true;   // false: a route fits but for the method
  };

  explicit route_table(config::gateway_config const& config);

  /// `host` as in the Host field (with or without port, any case); `path` without the query.
  [[nodiscard]] match find(std::string_view method, std::string_view host,
                           std::string_view path) const noexcept;

  /// The methods that the routes for this place allow, as an Allow field lists them.
  [[nodiscard]] std::string allowed(std::string_view host, std::string_view path) const;

  /// The index of the tool of this name, or none.
  [[nodiscard]] std::uint32_t tool(std::string_view name) const noexcept;

 private:
  struct route {
    std::string host;  // lower case; empty = any
    bool host_suffix = false;
    std::string path;
    bool folder = false;
    std::vector<std::string> methods;
    std::uint32_t tool = none;
  };
  [[nodiscard]] static bool fits(route const& r, std::string_view host, std::string_view path) noexcept;

  std::vector<route> routes_;
  std::vector<std::string> tools_;
};

/// The path of a request target in origin form: without its query.
[[nodiscard]] std::string_view path_of(std::string_view target) noexcept;

/// Whether a path holds "." or ".." segments, plain or percent-encoded. Such a path means one thing to a
/// route and another to a tool that resolves it, so it is refused.
[[nodiscard]] bool has_dot_segments(std::string_view path) noexcept;

}  // namespace halfopen::gateway
