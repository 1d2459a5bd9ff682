#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <halfopen/config/check.hpp>

namespace halfopen::config {
namespace {

constexpr std::string_view reserved = "/v1/tools/";

// The state of one look over a whole config: what is looked at, and where to tell.
class look {
 public:
  look(gateway_config const& c, reader const& places, std::string const& file,
       std::vector<diagnostic>& problems, severity level)
      : c_{c}, places_{places}, file_{file}, problems_{problems}, level_{level} {}

  void references() {
    for (auto const& t : c_.tools) tool(t);
    for (std::size_t i = 0; i < c_.routes.size(); ++i) route(i);
    for (auto const& a : c_.assume)
      if (c_.tool(a.tool) == nullptr) unknown_tool("assume." + a.tool, a.tool);
    ports();
    for (auto const& p : c_.policies) {
      breakers_twice(p);
      for (std::size_t i = 0; i < p.layers.size(); ++i) settings_of_breaker(p, i);
    }
  }

  void sense() {
    for (auto const& p : c_.policies) {
      timeouts(p);
      for (std::size_t i = 0; i < p.layers.size(); ++i) settings_of_breaker(p, i);
      if (std::ranges::find(c_.tools, p.name, &tool_config::policy) == c_.tools.end())
        report("policies." + p.name, "config.unused-policy", in_quotes(p.name),
               "a tool that uses this policy");
    }
    for (auto const& t : c_.tools) minimum_calls(t);
  }

 private:
  static std::string item(std::string_view list, std::size_t i) {
    return std::string{list} + "[" + std::to_string(i) + "]";
  }

  void report(std::string const& path, char const* code, std::string found, std::string expected,
              std::string hint = "") {
    problems_.push_back(
        {file_, places_.place(path), level_, code, std::move(found), std::move(expected), std::move(hint)});
  }

  template <class List>
  void unknown(std::string const& path, char const* code, std::string const& name, List const& defined,
               char const* what) {
    std::vector<std::string> names;
    for (auto const& d : defined) names.push_back(d.name);
    std::string all;
    for (auto const& n : names) all += (all.empty() ? "" : ", ") + n;
    auto const near = nearest(name, names);
    report(path, code, in_quotes(name),
           all.empty() ? std::string{what} + " that is defined" : "one of: " + all,
           near.empty() ? "" : "did you mean " + near + "?");
  }
  void unknown_tool(std::string const& path, std::string const& name) {
    unknown(path, "config.unknown-tool", name, c_.tools, "a tool");
  }

  void tool(tool_config const& t) {
    auto const at = "tools." + t.name;
    if (!t.policy.empty() && c_.policy(t.policy) == nullptr && !places_.is_set("policies." + t.policy))
      unknown(at + ".policy", "config.unknown-policy", t.policy, c_.policies, "a policy");
    for (std::size_t i = 0; i < t.hosts.size(); ++i) {
      auto const& h = t.hosts[i];
      auto const first = std::ranges::find(t.hosts, h.url, &upstream_host::url) - t.hosts.begin();
      if (static_cast<std::size_t>(first) != i)
        report(item(at + ".hosts", i), "config.host-twice", h.url, "each host once");
      for (auto const& own : {c_.listen, c_.admin.listen})
        if (own.port == h.port && own.host == h.host)
          report(item(at + ".hosts", i), "config.calls-itself", h.url,
                 "another address than the gateway's own");
    }
  }

  void route(std::size_t i) {
    auto const& r = c_.routes[i];
    auto const at = item("routes", i);
    if (!r.tool.empty() && c_.tool(r.tool) == nullptr && !places_.is_set("tools." + r.tool))
      unknown_tool(at + ".tool", r.tool);
    if (r.path.starts_with(reserved))
      report(at + ".match.path", "config.reserved-path", in_quotes(r.path),
             "a path outside " + std::string{reserved}, "tools answer there already");
    for (std::size_t k = 0; k < i; ++k) {
      if (r.path.empty() || !covers(c_.routes[k], r)) continue;
      return report(
          at, "config.route-shadowed", "a route that is never reached",
          "a request that no earlier route takes",
          "the route in line " + std::to_string(places_.place(item("routes", k)).line) + " takes them all");
    }
  }
  static bool covers(route_config const& wide, route_config const& narrow) {
    return covers_host(wide.host, narrow.host) && covers_path(wide.path, narrow.path) &&
           covers_methods(wide.methods, narrow.methods);
  }
  static bool covers_host(std::string const& wide, std::string const& narrow) {
    if (wide.empty() || wide == narrow) return true;
    return wide.starts_with("*.") && narrow.ends_with(std::string_view{wide}.substr(1));
  }
  static bool covers_path(std::string const& wide, std::string const& narrow) {
    return wide == narrow || (wide.ends_with('/') && narrow.starts_with(wide));
  }
  static bool covers_methods(std::vector<std::string> const& wide, std::vector<std::string> const& narrow) {
    auto const listed = [&](std::string const& m) { return std::ranges::find(wide, m) != wide.end(); };
    return wide.empty() || (!narrow.empty() && std::ranges::all_of(narrow, listed));
  }

  void ports() {
    auto const& a = c_.listen;
    auto const& b = c_.admin.listen;
    auto const any = [](listen_address const& l) { return l.host == "0.0.0.0" || l.host == "::"; };
    if (a.port == 0 || a.port != b.port || (a.host != b.host && !any(a) && !any(b))) return;
    report(places_.is_set("admin.listen") ? "admin.listen" : "listen", "config.port-twice",
           "port " + std::to_string(a.port) + " twice", "a port each for `listen` and `admin.listen`");
  }

  void breakers_twice(policy_config const& p);
  void settings_of_breaker(policy_config const& p, std::size_t i);
  void timeouts(policy_config const& p);
  void minimum_calls(tool_config const& t);

  gateway_config const& c_;
  reader const& places_;
  std::string const& file_;
  std::vector<diagnostic>& problems_;
  severity level_;
};

// The library's name of a window's number -> the file's key.
std::string as_spelled(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> names{
      {{"window.failures", "window.consecutive"},
       {"window.size", "window.calls"},
       {"window.length", "window.time"}}};
  for (auto const& [from, to] : names)
    if (auto const at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

// "is 0s; must be at least 1ms" -> what is found, what is expected.
std::pair<std::string, std::string> found_and_expected(std::string const& what) {
  constexpr std::string_view must = "; must be ";
  auto const at = what.find(must);
  if (!what.starts_with("is ") || at == std::string::npos) return {what, ""};
  return {what.substr(3, at - 3), what.substr(at + must.size())};
}

// Two breakers for one thing would count each call twice, and the outer one the refusals of the inner.
void look::breakers_twice(policy_config const& p) {
  std::optional<std::size_t> of_tool;
  std::optional<std::size_t> of_host;
  for (std::size_t i = 0; i < p.layers.size(); ++i) {
    auto const* const b = std::get_if<circuit_breaker_spec>(&p.layers[i]);
    if (b == nullptr) continue;
    bool const again = (b->per != breaker_scope::host && std::exchange(of_tool, i)) ||
                       (b->per != breaker_scope::tool && std::exchange(of_host, i));
    if (again)
      report(item("policies." + p.name, i), "config.breaker-twice", "a second circuit breaker for the same",
             "one for the tool and one for its hosts at most", "`per` says whose breaker it is");
  }
}

// Both looks come here: the first tells the errors, the second the warnings.
void look::settings_of_breaker(policy_config const& p, std::size_t i) {
  auto const* const b = std::get_if<circuit_breaker_spec>(&p.layers[i]);
  if (b == nullptr) return;
  auto const at = item("policies." + p.name, i) + "." + std::string{layer_name<circuit_breaker_spec>} + ".";
  auto settings = b->settings;
  if (settings.seed == 0)
    settings.seed = 1;  // the gateway gives each breaker its own: no cause for a warning
  for (auto const& problem : validate(settings)) {
    if (problem.is_error != (level_ == severity::error)) continue;
    if (problem.field == "minimum_calls" && settings.window.count == 0)
      continue;  // follows from the window's
    auto const field = as_spelled(problem.field);
    auto const [found, expected] = found_and_expected(as_spelled(problem.what));
    report(at + field, "config.breaker", field + (expected.empty() ? " " : ": ") + found, expected);
  }
}

void look::timeouts(policy_config const& p) {
  duration around = c_.timeouts.call;
  bool cut_outside = false;
  auto const nowhere = p.layers.size();
  auto breaker = nowhere;  // that an outer timeout cuts, and no inner one has bounded yet
  for (std::size_t i = 0; i < p.layers.size(); ++i) {
    auto const at = item("policies." + p.name, i);
    if (cut_outside && std::holds_alternative<circuit_breaker_spec>(p.layers[i])) breaker = i;
    auto const* const t = std::get_if<timeout_spec>(&p.layers[i]);
    if (t == nullptr) continue;
    auto const length = codec<duration>::print(t->length);
    if (t->length >= around)
      report(at, "config.timeout-never-ends", "timeout: " + length,
             "less than the " + codec<duration>::print(around) + " around it",
             i == 0 ? "timeouts.call bounds every call" : "");
    around = std::min(around, t->length);
    cut_outside = true;
    breaker = nowhere;
  }
  if (breaker != nowhere)
    report(item("policies." + p.name, breaker), "config.neutral-timeout",
           "a circuit breaker with no timeout inside", "a timeout below it",
           "a call that is cancelled from outside says nothing, so a tool that hangs would never trip it");
}

// A breaker that needs more calls in its window than arrive in that time never trips.
void look::minimum_calls(tool_config const& t) {
  auto const a = std::ranges::find(c_.assume, t.name, &assumption::tool);
  auto const* const p = c_.policy(t.policy);
  if (a == c_.assume.end() || !a->calls || p == nullptr) return;
  for (std::size_t i = 0; i < p->layers.size(); ++i) {
    auto const* const b = std::get_if<circuit_breaker_spec>(&p->layers[i]);
    if (b == nullptr || b->settings.window.kind != window_kind::time) continue;
    auto const& s = b->settings;
    double const expected = static_cast<double>(a->calls->count) *
                            static_cast<double>(s.window.length.count()) /
                            static_cast<double>(a->calls->per.count());
    if (expected >= s.minimum_calls) continue;
    report(item("policies." + p->name, i) + ".circuit_breaker.minimum_calls", "config.never-trips",
           std::to_string(s.minimum_calls), "at most " + std::to_string(static_cast<std::uint64_t>(expected)),
           "no more calls arrive in the window at the " + codec<rate>::print(*a->calls) + " assumed for " +
               t.name);
  }
}

}  // namespace

void check_references(gateway_config const& c, reader const& places, std::string const& file,
                      std::vector<diagnostic>& problems) {
  look{c, places, file, problems, severity::error}.references();
}

void check_sense(gateway_config const& c, reader const& places, std::string const& file,
                 std::vector<diagnostic>& problems) {
  look{c, places, file, problems, severity::warning}.sense();
}

}  // namespace halfopen::config
