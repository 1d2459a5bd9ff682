#include <atomic>
#include <csignal>
#include <fstream>
#include <ostream>

#include <unistd.h>

#include <halfopen/app/config_command.hpp>
#include <halfopen/app/event_log.hpp>
#include <halfopen/app/problems.hpp>
#include <halfopen/app/running_gateway.hpp>
#include <halfopen/app/serve.hpp>
#include <halfopen/app/signals.hpp>
#include <halfopen/config/load.hpp>
#include <halfopen/config/scalars.hpp>
#include <halfopen/gateway/file_watch.hpp>

namespace halfopen::app {
namespace {

// Written beside and renamed, so that whoever waits for it never reads half of it.
bool write_ready_file(std::filesystem::path const& file, gateway::server const& s,
                      config::gateway_config const& c) {
  auto const beside = std::filesystem::path{file.string() + ".part"};
  {
    std::ofstream out{beside};
    out << config::to_json(*config::map({{"pid", config::plain(std::to_string(::getpid()))},
                                         {"listen", config::text(s.endpoint().text())},
                                         {"admin", config::text(s.admin_endpoint().text())},
                                         {"token_file", config::text(c.admin.token_file.string())}}));
    if (!out.flush()) return false;
  }
  std::error_code fault;
  std::filesystem::rename(beside, file, fault);
  return !fault;
}

// What a running gateway does when it is told something.
class orders {
 public:
  orders(gateway::server& s, event_log& log, duration drain) : server_{s}, log_{log}, drain_{drain} {}

  void operator()(int signal) {
    if (signal == SIGHUP) return tell(server_.reload());
    if (std::exchange(draining_, true)) {
      log_.warning("ending at once");
      return server_.stop();
    }
    log_.info("draining; what is under way has " + config::codec<duration>::print(drain_) + " to end");
    server_.drain(drain_);
  }

  /// Of the file's watch, on its thread.
  void file_changed() {
    std::vector<diagnostic> problems;
    switch (server_.follow_file(problems)) {
      case gateway::server::followed::read: return tell(problems);
      case gateway::server::followed::no_news:
        if (refused_.exchange(false)) log_.info("the configuration file says what is in force again");
        return;
      case gateway::server::followed::not_wanted:
        return log_.info("the configuration file has changed and waits to be read (watch: false)");
    }
  }

 private:
  void tell(std::vector<diagnostic> const& problems) {
    for (auto const& d : problems)
      d.level == severity::error ? log_.error(to_string(d)) : log_.warning(to_string(d));
    refused_ = has_error(problems);
    if (refused_)
      log_.error("the configuration in force stays");
    else
      log_.info("the configuration was read again");
  }

  gateway::server& server_;
  event_log& log_;
  duration drain_;
  bool draining_ = false;
  std::atomic<bool> refused_{false};  // what the file said when it was read last
};

void tell_ready(event_log& log, gateway::server const& s, config::gateway_config const& c) {
  log.info("ready: calls at http://" + s.endpoint().text() + ", admin at http://" +
           s.admin_endpoint().text() + ", token in " + c.admin.token_file.string());
}

}  // namespace

exit_code run(serve_command const& c, terminal& t) {
  if (c.check_config) return check_config(c, t);
  gateway::file_watch watch{c.config};
  auto read = config::load(c.config);
  tell_problems(t, read ? read->warnings : read.error());
  if (!read) return exit_code::usage;

  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that meets its limit is a failed write, not the end
  signal_watch signals{SIGTERM, SIGINT, SIGHUP};
  event_log log{c.log, t};
  auto const& settings = read->config;
  auto made = running_gateway::make(settings, c.config, [&log](gateway::log_message const& m) { log(m); });
  if (!made) {
    complain(t, made.error().text);
    return made.error().code;
  }
  auto& server = (*made)->server();
  if (!c.ready_file.empty() && !write_ready_file(c.ready_file, server, settings)) {
    complain(t, "cannot write " + c.ready_file.string());
    return exit_code::failed;
  }
  tell_ready(log, server, settings);
  orders told{server, log, settings.timeouts.drain};
  signals.start([&told](int signal) { told(signal); });
  watch.start([&told] { told.file_changed(); });
  server.run();
  watch.stop();
  signals.stop();
  log.info("ended");
  return exit_code::done;
}

}  // namespace halfopen::app
