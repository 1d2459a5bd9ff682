#include <halfopen/gateway/metrics.hpp>
#include <halfopen/gateway/metrics_text.hpp>
#include <halfopen/gateway/worker.hpp>

namespace halfopen::gateway {
namespace {

double seconds(duration d) { return std::chrono::duration<double>{d}.count(); }

/// One figure of every loop, added up.
template <class Meters, class Figure>
std::uint64_t sum(Meters const& meters, Figure const& figure) {
  std::uint64_t total = 0;
  for (auto const& m : meters) total += figure(m);
  return total;
}

template <class F>
void each_gate(gateway_plan const& r, F&& f) {
  for (auto const& t : r.tools()) {
    if (t.gate) f(*t.gate);
    for (auto const& h : t.hosts)
      if (h.gate) f(*h.gate);
  }
}

void process(metrics_text& out, metrics_source const& from) {
  out.family("halfopen_build_info", "gauge", "Which version this is.");
  out.sample({{"version", from.version}}, 1);
  out.family("halfopen_uptime_seconds", "gauge", "Since the gateway was started.");
  out.sample({}, seconds(from.up));
  out.family("halfopen_client_connections_accepted_total", "counter", "Connections of clients.");
  out.sample({}, sum(from.workers, [](auto* w) { return w->counts().accepted.read(); }));
  out.family("halfopen_client_connections_turned_away_total", "counter",
             "Connections beyond connections_max.");
  out.sample({}, sum(from.workers, [](auto* w) { return w->counts().turned_away.read(); }));
  out.family("halfopen_client_connections", "gauge", "Connections of clients that are open.");
  out.sample({}, sum(from.workers, [](auto* w) { return w->counts().clients.read(); }));
  out.family("halfopen_upstream_connections", "gauge",
             "Connections to tools that are open; idle = of these, unused.");
  out.sample({{"state", "open"}},
             sum(from.workers, [](auto* w) { return w->counts().upstream_open.read(); }));
  out.sample({{"state", "idle"}},
             sum(from.workers, [](auto* w) { return w->counts().upstream_idle.read(); }));
  out.family("halfopen_requests_refused_total", "counter", "Requests that reached no tool, by reason.");
  for (auto const& r : reason_table) {
    auto const i = static_cast<std::size_t>(r.why);
    auto const n = sum(from.workers, [i](auto* w) { return w->counts().refused[i].read(); });
    if (n != 0) out.sample({{"reason", r.code}}, n);
  }
  out.family("halfopen_access_log_lines_dropped_total", "counter", "Lines that a slow or full log has cost.");
  out.sample({}, from.access == nullptr ? 0 : from.access->dropped());
}

void calls(metrics_text& out, gateway_plan const& r) {
  constexpr std::array classes{"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
  out.family("halfopen_calls_total", "counter", "Calls of tools, by the status class of the answer.");
  for (auto const& t : r.tools())
    for (std::size_t i = 0; i < classes.size(); ++i)
      out.sample({{"tool", t.state->name}, {"status", classes[i]}},
                 sum(t.state->meters, [i](auto& m) { return m.by_status[i].read(); }));
  out.family("halfopen_calls_answered_total", "counter",
             "Calls that the gateway answered itself, by reason.");
  for (auto const& t : r.tools())
    for (auto const& row : reason_table) {
      auto const i = static_cast<std::size_t>(row.why);
      auto const n = sum(t.state->meters, [i](auto& m) { return m.answers[i].read(); });
      if (n != 0) out.sample({{"tool", t.state->name}, {"reason", row.code}}, n);
    }
  out.family("halfopen_last_host_kept_total", "counter",
             "Attempts to an open host because no other was left.");
  for (auto const& t : r.tools())
    out.sample({{"tool", t.state->name}},
               sum(t.state->meters, [](auto& m) { return m.last_host_kept.read(); }));
}

void durations(metrics_text& out, gateway_plan const& r) {
  out.family("halfopen_call_duration_seconds", "histogram",
             "From a request's head to the end of its answer.");
  for (auto const& t : r.tools()) {
    std::uint64_t below = 0;
    char bound[32];
    for (std::size_t i = 0; i < histogram::bounds_s.size(); ++i) {
      below += sum(t.state->meters, [i](auto& m) { return m.took.read(i); });
      std::snprintf(bound, sizeof bound, "%g", histogram::bounds_s[i]);
      out.sample({{"tool", t.state->name}, {"le", bound}}, below, "_bucket");
    }
    below += sum(t.state->meters, [](auto& m) { return m.took.read(histogram::bounds_s.size()); });
    out.sample({{"tool", t.state->name}, {"le", "+Inf"}}, below, "_bucket");
    auto const ns = sum(t.state->meters, [](auto& m) { return m.took.sum_ns(); });
    out.sample({{"tool", t.state->name}}, static_cast<double>(ns) / 1e9, "_sum");
    out.sample({{"tool", t.state->name}}, below, "_count");
  }
}

void attempts(metrics_text& out, gateway_plan const& r) {
  out.family("halfopen_attempts_total", "counter",
             "Attempts by host and how they ended; replied = with a reply.");
  for (auto const& t : r.tools())
    for (auto const& h : t.hosts)
      for (auto const& row : reason_table) {
        auto const i = static_cast<std::size_t>(row.why);
        auto const n = sum(h.state->meters, [i](auto& m) { return m.ended[i].read(); });
        if (n == 0 && row.why != reason::none) continue;
        auto const how = row.why == reason::none ? std::string_view{"replied"} : row.code;
        out.sample({{"tool", t.state->name}, {"host", h.name()}, {"ended", how}}, n);
      }
  out.family("halfopen_probes_total", "counter", "Attempts that decide over a half-open breaker.");
  for (auto const& t : r.tools())
    for (auto const& h : t.hosts)
      out.sample({{"tool", t.state->name}, {"host", h.name()}},
                 sum(h.state->meters, [](auto& m) { return m.probes.read(); }));
  out.family("halfopen_orphans_total", "counter",
             "Probes that went on after their caller had been answered.");
  for (auto const& t : r.tools())
    for (auto const& h : t.hosts)
      out.sample({{"tool", t.state->name}, {"host", h.name()}},
                 sum(h.state->meters, [](auto& m) { return m.orphans.read(); }));
}

void breakers(metrics_text& out, gateway_plan const& r, instant now) {
  out.family("halfopen_breaker_state", "gauge",
             "1 for the state that a breaker is in; host is empty for a tool's own.");
  each_gate(r, [&](guard const& g) {
    auto const in = g.breaker().status(now).state;
    for (auto const s : breaker_states)
      out.sample({{"tool", g.tool()}, {"host", g.host()}, {"state", name(s)}}, s == in ? 1 : 0);
  });
  out.family("halfopen_breaker_entered_total", "counter", "How often a breaker entered a state.");
  each_gate(r, [&](guard const& g) {
    for (auto const s : breaker_states)
      out.sample({{"tool", g.tool()}, {"host", g.host()}, {"state", name(s)}}, g.entered(s));
  });
  out.family("halfopen_breaker_results_total", "counter", "Permits by how they were settled.");
  each_gate(r, [&](guard const& g) {
    auto const t = g.totals();
    auto const one = [&](std::string_view how, std::uint64_t n) {
      out.sample({{"tool", g.tool()}, {"host", g.host()}, {"result", how}}, n);
    };
    one("success", t.successes);
    one("failure", t.failures);
    one("ignored", t.ignored);
    one("abandoned", t.abandoned);
    one("late_success", t.late_successes);
    one("late_failure", t.late_failures);
  });
  out.family("halfopen_breaker_refused_total", "counter", "Calls that a breaker did not admit, by reason.");
  each_gate(r, [&](guard const& g) {
    auto const t = g.totals();
    auto const one = [&](errc why, std::uint64_t n) {
      out.sample({{"tool", g.tool()}, {"host", g.host()}, {"reason", name(why)}}, n);
    };
    one(errc::open, t.refused_open);
    one(errc::probe_in_flight, t.refused_probe_in_flight);
    one(errc::ramping, t.refused_ramping);
    one(errc::forced_open, t.refused_forced_open);
  });
}

void storing(metrics_text& out, storage_health const& s) {
  out.family("halfopen_storage_ok", "gauge", "1 while what is recorded reaches the disk.");
  out.sample({}, s.ok ? 1 : 0);
  out.family("halfopen_storage_rows_written_total", "counter", "Rows in the database.");
  out.sample({}, s.rows_written);
  out.family("halfopen_storage_rows_dropped_total", "counter", "Rows that were lost.");
  out.sample({}, s.rows_dropped);
  out.family("halfopen_storage_rows_waiting", "gauge", "Rows that are not written yet.");
  out.sample({}, s.rows_waiting);
}

}  // namespace

std::string prometheus_text(metrics_source const& from) {
  metrics_text out;
  process(out, from);
  calls(out, from.in_force);
  durations(out, from.in_force);
  attempts(out, from.in_force);
  breakers(out, from.in_force, from.now);
  storing(out, from.storage);
  return out.take();
}

}  // namespace halfopen::gateway
