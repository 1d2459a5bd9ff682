#include <condition_variable>
#include <csignal>
#include <mutex>
#include <ostream>

#include <nlohmann/json.hpp>

#include <halfopen/app/admin_client.hpp>
#include <halfopen/app/signals.hpp>
#include <halfopen/app/status.hpp>

namespace halfopen::app {
namespace {

using nlohmann::json;

json parsed(std::string_view text) { return json::parse(text, nullptr, false); }

// A member of an object, or null: what another version of the gateway may leave out.
json const& member(json const& j, char const* key) {
  static json const none;
  auto const at = j.is_object() ? j.find(key) : j.end();
  return at != j.end() ? *at : none;
}

std::string text_of(json const& j, char const* key) {
  auto const& m = member(j, key);
  return m.is_string() ? m.get<std::string>() : "";
}

std::uint64_t count_of(json const& j, char const* key) {
  auto const& m = member(j, key);
  return m.is_number_unsigned() ? m.get<std::uint64_t>() : 0;
}

std::optional<duration> time_of(json const& j, char const* key, duration unit) {
  auto const& m = member(j, key);
  if (!m.is_number_integer()) return std::nullopt;
  return scaled(unit, m.get<std::int64_t>());
}

breaker_row row_of(std::string const& tool, std::string const& host, json const& breaker) {
  constexpr duration ms = std::chrono::milliseconds{1};
  return {.tool = tool,
          .host = host,
          .state = text_of(breaker, "state"),
          .calls = count_of(member(breaker, "window"), "calls"),
          .failures = count_of(member(breaker, "window"), "failures"),
          .in_state = time_of(breaker, "in_state_ms", ms),
          .retry_after = time_of(breaker, "retry_after_ms", ms),
          .cause = text_of(breaker, "cause")};
}

// One look at a gateway, in the form that was asked for.
class look {
 public:
  look(status_command const& c, terminal& t, admin_client& gateway)
      : command_{c}, terminal_{t}, gateway_{gateway} {}

  expected<std::string, admin_fault> operator()() {
    auto const tools = gateway_.get("/v1/tools");
    if (!tools) return unexpected<admin_fault>{tools.error()};
    auto const health = gateway_.get("/healthz");
    if (!health) return unexpected<admin_fault>{health.error()};
    return command_.json ? as_json(*tools, *health) : as_text(*tools, *health);
  }

 private:
  std::string as_json(std::string const& tools, std::string const& health) {
    json const whole{
        {"admin", gateway_.address()}, {"health", parsed(health)}, {"tools", member(parsed(tools), "tools")}};
    return whole.dump(command_.watch ? -1 : 2, ' ', false, json::error_handler_t::replace) + '\n';
  }
  std::string as_text(std::string const& tools, std::string const& health) {
    auto const h = parsed(health);
    auto const up = time_of(h, "uptime_s", std::chrono::seconds{1});
    std::string head = "gateway with admin API at http://" + gateway_.address();
    if (up) head += ", up " + short_time(*up);
    if (member(h, "draining") == json(true)) head += painted(terminal_, colour::yellow, ", draining");
    auto const& storage = member(h, "storage");
    if (member(storage, "ok") == json(false))
      head += painted(terminal_, colour::red, ", storage fails: " + text_of(storage, "last_error"));
    return head + "\n\n" + status_table(terminal_, rows_of(tools));
  }

  status_command const& command_;
  terminal& terminal_;
  admin_client& gateway_;
};

// A pause that a signal ends.
class pauses {
 public:
  void interrupt() {
    {
      std::lock_guard const lock{mutex_};
      interrupted_ = true;
    }
    changed_.notify_all();
  }
  /// True when it was interrupted.
  bool wait(duration length) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, length, [&] { return interrupted_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool interrupted_ = false;
};

// A gateway that goes away is waited for: whoever watches wants to see it come back.
exit_code watch(status_command const& c, terminal& t, look& looked) {
  signal_watch signals{SIGINT, SIGTERM, SIGHUP};
  pauses between;
  signals.start([&between](int) { between.interrupt(); });
  bool const in_place = t.out_is_terminal && !c.json;
  do {
    auto const seen = looked();
    if (in_place) t.out << "\x1b[H\x1b[2J";
    if (seen)
      t.out << *seen << (in_place || c.json ? "" : "\n") << std::flush;
    else
      complain(t, seen.error().what);
  } while (!between.wait(c.every));
  signals.stop();
  return exit_code::done;
}

}  // namespace

std::vector<breaker_row> rows_of(std::string_view tools) {
  std::vector<breaker_row> rows;
  auto const all = parsed(tools);
  for (auto const& t : member(all, "tools")) {
    auto const name = text_of(t, "name");
    auto const before = rows.size();
    if (member(t, "breaker").is_object()) rows.push_back(row_of(name, "", member(t, "breaker")));
    for (auto const& h : member(t, "hosts"))
      if (member(h, "breaker").is_object())
        rows.push_back(row_of(name, text_of(h, "url"), member(h, "breaker")));
    if (rows.size() == before) rows.push_back({.tool = name});
  }
  return rows;
}

exit_code run(status_command const& c, terminal& t) {
  std::signal(SIGPIPE, SIG_IGN);
  auto gateway = admin_client::make(c.target);
  if (!gateway) {
    complain(t, gateway.error().what);
    return gateway.error().code;
  }
  look looked{c, t, *gateway};
  if (c.watch) return watch(c, t, looked);
  auto const seen = looked();
  if (!seen) {
    complain(t, seen.error().what);
    return seen.error().code;
  }
  t.out << *seen;
  return exit_code::done;
}

}  // namespace halfopen::app
