#pragma once

#include <optional>
#include <string>
#include <vector>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/tla/check_all.hpp>
#include <halfopen/tla/trace.hpp>
#include <halfopen/tla/verify.hpp>

namespace halfopen::tla {

/// All that one check has to say, for machines.
struct check_report {
  std::string spec;
  std::string config;
  check_outcome outcome;
  std::optional<trace> way;             // to what is wrong
  std::vector<diagnostic> diagnostics;  // of the spec and its configuration, warnings included
  std::string output;                   // what the spec printed
  std::optional<walked> walks{};        // of a simulation
  std::optional<coverage> covered{};    // if it was asked for
};

/// An object of docs/schemas/check-result.schema.json.
[[nodiscard]] std::string to_json(check_report const& r);

/// A list of diagnostics as a JSON array; each is an object of docs/schemas/check-result.schema.json.
[[nodiscard]] std::string to_json(std::vector<diagnostic> const& all);

}  // namespace halfopen::tla
