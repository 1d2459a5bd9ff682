#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <halfopen/config/describe.hpp>
#include <halfopen/config/load.hpp>
#include <halfopen/config/tree.hpp>
#include <halfopen/gateway/admin_api.hpp>
#include <halfopen/gateway/event_hub.hpp>
#include <halfopen/gateway/log_writer.hpp>
#include <halfopen/gateway/server.hpp>
#include <halfopen/gateway/storage_watch.hpp>
#include <halfopen/gateway/transition_log.hpp>
#include <halfopen/gateway/worker.hpp>
#include <halfopen/net/call_ring.hpp>

namespace halfopen::gateway {
namespace {

template <class T>
using or_text = expected<T, std::string>;

unexpected<std::string> cannot(std::string_view what, std::string_view why) {
  return unexpected<std::string>{std::string{what} + ": " + std::string{why}};
}

std::size_t loops_of(config::gateway_config const& c) {
  return c.loops != 0 ? c.loops : std::max(1U, std::thread::hardware_concurrency());
}

// Listeners of this gateway share their port with each other, and with no other gateway.
or_text<net::listener> bind(net::event_loop& loop, net::endpoint at, bool first = true) {
  auto made = net::listener::bind(loop, at, {.first = first});
  if (!made) return cannot("listen " + at.text(), name(made.error().why));
  return std::move(*made);
}

or_text<net::endpoint> address(config::listen_address const& a) {
  auto const parsed = net::endpoint::parse(a.host, a.port);
  if (!parsed) return cannot("listen " + a.host, name(parsed.error().why));
  return *parsed;
}

/// What only a new start can change stays as it is, and is told: the configuration in force is what is in
/// force.
void keep_unchangeable(config::gateway_config const& now, config::gateway_config& wanted,
                       std::filesystem::path const& file, std::vector<diagnostic>& problems) {
  auto const keep = [&](auto setting, char const* name) {
    if (std::invoke(setting, wanted) == std::invoke(setting, now)) return;
    std::invoke(setting, wanted) = std::invoke(setting, now);
    problems.push_back({.file = file.string(),
                        .at = {},
                        .level = severity::warning,
                        .code = "config.needs-restart",
                        .found = std::string{"another "} + name,
                        .expected = "the one in force",
                        .hint = "it changes when the gateway is started again"});
  };
  keep([](auto& c) -> auto& { return c.listen; }, "listen");
  keep([](auto& c) -> auto& { return c.admin.listen; }, "admin.listen");
  keep([](auto& c) -> auto& { return c.admin.token_file; }, "admin.token_file");
  keep([](auto& c) -> auto& { return c.storage.sqlite; }, "storage.sqlite");
  keep([](auto& c) -> auto& { return c.storage.flush; }, "storage.flush");
  keep([](auto& c) -> auto& { return c.storage.audit.retention; }, "storage.audit.retention");
  keep([](auto& c) -> auto& { return c.storage.audit.field_max; }, "storage.audit.field_max");
  keep([](auto& c) -> auto& { return c.limits.request_head_max; }, "limits.request_head_max");
  keep([](auto& c) -> auto& { return c.limits.reply_head_max; }, "limits.reply_head_max");
  keep([](auto& c) -> auto& { return c.timeouts.dns_ttl; }, "timeouts.dns_ttl");
  keep([](auto& c) -> auto& { return c.timeouts.drain; }, "timeouts.drain");
  keep([](auto& c) -> auto& { return c.log.access; }, "log.access");
  keep([](auto& c) -> auto& { return c.loops; }, "loops");
}

}  // namespace

class server::body {
 public:
  body(config::gateway_config const& config, server_parts parts)
      : parts_{std::move(parts)},
        loop_count_{loops_of(config)},
        resolver_{{.ttl = config.timeouts.dns_ttl, .look_up = nullptr}},
        hub_{static_cast<std::uint64_t>(wall_now().time_since_epoch().count())},
        transitions_{parts_.store, hub_, parts_.log} {}

  or_text<void> start(config::gateway_config config);
  void run();
  void drain(duration limit);
  void stop();
  std::vector<diagnostic> reload(config::gateway_config config);
  std::vector<diagnostic> reload();
  followed follow_file(std::vector<diagnostic>& problems);

  net::endpoint data_at;
  net::endpoint admin_at;
  std::string token;

 private:
  or_text<void> make_loops();
  void tell_backend() const;
  or_text<void> open_log(config::gateway_config const& config);
  or_text<void> listen(config::gateway_config const& config);
  or_text<void> listen_admin(config::admin_config const& config);
  void make_workers();
  std::shared_ptr<gateway_plan const> in_force();
  void audit_reload(std::string_view who, std::vector<diagnostic> const& problems);
  std::vector<diagnostic> put_in_force(expected<config::loaded, config::problems> read, std::string_view who);
  void tell_all(std::function<void(worker&)> const& what);

  server_parts parts_;
  std::size_t loop_count_;
  net::resolver resolver_;
  event_hub hub_;
  transition_log transitions_;
  std::unique_ptr<log_writer> access_;
  std::mutex reload_mutex_;
  std::shared_ptr<gateway_plan const> in_force_;  // under reload_mutex_
  std::vector<std::unique_ptr<net::event_loop>> loops_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::unique_ptr<admin_api> admin_;
  std::unique_ptr<storage_watch> watch_;
  std::atomic<bool> draining_{false};
  std::atomic<std::size_t> undrained_{0};  // workers that are not done
};

or_text<void> server::body::start(config::gateway_config config) {
  if (auto made = make_loops(); !made) return made;
  tell_backend();
  if (auto opened = open_log(config); !opened) return opened;
  in_force_ =
      gateway_plan::make(config, nullptr, {parts_.board, transitions_, loop_count_}, net::steady_now());
  make_workers();
  watch_ = std::make_unique<storage_watch>(*loops_[0], parts_.store, hub_, parts_.log);
  if (auto listening = listen(config); !listening) return listening;
  return listen_admin(config.admin);
}

or_text<void> server::body::make_loops() {
  while (loops_.size() < loop_count_) {
    auto made = net::event_loop::make({.ring = parts_.ring});
    if (!made) return cannot("event loop", name(made.error().why));
    loops_.push_back(std::move(*made));
  }
  return {};
}

// Containers often forbid io_uring; an operator who compares hosts wants to know.
void server::body::tell_backend() const {
  if (!parts_.log) return;
  bool const together = parts_.ring && net::call_ring::make().has_value();
  parts_.log(
      {.text =
           together
               ? "network: epoll, with receives and sends together by io_uring"
               : "network: epoll; io_uring is not allowed here, so receives and sends are made one by one",
       .fields = together ? R"({"backend":"epoll","sends":"io_uring"})"
                          : R"({"backend":"epoll","sends":"single"})"});
}

or_text<void> server::body::open_log(config::gateway_config const& config) {
  if (config.log.access == "off") return {};
  auto opened = log_writer::open(config.log.access);
  if (!opened) return cannot("access log", opened.error());
  access_ = std::move(*opened);
  return {};
}

void server::body::make_workers() {
  for (std::size_t i = 0; i < loop_count_; ++i)
    workers_.push_back(std::make_unique<worker>(
        worker_parts{*loops_[i], resolver_, parts_.store, access_.get(), i, loop_count_}, in_force_));
  transitions_.tell_trips([this](guard const& g) {
    tell_all([tool = g.tool(), host = g.host()](worker& w) { w.drop_idle(tool, host); });
  });
}

or_text<void> server::body::listen(config::gateway_config const& config) {
  auto at = address(config.listen);
  if (!at) return unexpected<std::string>{at.error()};
  for (std::size_t i = 0; i < loop_count_; ++i) {
    auto bound = bind(*loops_[i], *at, i == 0);
    if (!bound) return unexpected<std::string>{bound.error()};
    *at = data_at = bound->local();
    workers_[i]->serve(std::move(*bound));
  }
  return {};
}

or_text<void> server::body::listen_admin(config::admin_config const& config) {
  auto token_read = admin_token::load_or_create(config.token_file);
  if (!token_read) return cannot("admin token", token_read.error());
  token = token_read->text();
  auto at = address(config.listen);
  if (!at) return unexpected<std::string>{at.error()};
  auto bound = bind(*loops_[0], *at);
  if (!bound) return unexpected<std::string>{bound.error()};
  admin_at = bound->local();
  admin_ = std::make_unique<admin_api>(admin_parts{.loop = *loops_[0],
                                                   .store = parts_.store,
                                                   .board = parts_.board,
                                                   .hub = hub_,
                                                   .token = *std::move(token_read),
                                                   .version = parts_.version,
                                                   .config_file = parts_.config_file,
                                                   .access = access_.get(),
                                                   .workers = {},
                                                   .in_force = [this] { return in_force(); },
                                                   .reload = [this](auto c) { return reload(std::move(c)); },
                                                   .draining = [this] { return draining_.load(); }});
  for (auto const& w : workers_) admin_->watch(*w);
  admin_->serve(std::move(*bound));
  return {};
}

std::shared_ptr<gateway_plan const> server::body::in_force() {
  std::lock_guard const lock{reload_mutex_};
  return in_force_;
}

void server::body::run() {
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < loop_count_; ++i) threads.emplace_back([this, i] { loops_[i]->run(); });
  loops_[0]->run();
  stop();
  threads.clear();
  admin_.reset();
  for (auto& w : workers_) w->cut();
}

void server::body::tell_all(std::function<void(worker&)> const& what) {
  for (std::size_t i = 0; i < loop_count_; ++i)
    (void)loops_[i]->post([this, i, what] { what(*workers_[i]); });
}

void server::body::drain(duration limit) {
  draining_ = true;
  undrained_ = loop_count_;
  auto const until = net::steady_now() + limit;
  tell_all([this, until](worker& w) {
    w.drain(until, [this] {
      if (undrained_.fetch_sub(1) == 1) stop();
    });
  });
}

void server::body::stop() {
  for (auto& l : loops_) l->stop();
}

std::vector<diagnostic> server::body::reload() {
  return put_in_force(config::load(parts_.config_file), "signal");
}

server::followed server::body::follow_file(std::vector<diagnostic>& problems) {
  auto const now = in_force();
  if (!now->config().watch) return followed::not_wanted;
  auto read = config::load(parts_.config_file);
  auto const shown = [](config::gateway_config const& c) { return config::to_json(*config::effective(c)); };
  if (read && shown(read->config) == shown(now->config())) return followed::no_news;
  problems = put_in_force(std::move(read), "file");
  return followed::read;
}

std::vector<diagnostic> server::body::put_in_force(expected<config::loaded, config::problems> read,
                                                   std::string_view who) {
  auto problems = read ? reload(std::move(read->config)) : read.error();
  if (read) problems.insert(problems.end(), read->warnings.begin(), read->warnings.end());
  audit_reload(who, problems);
  return problems;
}

// A reload by signal, or because the file has changed; one by the API is the operator's, and written there.
void server::body::audit_reload(std::string_view who, std::vector<diagnostic> const& problems) {
  auto const error = std::ranges::find(problems, severity::error, &diagnostic::level);
  audit_event e;
  e.kind = audit_kind::config;
  e.who = who;
  e.what = "reload";
  e.outcome = error == problems.end() ? "success" : "refused";
  if (error != problems.end()) e.detail = to_string(*error);
  parts_.store.record(std::move(e));
}

std::vector<diagnostic> server::body::reload(config::gateway_config config) {
  auto problems = parts_.gate ? parts_.gate(config) : std::vector<diagnostic>{};
  bool const refused = std::ranges::any_of(problems, [](auto& p) { return p.level == severity::error; });
  if (refused) return problems;
  std::lock_guard const lock{reload_mutex_};
  keep_unchangeable(in_force_->config(), config, parts_.config_file, problems);
  in_force_ = gateway_plan::make(std::move(config), in_force_.get(),
                                 {parts_.board, transitions_, loop_count_}, net::steady_now());
  tell_all([made = in_force_](worker& w) { w.put_in_force(made); });
  return problems;
}

expected<std::unique_ptr<server>, std::string> server::make(config::gateway_config config,
                                                            server_parts parts) {
  auto made = std::make_unique<body>(config, std::move(parts));
  if (auto started = made->start(std::move(config)); !started)
    return unexpected<std::string>{started.error()};
  return std::unique_ptr<server>{new server{std::move(made)}};
}

server::server(std::unique_ptr<body> b) noexcept : body_{std::move(b)} {}
server::~server() = default;
net::endpoint server::endpoint() const noexcept { return body_->data_at; }
net::endpoint server::admin_endpoint() const noexcept { return body_->admin_at; }
std::string const& server::token() const noexcept { return body_->token; }
void server::run() { body_->run(); }
void server::drain(duration limit) { body_->drain(limit); }
void server::stop() { body_->stop(); }
std::vector<diagnostic> server::reload(config::gateway_config config) {
  return body_->reload(std::move(config));
}
std::vector<diagnostic> server::reload() { return body_->reload(); }
server::followed server::follow_file(std::vector<diagnostic>& problems) {
  return body_->follow_file(problems);
}

}  // namespace halfopen::gateway
