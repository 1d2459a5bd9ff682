#include <array>
#include <cstdio>

#include <halfopen/tla/check_report.hpp>

namespace halfopen::tla {
namespace {

std::string fixed(double seconds) {
  std::array<char, 32> text{};
  auto const n = std::snprintf(text.data(), text.size(), "%.3f", seconds);
  return {text.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

std::string to_json(diagnostic const& d) {
  return "{\"file\": " + json_quoted(d.file) + ", \"line\": " + std::to_string(d.at.line) +
         ", \"column\": " + std::to_string(d.at.column) +
         ", \"level\": " + (d.level == severity::error ? "\"error\"" : "\"warning\"") +
         ", \"code\": " + json_quoted(d.code) + ", \"found\": " + json_quoted(d.found) +
         ", \"expected\": " + json_quoted(d.expected) + ", \"hint\": " + json_quoted(d.hint) + "}";
}

std::string to_json(walked const& w) {
  auto const field = [](char const* name, std::uint64_t n) {
    return ", \"" + std::string{name} + "\": " + std::to_string(n);
  };
  return "{\"seed\": " + std::to_string(w.how.seed) + field("first_walk", w.how.first) +
         field("depth", w.how.depth) + field("walks", w.counts.walks) + field("steps", w.counts.steps) +
         field("generated", w.counts.generated) + field("longest", w.counts.longest) +
         ", \"found_on\": " + (w.found_on == 0 ? "null" : std::to_string(w.found_on)) + "}";
}

/// Walks that found nothing show nothing: they are not "ok".
std::string_view verdict_of(check_report const& r) {
  return r.walks && r.outcome.exit_code == 0 ? "simulated" : verdict_name(r.outcome.exit_code);
}

}  // namespace

std::string to_json(std::vector<diagnostic> const& all) {
  std::string out = "[";
  for (auto const& d : all) out += (out.size() == 1 ? "\n  " : ",\n  ") + to_json(d);
  return out + (all.empty() ? "]" : "\n]");
}

std::string to_json(check_report const& r) {
  auto const& o = r.outcome;
  return "{\"spec\": " + json_quoted(r.spec) + ",\n \"config\": " + json_quoted(r.config) +
         ",\n \"verdict\": " + json_quoted(verdict_of(r)) +
         ", \"exit_code\": " + std::to_string(o.exit_code) + ",\n \"property\": " + json_quoted(o.property) +
         ", \"message\": " + json_quoted(o.text) + ",\n \"distinct\": " + std::to_string(o.distinct) +
         ", \"generated\": " + std::to_string(o.generated) + ", \"depth\": " + std::to_string(o.depth) +
         ", \"seconds\": " + fixed(o.seconds) + ",\n \"diagnostics\": " + to_json(r.diagnostics) +
         ",\n \"output\": " + json_quoted(r.output) +
         (r.walks ? ",\n \"simulation\": " + to_json(*r.walks) : "") +
         (r.covered ? ",\n \"coverage\": " + to_json(*r.covered) : "") +
         ",\n \"trace\": " + (r.way ? to_json(*r.way) : "null\n") + "}\n";
}

}  // namespace halfopen::tla
