#include <nlohmann/json.hpp>

#include <halfopen/gateway/admin_view.hpp>
#include <halfopen/net/event_loop.hpp>

namespace halfopen::gateway {
namespace {

using nlohmann::json;

std::int64_t ms(duration d) { return std::chrono::duration_cast<std::chrono::milliseconds>(d).count(); }

json date(std::optional<wall_time> const& t) { return t ? json(to_text(*t)) : json(nullptr); }

json view(window_counts const& w) { return {{"calls", w.calls}, {"failures", w.failures}, {"slow", w.slow}}; }

json view(breaker_totals const& t) {
  return {{"admitted", t.admitted},
          {"successes", t.successes},
          {"failures", t.failures},
          {"ignored", t.ignored},
          {"abandoned", t.abandoned},
          {"late_successes", t.late_successes},
          {"late_failures", t.late_failures},
          {"slow", t.slow},
          {"in_flight", t.in_flight()},
          {"refused",
           {{"open", t.refused_open},
            {"probe_in_flight", t.refused_probe_in_flight},
            {"ramping", t.refused_ramping},
            {"forced_open", t.refused_forced_open}}}};
}

json host_view(tool_plan const& tool, host_plan const& host, health_board const& board, instant now) {
  return {{"url", host.name()},
          {"breaker", host.gate ? view(*host.gate, now) : json(nullptr)},
          {"health", view(board.read({tool.state->name, host.name()}))}};
}

std::string hex(digest const& d) { return to_hex(d); }

}  // namespace

json view(guard const& gate, instant now) {
  auto const s = gate.breaker().snapshot(now);
  json v{{"tool", gate.tool()},
         {"host", gate.host().empty() ? json(nullptr) : json(gate.host())},
         {"state", name(s.state)},
         {"epoch", s.epoch},
         {"cause", name(s.cause)},
         {"in_state_ms", ms(now - s.since)},
         {"retry_after_ms", ms(s.retry_after)},
         {"deadline_in_ms", s.until.is_never() ? json(nullptr) : json(ms(s.until - now))},
         {"window", view(s.window)},
         {"failures_to_trip",
          s.failures_to_trip == breaker_snapshot::no_trip ? json(nullptr) : json(s.failures_to_trip)},
         {"openings", s.openings},
         {"probes_out", s.probes_out},
         {"oldest_probe_age_ms", ms(s.oldest_probe_age)},
         {"probe_successes", s.probe_successes},
         {"neutral_results", s.neutral_results},
         {"next_lease_ms", ms(s.next_lease)},
         {"events_lost", s.events_lost},
         {"totals", view(gate.totals())}};
  return v;
}

json view(health_counts const& c) {
  auto const rate = [](std::optional<double> r) { return r ? json(*r) : json(nullptr); };
  return {{"total_invocations", c.total_invocations()},
          {"success_count", c.success},
          {"failure_count", c.failure},
          {"ignored_count", c.ignored},
          {"abandoned_count", c.abandoned},
          {"slow_count", c.slow},
          {"late_count", c.late},
          {"rejected_count", c.rejected},
          {"success_rate", rate(c.success_rate())},
          {"failure_rate", rate(c.failure_rate())},
          {"last_success_at", date(c.last_success_at)},
          {"last_failure_at", date(c.last_failure_at)}};
}

json view(tool_plan const& tool, health_board const& board, instant now) {
  json hosts = json::array();
  for (auto const& h : tool.hosts) hosts.push_back(host_view(tool, h, board, now));
  return {{"name", tool.state->name},
          {"policy", tool.config.policy.empty() ? json(nullptr) : json(tool.config.policy)},
          {"last_host", tool.config.last_host == config::last_host_rule::keep ? "keep" : "reject"},
          {"breaker", tool.gate ? view(*tool.gate, now) : json(nullptr)},
          {"health", view(board.read({tool.state->name, {}}))},
          {"hosts", std::move(hosts)}};
}

json view(storage_health const& h) {
  return {{"ok", h.ok},
          {"failing_since", date(h.failing_since)},
          {"last_error", h.last_error.empty() ? json(nullptr) : json(h.last_error)},
          {"flushed_at", date(h.flushed_at)},
          {"rows_written", h.rows_written},
          {"rows_dropped", h.rows_dropped},
          {"rows_waiting", h.rows_waiting},
          {"rows_unreadable", h.rows_unreadable},
          {"moved_aside", h.moved_aside.empty() ? json(nullptr) : json(h.moved_aside)}};
}

json view(diagnostic const& d) {
  return {{"severity", d.level == severity::error ? "error" : "warning"},
          {"file", d.file},
          {"line", d.at.line},
          {"column", d.at.column},
          {"code", d.code},
          {"found", d.found},
          {"expected", d.expected},
          {"hint", d.hint},
          {"text", to_string(d)}};
}

json view(audit_row const& row) {
  auto const& e = row.event;
  json cuts = json::array();
  for (auto const& c : row.cuts)
    cuts.push_back({{"field", c.field}, {"bytes", c.bytes}, {"sha256", c.sha256}});
  return {{"id", row.id},
          {"kind", name(e.kind)},
          {"at", to_text(e.at)},
          {"who", e.who},
          {"what", e.what},
          {"tool", e.tool},
          {"host", e.host},
          {"outcome", e.outcome},
          {"status", e.status},
          {"attempts", e.attempts},
          {"duration_us", std::chrono::duration_cast<std::chrono::microseconds>(e.took).count()},
          {"arguments", e.arguments ? json(*e.arguments) : json(nullptr)},
          {"detail", e.detail},
          {"cuts", std::move(cuts)},
          {"previous", hex(row.previous)},
          {"hash", hex(row.hash)}};
}

json view(transition_row const& row) {
  auto const& e = row.event;
  return {{"id", row.id},     {"at", to_text(e.at)},    {"tool", e.tool}, {"host", e.host},
          {"epoch", e.epoch}, {"from", e.from},         {"to", e.to},     {"cause", e.cause},
          {"calls", e.calls}, {"failures", e.failures}, {"slow", e.slow}};
}

std::string text_of(json const& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace halfopen::gateway
