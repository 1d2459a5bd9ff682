#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/gateway/admin_connection.hpp>
#include <halfopen/gateway/admin_token.hpp>
#include <halfopen/gateway/event_hub.hpp>
#include <halfopen/gateway/gateway_plan.hpp>
#include <halfopen/gateway/log_writer.hpp>
#include <halfopen/gateway/mailbox.hpp>
#include <halfopen/gateway/recycler.hpp>
#include <halfopen/gateway/storage.hpp>
#include <halfopen/net/listener.hpp>
#include <halfopen/net/task_set.hpp>

namespace halfopen::gateway {

class worker;

/// What the admin API shows and acts upon. All of it outlives the API.
struct admin_parts {
  net::event_loop& loop;
  storage& store;
  health_board& board;
  event_hub& hub;
  admin_token token;
  std::string version;
  std::filesystem::path config_file;  // empty: there is none to read again or to replace
  log_writer const* access = nullptr;
  std::vector<worker const*> workers;
  std::function<std::shared_ptr<gateway_plan const>()> in_force;
  std::function<std::vector<diagnostic>(config::gateway_config)> reload;
  std::function<bool()> draining;
};

/// The admin API: looks at breakers, counts, events and the audit log, and acts on breakers and
/// configuration. docs/openapi.yaml has the whole, docs/gateway.md examples. An act is answered once it is on
/// disk.
///
/// Threads: its loop's.
class admin_api final : private admin_host {
 public:
  static constexpr std::size_t known_max = 256;     // connections that have shown the token
  static constexpr std::size_t strangers_max = 64;  // all others

  explicit admin_api(admin_parts parts);
  ~admin_api();

  /// A loop whose counts the metrics show. Before serve.
  void watch(worker const& w) { parts_.workers.push_back(&w); }
  void serve(net::listener l);
  [[nodiscard]] std::string const& token() const noexcept { return parts_.token.text(); }

 private:
  using handler = void (admin_api::*)(admin_connection&, admin_request const&);
  struct route {
    std::string_view method;
    std::string_view pattern;  // segments; "*" = any one
    handler answer;
    bool open = false;  // needs no token
  };
  static std::vector<route> const& routes();
  [[nodiscard]] static bool fits(route const& r, admin_request const& request);

  net::task<> accept(net::listener& l);
  void make_room();
  [[nodiscard]] bool is_welcome(admin_connection& c);
  void on_request(admin_connection& from, admin_request const& r) override;
  void on_closed(admin_connection& c) override;

  /// The way back to a connection from another thread: what is sent runs on the loop, if both are still
  /// there.
  struct way_back {
    std::shared_ptr<mailbox> box;
    admin_api* api;
    std::uint64_t id;
    void operator()(std::function<void(admin_connection&)> what) const;
  };
  [[nodiscard]] way_back way_to(admin_connection const& c) { return {mailbox_, this, c.id()}; }

  // admin_api.cpp
  void healthz(admin_connection& c, admin_request const& r);
  void readyz(admin_connection& c, admin_request const& r);
  void metrics(admin_connection& c, admin_request const& r);
  void tools(admin_connection& c, admin_request const& r);
  void tool(admin_connection& c, admin_request const& r);
  void breaker(admin_connection& c, admin_request const& r);

  // admin_acts.cpp
  void act(admin_connection& c, admin_request const& r);
  void get_config(admin_connection& c, admin_request const& r);
  void put_config(admin_connection& c, admin_request const& r);
  void reload(admin_connection& c, admin_request const& r);
  void apply(admin_connection& c, admin_request const& r, std::string_view text, bool replace);
  void record(admin_connection& c, audit_event e, std::string reply);
  [[nodiscard]] std::string replace_file(std::string_view text) const;

  // admin_rows.cpp
  void audit(admin_connection& c, admin_request const& r);
  void transitions(admin_connection& c, admin_request const& r);
  void export_page(way_back to, audit_query q);

  // admin_events.cpp
  void events(admin_connection& c, admin_request const& r);
  void notice();
  void tell_watchers();
  void tell_watchers_alive();
  bool tell(admin_connection& c, event_place& place);

  admin_parts parts_;
  instant started_;
  std::shared_ptr<mailbox> mailbox_;
  recycler<admin_connection> connections_;
  std::map<std::uint64_t, admin_connection*> open_;
  std::map<std::uint64_t, event_place> watchers_;  // by connection: the last event it has been told
  std::uint64_t next_id_ = 1;
  std::atomic<bool> noticed_{false};
  std::unique_ptr<net::listener> listener_;
  net::task_set accepting_;
  class heartbeat;
  std::unique_ptr<heartbeat> heartbeat_;
};

}  // namespace halfopen::gateway
