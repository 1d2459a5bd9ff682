#pragma once

#include <string>
#include <vector>

#include <halfopen/gateway/gateway_plan.hpp>
#include <halfopen/gateway/log_writer.hpp>
#include <halfopen/gateway/storage.hpp>

namespace halfopen::gateway {

class worker;

/// What the metrics are made from. Nothing ever reads a metric back: control logic has its own counts.
struct metrics_source {
  gateway_plan const& in_force;
  std::vector<worker const*> const& workers;
  storage_health storage;
  log_writer const* access;
  std::string const& version;
  duration up;
  instant now;
};

/// Everything that is counted, in Prometheus' text form.
[[nodiscard]] std::string prometheus_text(metrics_source const& from);

}  // namespace halfopen::gateway
