#include <halfopen/gateway/admin_api.hpp>
#include <halfopen/gateway/admin_heartbeat.hpp>

namespace halfopen::gateway {
namespace {

constexpr std::size_t behind_max = 256 * 1024;  // bytes waiting: more are told when these have gone
constexpr std::size_t batch = 64;

/// Where a stream begins: after the event that the client saw last; for a new one, with what comes from now
/// on.
event_place start_of(admin_request const& r, event_hub const& hub) {
  auto const last = r.last_event_id.empty() ? std::string{r.parameter("after")} : r.last_event_id;
  if (last == "0") return {};  // everything that is kept
  return event_place::parse(last).value_or(hub.newest());
}

}  // namespace

void admin_api::events(admin_connection& c, admin_request const& r) {
  auto const id = c.id();
  auto const start = start_of(r, parts_.hub);
  c.begin_stream("text/event-stream");
  if (!c.push(": halfopen\nretry: 1000\n\n")) return;
  watchers_[id] = start;
  c.drained = [this, id] {
    auto const at = open_.find(id);
    if (at != open_.end()) tell(*at->second, watchers_[id]);
  };
  tell(c, watchers_[id]);
}

// Any thread: something has been published.
void admin_api::notice() {
  if (noticed_.exchange(true)) return;
  mailbox_->post([this] { tell_watchers(); });
}

void admin_api::tell_watchers() {
  noticed_ = false;
  for (auto at = watchers_.begin(); at != watchers_.end();) {
    auto const here = at++;  // telling may end it
    tell(*open_.at(here->first), here->second);
  }
}

void admin_api::tell_watchers_alive() {
  for (auto at = watchers_.begin(); at != watchers_.end();) {
    auto const here = at++;
    (void)open_.at(here->first)->push(": alive\n\n");
  }
}

bool admin_api::tell(admin_connection& c, event_place& place) {
  while (c.waiting() < behind_max) {
    auto const some = parts_.hub.read(place, batch);
    if (some.events.empty()) return true;
    std::string text;
    if (some.gap) text = "event: gap\ndata: {}\n\n";
    for (auto const& e : some.events) append_sse(text, e);
    place = some.last;
    if (!c.push(text)) return false;
  }
  return true;
}

}  // namespace halfopen::gateway
