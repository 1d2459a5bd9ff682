#include <algorithm>

#include <nlohmann/json.hpp>

#include <halfopen/gateway/admin_api.hpp>
#include <halfopen/gateway/admin_heartbeat.hpp>
#include <halfopen/gateway/admin_view.hpp>
#include <halfopen/gateway/metrics.hpp>

namespace halfopen::gateway {
namespace {

using nlohmann::json;

admin_reply ok(json const& body) { return {.status = 200, .body = text_of(body), .fields = {}}; }

}  // namespace

admin_api::admin_api(admin_parts parts)
    : parts_{std::move(parts)},
      started_{parts_.loop.now()},
      mailbox_{std::make_shared<mailbox>(parts_.loop)},
      connections_{parts_.loop},
      heartbeat_{std::make_unique<heartbeat>(parts_.loop, [this] { tell_watchers_alive(); })} {
  parts_.hub.tell([this] { notice(); });
}

admin_api::~admin_api() {
  parts_.hub.tell({});
  mailbox_->close();
  accepting_.cancel_all();
  for (auto const& c : connections_.all()) c->cut();
}

std::vector<admin_api::route> const& admin_api::routes() {
  static std::vector<route> const table{
      {"GET", "healthz", &admin_api::healthz, true},
      {"GET", "readyz", &admin_api::readyz, true},
      {"GET", "metrics", &admin_api::metrics, true},
      {"GET", "v1/tools", &admin_api::tools},
      {"GET", "v1/tools/*", &admin_api::tool},
      {"GET", "v1/tools/*/breaker", &admin_api::breaker},
      {"POST", "v1/tools/*/breaker/*", &admin_api::act},
      {"GET", "v1/events", &admin_api::events},
      {"GET", "v1/audit", &admin_api::audit},
      {"GET", "v1/transitions", &admin_api::transitions},
      {"GET", "v1/config", &admin_api::get_config},
      {"PUT", "v1/config", &admin_api::put_config},
      {"POST", "v1/reload", &admin_api::reload},
  };
  return table;
}

bool admin_api::fits(route const& r, admin_request const& request) {
  auto pattern = r.pattern;
  for (auto const& s : request.segments) {
    auto const part = pattern.substr(0, pattern.find('/'));
    if (part.empty() || (part != "*" && part != s)) return false;
    pattern.remove_prefix(std::min(part.size() + 1, pattern.size()));
  }
  return pattern.empty() && !request.segments.empty();
}

void admin_api::serve(net::listener l) {
  listener_ = std::make_unique<net::listener>(std::move(l));
  accepting_.spawn(accept(*listener_));
}

net::task<> admin_api::accept(net::listener& l) {
  for (;;) {
    auto accepted = co_await l.accept();
    if (!accepted) co_return;
    make_room();
    auto client = net::peer_endpoint(accepted->get()).text();
    auto& c = connections_.take(parts_.loop, static_cast<admin_host&>(*this));
    open_.emplace(next_id_, &c);
    c.begin(*std::move(accepted), std::move(client), next_id_++);
  }
}

// Whoever has shown no token holds a few connections and keeps nobody out: the one that has been quiet for
// the longest goes.
void admin_api::make_room() {
  std::size_t strangers = 0;
  admin_connection* oldest = nullptr;
  for (auto const& [id, c] : open_) {
    if (c->is_known()) continue;
    ++strangers;
    if (oldest == nullptr || c->quiet_since() < oldest->quiet_since()) oldest = c;
  }
  if (strangers >= strangers_max) oldest->cut();
}

// With the token in hand: whether there is room for one more of its holder's connections.
bool admin_api::is_welcome(admin_connection& c) {
  if (c.is_known()) return true;
  auto const known = std::ranges::count_if(open_, [](auto const& o) { return o.second->is_known(); });
  if (static_cast<std::size_t>(known) >= known_max) return false;
  c.introduce();
  return true;
}

void admin_api::on_closed(admin_connection& c) {
  open_.erase(c.id());
  watchers_.erase(c.id());
  connections_.give_back(c);
}

void admin_api::on_request(admin_connection& from, admin_request const& r) {
  auto const method = r.method == "HEAD" ? std::string_view{"GET"} : std::string_view{r.method};
  route const* found = nullptr;
  std::string allow;
  for (auto const& candidate : routes()) {
    if (!fits(candidate, r)) continue;
    (allow += allow.empty() ? "" : ", ") += candidate.method;
    if (candidate.method == method) found = &candidate;
  }
  bool const knows = parts_.token.authorizes(r.authorization);
  if ((found == nullptr || !found->open) && !knows)
    return from.reply(
        admin_problem(401, "unauthorized", "send the text of admin.token_file as Authorization: Bearer ..."));
  if (knows && !is_welcome(from))
    return from.reply(admin_problem(503, "overloaded", "too many connections are open with this token"));
  if (found != nullptr) return (this->*found->answer)(from, r);
  if (allow.empty())
    return from.reply(
        admin_problem(404, "no_route", "there is nothing here; docs/openapi.yaml has all there is"));
  auto no = admin_problem(405, "method_not_allowed", "this place takes " + allow);
  no.fields = "Allow: " + allow + "\r\n";
  from.reply(no);
}

void admin_api::way_back::operator()(std::function<void(admin_connection&)> what) const {
  box->post([api = api, id = id, what = std::move(what)] {
    auto const at = api->open_.find(id);
    if (at != api->open_.end()) what(*at->second);
  });
}

void admin_api::healthz(admin_connection& c, admin_request const&) {
  auto const health = parts_.store.health();
  auto const up = std::chrono::duration_cast<std::chrono::seconds>(parts_.loop.now() - started_).count();
  c.reply(ok({{"status", health.ok ? "ok" : "degraded"},
              {"version", parts_.version},
              {"uptime_s", up},
              {"draining", parts_.draining()},
              {"storage", view(health)}}));
}

void admin_api::readyz(admin_connection& c, admin_request const&) {
  if (!parts_.draining()) return c.reply(ok({{"ready", true}}));
  c.reply({.status = 503, .body = text_of({{"ready", false}, {"reason", "draining"}}), .fields = {}});
}

void admin_api::metrics(admin_connection& c, admin_request const&) {
  metrics_source const from{*parts_.in_force(), parts_.workers, parts_.store.health(),
                            parts_.access,      parts_.version, parts_.loop.now() - started_,
                            parts_.loop.now()};
  c.reply({.status = 200,
           .body = prometheus_text(from),
           .content_type = "text/plain; version=0.0.4; charset=utf-8",
           .fields = {}});
}

void admin_api::tools(admin_connection& c, admin_request const&) {
  auto const in_force = parts_.in_force();
  json list = json::array();
  for (auto const& t : in_force->tools()) list.push_back(view(t, parts_.board, parts_.loop.now()));
  c.reply(ok({{"tools", std::move(list)}}));
}

void admin_api::tool(admin_connection& c, admin_request const& r) {
  auto const in_force = parts_.in_force();
  auto const* t = in_force->tool(r.segments[2]);
  if (t == nullptr) return c.reply(no_such_tool());
  c.reply(ok(view(*t, parts_.board, parts_.loop.now())));
}

// The tool's breaker with those of its hosts, or the one of ?host=.
void admin_api::breaker(admin_connection& c, admin_request const& r) {
  auto const in_force = parts_.in_force();
  auto const* t = in_force->tool(r.segments[2]);
  if (t == nullptr) return c.reply(no_such_tool());
  auto const now = parts_.loop.now();
  if (r.has("host")) {
    auto const at = std::ranges::find(t->hosts, r.parameter("host"), &host_plan::name);
    if (at == t->hosts.end())
      return c.reply(admin_problem(404, "unknown_host",
                                   "the tool has no such host; it is a URL as GET /v1/tools shows it"));
    if (!at->gate) return c.reply(admin_problem(404, "no_breaker", "no breaker guards this host"));
    return c.reply(ok(view(*at->gate, now)));
  }
  json body = t->gate ? view(*t->gate, now) : json{{"tool", t->state->name}, {"state", nullptr}};
  body["hosts"] = json::array();
  for (auto const& h : t->hosts)
    if (h.gate) body["hosts"].push_back(view(*h.gate, now));
  c.reply(ok(body));
}

}  // namespace halfopen::gateway
