#pragma once

#include <chrono>
#include <concepts>

#include <halfopen/config/table.hpp>

/// The table of settings. A key, its help and its bounds stand here and nowhere else.
///
/// `about` takes designated initialisers; a visitor has the members value, values, section, named, sequence,
/// layers and outcomes, each with (key, member, about or help).
namespace halfopen::config {

using namespace std::chrono_literals;

template <class C, class S>
concept is = std::same_as<std::remove_const_t<C>, S>;

template <class V, is<admin_config> C>
void fields(V& v, C& c) {
  v.value("listen", c.listen, {.help = "Where the admin API and the metrics answer."});
  v.value("token_file", c.token_file,
          {.help = "The file with the admin API's token. Made, with a random token, where there is none."});
}

template <class V, is<audit_config> C>
void fields(V& v, C& c) {
  v.value("retention", c.retention,
          {.help = "How long rows are kept; 0s keeps them for ever.", .most = std::chrono::days{36500}});
  v.value("field_max", c.field_max,
          {.help = "A longer field is cut at a character's boundary; its length and digest are kept.",
           .least = byte_count{64},
           .most = byte_count{1 << 20}});
  v.value("arguments", c.arguments, {.help = "Whether what is sent to a tool is recorded."});
  v.values("redact", c.redact,
           {.help = "Names whose values are replaced before they are recorded, in any case of letters."});
  v.value("successes", c.successes,
          {.help = "The share of successful calls by route that is recorded. All are counted; refusals, "
                   "failures and operators' acts are always recorded."});
  v.value("invocations", c.invocations,
          {.help = "The same for successful calls by name (`POST /v1/tools/NAME/invoke`)."});
}

char const* wrong_method(std::string const& method);
char const* wrong_path(std::string const& path);
char const* wrong_route_host(std::string const& host);

template <class V, is<storage_config> C>
void fields(V& v, C& c) {
  v.value("sqlite", c.sqlite, {.help = "The database file, made where there is none."});
  v.value("flush", c.flush,
          {.help = "The longest that a count waits for the disk.", .least = 1ms, .most = 60s});
  v.section("audit", c.audit, "The audit log.");
}

template <class V, is<window_spelling> C>
void fields(V& v, C& c) {
  v.value("time", c.time, {.help = "The rates are of the last so-and-so long: `{time: 10s}`."});
  v.value("buckets", c.buckets,
          {.help = "Into how many parts that time is cut; the window slides by one of them."});
  v.value("calls", c.calls, {.help = "The rates are of the last so many calls: `{calls: 100}`."});
  v.value("consecutive", c.consecutive,
          {.help = "No rates: so many failures in a row trip: `{consecutive: 5}`."});
}

template <class V, is<backoff> C>
void fields(V& v, C& c) {
  v.value("initial", c.initial, {.help = "The first opening."});
  v.value("multiplier", c.multiplier, {.help = "Each further opening in a row is so many times as long."});
  v.value("maximum", c.maximum, {.help = "No opening is longer."});
  v.value("jitter", c.jitter,
          {.help = "How chance spreads it: not at all, over all of it, over its upper half, or from the one "
                   "before."});
}

template <class V, is<circuit_breaker_spec> C>
void fields(V& v, C& c) {
  auto& s = c.settings;
  v.value("per", c.per,
          {.help = "Whose breaker: the tool's (where it is listed), each host's (right outside the attempt), "
                   "or both."});
  v.window("window", s.window, "What is looked at; one of `time`, `calls` and `consecutive`.");
  v.value("failure_rate", s.failure_rate, {.help = "Trips at this share of failures or above."});
  v.value("slow_rate", s.slow_rate,
          {.help = "Trips at this share of slow calls or above; 0% = slow calls do not trip."});
  v.value("slow_after", s.slow_after, {.help = "A call that takes longer is slow."});
  v.value(
      "minimum_calls", s.minimum_calls,
      {.help = "So many calls in the window before a share means anything. Not more than `window.calls`."});
  v.section("open_for", s.open_for, "How long it stays open before it probes.");
  v.value("reset_after", s.reset_after,
          {.help = "Closed for so long, the next opening is as short as the first again."});
  v.value("retry_after_max", s.retry_after_max,
          {.help = "A Retry-After of the failure that opens lengthens the opening, up to this; 0s = it is "
                   "not heeded."});
  v.value("forced_retry_after", s.forced_retry_after,
          {.help = "What callers are told while an operator holds it open."});
  v.value("probes", s.probes,
          {.help = "Probes that are out at once. More than `required_successes` gets a warning."});
  v.value("required_successes", s.required_successes, {.help = "Closes at so many successful probes."});
  v.value("neutral_max", s.neutral_max,
          {.help = "Gives up after so many probes that said nothing about the tool."});
  v.value("after_neutral", s.after_neutral, {.help = "Where it goes when it gives up."});
  v.value("slow_probe_fails", s.slow_probe_fails, {.help = "Whether a probe that is slow has failed."});
  v.value("probe_timeout", s.probe_timeout, {.help = "How long a probe may take before it counts as lost."});
  v.value("max_probe_timeout", s.max_probe_timeout,
          {.help = "What that may grow to while replies are delayed."});
  v.value("lease_doubles", s.lease_doubles, {.help = "Whether it doubles after a lost probe."});
  v.value("lease_learns", s.lease_learns, {.help = "Whether it grows past how long a late reply took."});
  v.value("clock_resolution", s.clock_resolution, {.help = "By how much it grows past that, at least."});
  v.value("ramp", s.ramp, {.help = "After closing, how long until all calls are let through; 0s = at once."});
  v.value("ramp_from", s.ramp_from, {.help = "The share that is let through at first."});
  v.value("seed", s.seed, {.help = "Of the jitter. Each breaker mixes its own name into it."});
  v.value("events_max", s.events_max,
          {.help = "Changes of state that may wait to be told; more are counted and dropped."});
}

template <class V, is<assumption> C>
void fields(V& v, C& c) {
  v.value("rate", c.calls, {.help = "Calls that arrive."});
  v.value("reply_delay_max", c.reply_delay_max, {.help = "The slowest reply that is still a good one."});
  v.value("jitter_failures", c.jitter_failures, {.help = "The share of calls that fail while all is well."});
  v.value("upstream_capacity", c.upstream_capacity,
          {.help = "Calls that the tool can work on at once.", .least = 1U});
  v.value("recover_within", c.recover_within,
          {.help = "How soon the gateway should have recovered after the tool has."});
  v.value("retry_depth", c.retry_depth,
          {.help = "Layers of callers that retry, this gateway among them.", .least = 1U});
}

template <class V, is<tool_config> C>
void fields(V& v, C& c) {
  v.values("hosts", c.hosts, {.help = "Where the tool runs: plain HTTP, one or more.", .required = true});
  v.value("policy", c.policy,
          {.help = "A name in `policies`. Without one, calls are counted and never refused."});
  v.value("path", c.path,
          {.help = "Where `POST /v1/tools/NAME/invoke` sends its body.", .wrong = wrong_path});
  v.outcomes("classify", c.classify,
             "How outcomes count: a status (`404`), a range (`500-504`), a class (`5xx`), or `timeout`, "
             "`reset`, `unreachable`, `bad_reply`. A narrower entry beats a wider one.");
  v.value("last_host", c.last_host,
          {.help = "Whether the last host that is left is still called when its breaker is open."});
  v.values("methods", c.methods,
           {.help = "The methods that are let through; none listed = all.", .wrong = wrong_method});
  v.values("idempotent", c.idempotent,
           {.help = "The methods of which a request may be sent twice.", .wrong = wrong_method});
  v.value("request_body_max", c.request_body_max,
          {.help = "The largest body that is sent on (413 above).", .otherwise = "as in `limits`"});
}

template <class V, is<route_config> C>
void fields_of_match(V& v, C& c) {
  v.value(
      "host", c.host,
      {.help =
           "The request's host, without its port; `*.example.com` matches what ends so. Any, where not set.",
       .wrong = wrong_route_host});
  v.value("path", c.path,
          {.help = "With a slash at its end: that folder and all below it. Without: exactly that path.",
           .required = true,
           .wrong = wrong_path});
  v.values("methods", c.methods,
           {.help = "The request's method is one of these; none listed = any.", .wrong = wrong_method});
}

template <class V, is<route_config> C>
void fields(V& v, C& c) {
  v.match("match", c, "Which requests the route takes.");
  v.value("tool", c.tool, {.help = "A name in `tools`.", .required = true});
}

template <class V, is<limits_config> C>
void fields(V& v, C& c) {
  constexpr byte_count least{512};
  constexpr byte_count most{1ULL << 30};
  v.value("request_head_max", c.request_head_max,
          {.help = "A request's line and headers (431 above).", .least = least, .most = byte_count{1 << 16}});
  v.value("request_body_max", c.request_body_max, {.help = "A request's body (413 above).", .most = most});
  v.value("reply_head_max", c.reply_head_max,
          {.help = "A reply's line and headers (502 above).", .least = least, .most = byte_count{1 << 16}});
  v.value("connections_max", c.connections_max,
          {.help = "Clients that are connected at once.", .least = 1U, .most = 1'000'000U});
  v.value("upstream_connections_max", c.upstream_connections_max,
          {.help = "Connections to one host.", .least = 1U, .most = 65'000U});
  v.value("upstream_idle_max", c.upstream_idle_max,
          {.help = "Connections to one host that are kept open for later.", .most = 65'000U});
}

template <class V, is<timeouts_config> C>
void fields(V& v, C& c) {
  v.value("request_head", c.request_head,
          {.help = "For a client to send a request's whole head.", .least = 1ms, .most = 1h});
  v.value("request_body", c.request_body,
          {.help = "Between two pieces of a request's body.", .least = 1ms, .most = 1h});
  v.value("client_idle", c.client_idle,
          {.help = "A client's connection between two requests.", .least = 1ms, .most = 24h});
  v.value("connect", c.connect, {.help = "To connect to a host.", .least = 1ms, .most = 5min});
  v.value("call", c.call, {.help = "Every call, whatever its policy says.", .least = 1ms, .most = 24h});
  v.value("upstream_idle", c.upstream_idle,
          {.help = "A kept connection to a host.", .least = 1ms, .most = 24h});
  v.value("dns_ttl", c.dns_ttl,
          {.help = "How long an address found for a name is believed.", .least = 1s, .most = 24h});
  v.value("drain", c.drain, {.help = "After SIGTERM, for calls that are in flight to end.", .most = 1h});
}

template <class V, is<log_config> C>
void fields(V& v, C& c) {
  v.value("access", c.access, {.help = "Where a line a request goes: `stdout`, `stderr`, `off`, or a file."});
  v.value("reason_header", c.reason_header,
          {.help = "Whether a reply's header tells the reason of each attempt."});
}

template <class V, is<gateway_config> C>
void fields(V& v, C& c) {
  v.value("listen", c.listen, {.help = "Where clients call."});
  v.section("admin", c.admin, "The admin API.");
  v.section("storage", c.storage, "Where counts, transitions and the audit log are kept.");
  v.named("policies", c.policies, {.help = "Pipelines by name: lists of layers, the outermost first."});
  v.named("assume", c.assume,
          {.help = "What is known about a tool, by its name, for checks of the settings. Today only `rate` "
                   "is used."});
  v.named("tools", c.tools, {.help = "Tools and services by name.", .required = true});
  v.sequence("routes", c.routes, {.help = "Which requests go to which tool; the first that matches."});
  v.section("limits", c.limits, "Bounds on sizes and numbers.");
  v.section("timeouts", c.timeouts, "Bounds on times.");
  v.section("log", c.log, "What is told about each request.");
  v.value("watch", c.watch,
          {.help = "Whether a change of this file comes into force by itself. A file with a mistake changes "
                   "nothing. SIGHUP and the admin API read the file in any case."});
  v.value("loops", c.loops, {.help = "Event loops, a thread each; 0 = one a core.", .most = 256U});
}

}  // namespace halfopen::config
