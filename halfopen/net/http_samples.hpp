#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/net/http_fault.hpp>

namespace halfopen::net {

/// One message and what the parsers must say to it, for every test that goes over all of them.
struct http_sample {
  std::string_view name;
  std::string bytes;
  std::optional<http_fault> refused = std::nullopt;
  std::string_view offending =
      {};  // where refused: `at` is the first place where this stands (empty: not checked)

  /// Why Beast answers differently; empty where it must answer the same.
  std::string_view beast_differs = {};
};

[[nodiscard]] std::vector<http_sample> const& request_samples();
[[nodiscard]] std::vector<http_sample> const& response_samples();
[[nodiscard]] std::vector<http_sample> const& chunked_samples();  // bodies alone

}  // namespace halfopen::net
