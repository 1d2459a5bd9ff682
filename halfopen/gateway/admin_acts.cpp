#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <halfopen/config/describe.hpp>
#include <halfopen/config/load.hpp>
#include <halfopen/gateway/admin_api.hpp>
#include <halfopen/gateway/admin_view.hpp>

namespace halfopen::gateway {
namespace {

using nlohmann::json;

/// What an operator can do to a breaker. To force it closed means to begin anew: closed, with an empty
/// window. It may trip again; `disable` is what keeps it from that.
struct breaker_act {
  std::string_view name;
  void (circuit_breaker::*what)(instant) noexcept;
};
constexpr std::array acts{breaker_act{"force-open", &circuit_breaker::force_open},
                          breaker_act{"force-close", &circuit_breaker::reset},
                          breaker_act{"disable", &circuit_breaker::disable},
                          breaker_act{"metrics-only", &circuit_breaker::metrics_only},
                          breaker_act{"auto", &circuit_breaker::automatic},
                          breaker_act{"reset", &circuit_breaker::reset}};

std::string act_names() {
  std::string all;
  for (auto const& a : acts) (all += all.empty() ? "" : ", ") += a.name;
  return all;
}

struct act_order {
  std::string reason;
  std::string host;  // empty: the tool's own breaker, or all of its hosts' where it has none; "*": all hosts'
};

expected<act_order, std::string> order_of(std::string const& body) {
  auto const j = json::parse(body.empty() ? "{}" : body, nullptr, false);
  if (!j.is_object()) return unexpected<std::string>{"the body is a JSON object with a reason"};
  act_order o;
  for (auto const& [key, value] : j.items()) {
    if (key != "reason" && key != "host") return unexpected<std::string>{"unknown member " + key};
    if (!value.is_string()) return unexpected<std::string>{key + " is a text"};
    (key == "reason" ? o.reason : o.host) = value.get<std::string>();
  }
  if (o.reason.empty()) return unexpected<std::string>{"say why: {\"reason\": \"...\"}"};
  return o;
}

std::vector<guard*> gates_of(tool_plan const& tool, std::string const& host) {
  std::vector<guard*> found;
  if (host.empty() && tool.gate) return {tool.gate.get()};
  for (auto const& h : tool.hosts)
    if (h.gate && (host.empty() || host == "*" || h.name() == host)) found.push_back(h.gate.get());
  return found;
}

audit_event event_of(admin_request const& r, audit_kind kind, std::string what) {
  audit_event e;
  e.kind = kind;
  e.who = "operator@" + r.client;
  e.what = std::move(what);
  e.outcome = "success";
  e.status = 200;
  return e;
}

json list_of(std::vector<diagnostic> const& problems) {
  json list = json::array();
  for (auto const& p : problems) list.push_back(view(p));
  return list;
}

bool has_error(std::vector<diagnostic> const& problems) {
  return std::ranges::any_of(problems, [](auto const& p) { return p.level == severity::error; });
}

}  // namespace

void admin_api::act(admin_connection& c, admin_request const& r) {
  auto const in_force = parts_.in_force();
  auto const* tool = in_force->tool(r.segments[2]);
  if (tool == nullptr) return c.reply(no_such_tool());
  auto const found = std::ranges::find(acts, r.segments[4], &breaker_act::name);
  if (found == acts.end())
    return c.reply(admin_problem(404, "unknown_act", "an act is one of " + act_names()));
  auto const order = order_of(r.body);
  if (!order) return c.reply(admin_problem(400, "bad_body", order.error()));
  auto const gates = gates_of(*tool, order->host);
  if (gates.empty())
    return c.reply(admin_problem(409, "no_breaker",
                                 order->host.empty()
                                     ? "the tool's policy lists no circuit breaker"
                                     : "no breaker guards a host of this name; it is a URL as "
                                       "GET /v1/tools shows it, or * for all"));
  auto const now = parts_.loop.now();
  json states = json::array();
  for (auto* g : gates) {
    (g->breaker().*found->what)(now);
    states.push_back(view(*g, now));
  }
  auto e = event_of(r, audit_kind::admin, std::string{found->name});
  e.tool = tool->state->name;
  e.host = order->host;
  e.detail = order->reason;
  parts_.hub.publish(
      "admin", json{{"act", found->name}, {"tool", e.tool}, {"host", e.host}, {"reason", e.detail}}.dump(
                   -1, ' ', false, json::error_handler_t::replace));
  record(c, std::move(e), text_of({{"breakers", std::move(states)}}));
}

// The answer waits until the act is on disk. Where it cannot be written the act stays in force all the same,
// and the answer says so.
void admin_api::record(admin_connection& c, audit_event e, std::string reply) {
  parts_.store.record_durably(std::move(e), [back = way_to(c), reply = std::move(reply)](stored<> written) {
    admin_reply answer{.status = 200, .body = reply, .fields = {}};
    if (!written) {
      auto body = json::parse(reply);
      body["warning"] = "in force, but not on disk: " + written.error().message;
      answer = {.status = 202, .body = text_of(body), .fields = {}};
    }
    back([answer = std::move(answer)](admin_connection& to) { to.reply(answer); });
  });
}

void admin_api::get_config(admin_connection& c, admin_request const& r) {
  auto const tree = config::effective(parts_.in_force()->config());
  if (r.accept.find("json") != std::string::npos)
    return c.reply({.status = 200, .body = config::to_json(*tree) + '\n', .fields = {}});
  c.reply({.status = 200, .body = config::to_yaml(*tree), .content_type = "application/yaml", .fields = {}});
}

void admin_api::put_config(admin_connection& c, admin_request const& r) { apply(c, r, r.body, true); }

void admin_api::reload(admin_connection& c, admin_request const& r) {
  if (parts_.config_file.empty())
    return c.reply(admin_problem(409, "no_file", "this gateway was not started from a file"));
  std::ifstream in{parts_.config_file, std::ios::binary};
  std::string const text{std::istreambuf_iterator<char>{in}, {}};
  if (!in) return c.reply(admin_problem(500, "unreadable", parts_.config_file.string() + " cannot be read"));
  apply(c, r, text, false);
}

void admin_api::apply(admin_connection& c, admin_request const& r, std::string_view text, bool replace) {
  auto const file = parts_.config_file.empty() ? std::filesystem::path{"config"} : parts_.config_file;
  auto read = config::read(text, file);
  auto problems = read ? read->warnings : read.error();
  if (read) {
    auto more = parts_.reload(std::move(read->config));
    problems.insert(problems.end(), more.begin(), more.end());
  }
  auto e = event_of(r, audit_kind::config, replace ? "config" : "reload");
  auto body = json{{"problems", list_of(problems)}};
  if (has_error(problems)) {
    e.outcome = "refused";
    e.status = 422;
    e.detail = to_string(problems.front());
    parts_.store.record(std::move(e));
    body.update({{"type", "urn:halfopen:problem:bad_config"},
                 {"title", "The configuration has mistakes"},
                 {"status", 422},
                 {"reason", "bad_config"},
                 {"detail", "the one in force stays"}});
    return c.reply(
        {.status = 422, .body = text_of(body), .content_type = "application/problem+json", .fields = {}});
  }
  if (replace && !parts_.config_file.empty())
    if (auto const fault = replace_file(text); !fault.empty())
      body["warning"] = "in force, but not in the file: " + fault;
  record(c, std::move(e), text_of(body));
}

// Written beside and renamed, so that a crash leaves the old file or the new one. Where the file is a link,
// what it links to is replaced, and who may read it stays.
std::string admin_api::replace_file(std::string_view text) const {
  std::error_code ignored;
  auto file = std::filesystem::canonical(parts_.config_file, ignored);
  if (ignored) file = parts_.config_file;
  auto const beside = file.string() + ".new";
  struct stat before{};
  mode_t const mode = ::stat(file.c_str(), &before) == 0 ? before.st_mode & 07777 : 0640;
  net::unique_fd fd{::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640)};
  bool const written =
      fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fchmod(fd.get(), mode) == 0 && ::fsync(fd.get()) == 0 && ::rename(beside.c_str(), file.c_str()) == 0;
  return written ? "" : std::strerror(errno);
}

}  // namespace halfopen::gateway
