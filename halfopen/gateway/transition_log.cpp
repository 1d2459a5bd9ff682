#include <halfopen/gateway/json_text.hpp>
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

void member(std::string& out, std::string_view name, std::string_view value) {
  ((out += ",\"") += name) += "\":";
  append_json_string(out, value);
}

template <std::integral T>
void member(std::string& out, std::string_view name, T value) {
  ((out += ",\"") += name) += "\":";
  append_number(out, value);
}

std::string fields_of(guard const& of, breaker_event const& e, wall_time at) {
  std::string out = "{\"at\":";
  append_json_string(out, to_text(at));
  member(out, "tool", of.tool());
  if (!of.host().empty()) member(out, "host", of.host());
  member(out, "from", name(e.from));
  member(out, "to", name(e.to));
  member(out, "cause", name(e.cause));
  member(out, "epoch", e.epoch);
  member(out, "openings", e.openings);
  member(out, "calls", e.counts.calls);
  member(out, "failures", e.counts.failures);
  member(out, "slow", e.counts.slow);
  auto const left = e.until.is_never() ? duration{0} : e.until - e.at;
  member(out, "for_ms", std::chrono::duration_cast<std::chrono::milliseconds>(left).count());
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
