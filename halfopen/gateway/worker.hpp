#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <halfopen/gateway/access_log.hpp>
#include <halfopen/gateway/audit_field.hpp>
#include <halfopen/gateway/call.hpp>
#include <halfopen/gateway/client_connection.hpp>
#include <halfopen/gateway/generation.hpp>
#include <halfopen/gateway/orphan.hpp>
#include <halfopen/gateway/recycler.hpp>
#include <halfopen/gateway/storage.hpp>
#include <halfopen/gateway/upstream_pool.hpp>
#include <halfopen/net/listener.hpp>
#include <halfopen/net/task_set.hpp>

namespace halfopen::gateway {

/// What a worker is given. All of it outlives the worker.
struct worker_parts {
  net::event_loop& loop;
  net::resolver& resolver;
  storage& store;
  log_writer* access = nullptr;  // null: no access log
  std::size_t index = 0;         // of its loop
  std::size_t loops = 1;
};

/// What one loop counts about itself.
struct worker_counts {
  counter accepted;
  counter turned_away;
  std::array<counter, reason_count> refused;  // requests that reached no tool

  // As they were when the house was last kept.
  counter clients;
  counter upstream_open, upstream_idle;
};

/// One loop of the gateway: its clients, calls and pools, under the configuration in force.
///
/// Threads: its loop's, except counts().
class worker {
 public:
  worker(worker_parts parts, std::shared_ptr<gateway_plan const> in_force);
  ~worker();
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;

  /// Serves the connections of a listener from now on.
  void serve(net::listener l);
  /// Puts another configuration in force for calls that begin from now on.
  void put_in_force(std::shared_ptr<gateway_plan const> r);
  /// No new calls; connections end as they fall idle. `drained` is called once none is left, or at `until`.
  void drain(instant until, std::function<void()> drained);
  /// Ends everything.
  void cut();
  /// A breaker has opened: its hosts' kept connections are closed.
  void drop_idle(std::string const& tool, std::string const& host);

  [[nodiscard]] net::event_loop& loop() const noexcept { return parts_.loop; }
  [[nodiscard]] std::size_t index() const noexcept { return parts_.index; }
  [[nodiscard]] generation& current() noexcept { return *current_; }
  [[nodiscard]] config::gateway_config const& config() const noexcept { return current_->in_force->config(); }
  [[nodiscard]] bool draining() const noexcept { return draining_; }

  [[nodiscard]] recycler<client_connection>& clients() noexcept { return clients_; }
  [[nodiscard]] recycler<call>& calls() noexcept { return calls_; }
  [[nodiscard]] recycler<orphan>& orphans() noexcept { return orphans_; }
  [[nodiscard]] net::request_parser& parser() noexcept { return parser_; }
  [[nodiscard]] net::head_limits request_limits() const noexcept { return {.head_max = request_head_max_}; }
  [[nodiscard]] std::string& out() noexcept { return out_; }          // yours until you return to the loop
  [[nodiscard]] std::string& reasons() noexcept { return reasons_; }  // the same

  /// A request is over: it is logged, counted and audited.
  void ended(request_record const& r);

  [[nodiscard]] worker_counts const& counts() const noexcept { return counts_; }
  [[nodiscard]] std::map<std::string, std::unique_ptr<upstream_pool>> const& pools() const noexcept {
    return pools_;
  }

 private:
  class housekeeping;

  net::task<> accept(net::listener& l);
  void greet(net::unique_fd fd);
  [[nodiscard]] std::unique_ptr<generation> make_generation(std::shared_ptr<gateway_plan const> r);
  [[nodiscard]] upstream_pool& pool_for(config::upstream_host const& where, pool_limits const& limits);
  [[nodiscard]] pool_limits limits_of(config::gateway_config const& c) const noexcept;
  [[nodiscard]] bool idle() const noexcept;
  void keep_house();
  void count_house() noexcept;
  void retire();
  void audit(request_record const& r, instant at);
  [[nodiscard]] audit_event audit_of(request_record const& r, instant at) const;

  worker_parts parts_;
  wall_clock clock_;
  std::size_t request_head_max_;
  pool_parts pool_parts_;
  std::map<std::string, std::unique_ptr<upstream_pool>> pools_;  // by url
  std::unique_ptr<generation> current_;
  std::vector<std::unique_ptr<generation>> before_;  // still used by calls under way
  net::request_parser parser_;
  std::string out_;
  std::string reasons_;
  access_log log_;
  audit_sampler sampler_;
  worker_counts counts_;
  bool draining_ = false;
  instant drain_until_;
  std::function<void()> drained_;

  recycler<call> calls_;
  recycler<orphan> orphans_;
  recycler<client_connection> clients_;
  std::vector<std::unique_ptr<net::listener>> listeners_;
  net::task_set accepting_;
  std::unique_ptr<housekeeping> housekeeping_;
};

}  // namespace halfopen::gateway
