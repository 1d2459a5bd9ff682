#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <halfopen/base/diagnostic.hpp>

namespace halfopen::config {

struct entry;

/// A piece of text with structure, and where it stood. What YAML is read into and what YAML and JSON are
/// written from; it knows nothing about what the settings mean.
struct node {
  enum class kind : std::uint8_t { nothing, scalar, list, map };
  enum class style : std::uint8_t { plain, text };  // plain: a number or a truth value, where it is written

  kind is = kind::nothing;
  style written = style::text;
  source_position at;
  std::string scalar;
  std::vector<std::shared_ptr<node const>> items;
  std::vector<entry> entries;  // in the order of the text; a key appears once
};

struct entry {
  std::string key;
  source_position at;
  std::shared_ptr<node const> value;
};

/// The value of `key`, or nullptr.
[[nodiscard]] node const* find(node const& map, std::string_view key) noexcept;

/// In double quotes, with what a line or a terminal would not survive as escapes.
[[nodiscard]] std::string in_quotes(std::string_view s);

/// "a list", "a map", "nothing", or the scalar itself in quotes, cut to a length that fits a line.
[[nodiscard]] std::string description(node const& n);

using node_ptr = std::shared_ptr<node const>;
[[nodiscard]] node_ptr text(std::string value);
[[nodiscard]] node_ptr plain(std::string value);
[[nodiscard]] node_ptr list(std::vector<node_ptr> items);
[[nodiscard]] node_ptr map(std::vector<std::pair<std::string, node_ptr>> entries);

/// YAML in block style; what is read back from it is the same tree.
[[nodiscard]] std::string to_yaml(node const& n);
[[nodiscard]] std::string to_json(node const& n);

}  // namespace halfopen::config
