#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/config/gateway_config.hpp>
#include <halfopen/config/tree.hpp>

namespace halfopen::config {

struct loaded {
  gateway_config config;
  node_ptr written;  // the text's own tree, aliases followed
  std::vector<diagnostic> warnings;
};

/// Everything that is wrong with a file, in the order of its lines; warnings among them.
using problems = std::vector<diagnostic>;

/// Reads a gateway's settings from YAML text. Every problem is reported, not the first alone.
///
/// `file` is the name that diagnostics carry; relative paths in the text are resolved against its folder.
/// Throws nothing but std::bad_alloc, whatever the text.
[[nodiscard]] expected<loaded, problems> read(std::string_view text, std::filesystem::path const& file);

/// read() of a file's content; a file that cannot be read, or is larger than 1 MB, is a problem like any
/// other.
[[nodiscard]] expected<loaded, problems> load(std::filesystem::path const& file);

}  // namespace halfopen::config
