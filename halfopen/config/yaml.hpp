#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include <halfopen/config/tree.hpp>

namespace halfopen::config {

constexpr std::size_t text_bytes_max = 1024 * 1024;
constexpr std::size_t nodes_max = 50'000;  // aliases counted as often as they are used
constexpr std::size_t depth_max = 32;

/// Reads one YAML document. What is wrong is added to `problems`: encoding, tabs, syntax, duplicate keys, a
/// text that is too large, too deep, or grows too far through its aliases.
///
/// Returns: the tree, or nullptr where there is none worth looking at.
[[nodiscard]] node_ptr parse_yaml(std::string_view text, std::string const& file,
                                  std::vector<diagnostic>& problems);

}  // namespace halfopen::config
