#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include <halfopen/base/expected.hpp>
#include <halfopen/net/http_server.hpp>

namespace halfopen::app {

/// The demo's service. GET anything: 200, or 500 while it is broken; POST /break and /heal change that.
class demo_upstream {
 public:
  /// `told` hears of each change, on the server's thread. Tries `at` first, then any free port.
  [[nodiscard]] static expected<std::unique_ptr<demo_upstream>, std::string> start(
      net::endpoint at, std::function<void(bool failing)> told);

  void set_failing(bool failing);
  [[nodiscard]] net::endpoint local() const noexcept { return server_->local(); }

 private:
  explicit demo_upstream(std::function<void(bool)> told) : told_{std::move(told)} {}
  [[nodiscard]] net::whole_reply answer(net::whole_request const& r);

  std::function<void(bool)> told_;
  std::atomic<bool> failing_{false};
  std::unique_ptr<net::http_server> server_;  // last: ends before what its handler uses
};

}  // namespace halfopen::app
