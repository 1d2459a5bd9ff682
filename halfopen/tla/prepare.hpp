#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <halfopen/base/expected.hpp>
#include <halfopen/tla/config.hpp>
#include <halfopen/tla/model.hpp>
#include <halfopen/tla/spec.hpp>
#include <halfopen/tla/verify.hpp>

namespace halfopen::tla {

/// A spec and its configuration, read, resolved and compiled: where everything about a model begins.
struct prepared {
  explicit prepared(tla::spec s) noexcept : spec{std::move(s)} {}
  prepared(prepared const&) = delete;
  prepared& operator=(prepared const&) = delete;

  tla::spec spec;
  tla::binding binding;
  std::unique_ptr<tla::model> model;
};

/// What is wrong with the spec or its configuration is a report.
[[nodiscard]] expected<std::unique_ptr<prepared>, report> prepare(verification const& what);

/// The report of something wrong with a model, known before any state was looked at.
[[nodiscard]] report refused(refusal const& r);

/// What is wrong if a path names no module at all: a folder, a configuration, nothing that is there.
[[nodiscard]] std::optional<diagnostic> wrong_kind_of_file(std::string const& path);

/// Where the configuration is, if none is named.
[[nodiscard]] std::string config_beside(std::string const& spec);

}  // namespace halfopen::tla
