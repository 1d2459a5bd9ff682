#include <halfopen/base/json_text.hpp>
#include <halfopen/gateway/transition_log.hpp>
#include <halfopen/net/event_loop.hpp>

namespace halfopen::gateway {
namespace {

std::string_view kind_of(breaker_event_kind k) {
  switch (k) {
    case breaker_event_kind::transition: return "transition";
    case breaker_event_kind::would_trip: return "would_trip";
    case breaker_event_kind::window_emptied: return "window_emptied";
  }
  return "transition";
}

std::string fields_of(guard const& of, breaker_event const& e, wall_time at) {
  std::string out = "{\"at\":";
  append_json_string(out, to_text(at));
  append_json_member(out, "tool", of.tool());
  if (!of.host().empty()) append_json_member(out, "host", of.host());
  append_json_member(out, "from", name(e.from));
  append_json_member(out, "to", name(e.to));
  append_json_member(out, "cause", name(e.cause));
  append_json_member(out, "epoch", e.epoch);
  append_json_member(out, "openings", e.openings);
  append_json_member(out, "calls", e.counts.calls);
  append_json_member(out, "failures", e.counts.failures);
  append_json_member(out, "slow", e.counts.slow);
  auto const left = e.until.is_never() ? duration{0} : e.until - e.at;
  append_json_member(out, "for_ms", std::chrono::duration_cast<std::chrono::milliseconds>(left).count());
  out += '}';
  return out;
}

wall_time date_of(instant at) {
  auto const ago = std::chrono::duration_cast<std::chrono::milliseconds>(net::steady_now() - at);
  return wall_now() - ago;
}

}  // namespace

void transition_log::on_transition(guard const& of, breaker_event const& e) {
  auto const at = date_of(e.at);
  auto const fields = fields_of(of, e, at);
  hub_.publish(std::string{kind_of(e.kind)}, fields);
  if (e.kind == breaker_event_kind::transition) record(of, e, at);
  if (log_) {
    auto const level = e.to == breaker_state::open ? log_level::warning : log_level::info;
    log_({.level = level, .text = "circuit breaker", .fields = fields});
  }
  bool const opened = e.to == breaker_state::open || e.to == breaker_state::forced_open;
  if (opened && e.kind == breaker_event_kind::transition && tripped_) tripped_(of);
}

void transition_log::record(guard const& of, breaker_event const& e, wall_time at) {
  store_.record(transition_event{.at = at,
                                 .tool = of.tool(),
                                 .host = of.host(),
                                 .epoch = e.epoch,
                                 .from = std::string{name(e.from)},
                                 .to = std::string{name(e.to)},
                                 .cause = std::string{name(e.cause)},
                                 .calls = e.counts.calls,
                                 .failures = e.counts.failures,
                                 .slow = e.counts.slow});
}

}  // namespace halfopen::gateway
