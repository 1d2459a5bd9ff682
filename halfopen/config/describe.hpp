#pragma once

#include <string>

#include <halfopen/config/gateway_config.hpp>
#include <halfopen/config/tree.hpp>

/// What the table of settings says, told in three ways.
namespace halfopen::config {

/// Every setting with the value that is in force; reading it back gives the same settings.
[[nodiscard]] node_ptr effective(gateway_config const& c);

/// A JSON schema (draft 2020-12) of the file, for editors.
[[nodiscard]] node_ptr schema();

/// The reference page, in Markdown.
[[nodiscard]] std::string reference();

}  // namespace halfopen::config
