#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <halfopen/app/demo_inbox.hpp>
#include <halfopen/app/demo_traffic.hpp>
#include <halfopen/app/demo_upstream.hpp>
#include <halfopen/app/running_gateway.hpp>

namespace halfopen::app {

/// All that runs in the demo: the service, the gateway in front of it, the traffic. What happens is put into
/// the inbox. Its files are in a folder of their own that goes with it.
class demo_stage {
 public:
  [[nodiscard]] static expected<std::unique_ptr<demo_stage>, std::string> make(demo_inbox& inbox);
  ~demo_stage();

  [[nodiscard]] demo_upstream& upstream() noexcept { return *upstream_; }
  [[nodiscard]] gateway::server& server() noexcept { return gateway_->server(); }
  [[nodiscard]] std::filesystem::path token_file() const { return folder_ / "admin.token"; }

 private:
  explicit demo_stage(demo_inbox& inbox) : inbox_{inbox} {}
  [[nodiscard]] std::string build();
  [[nodiscard]] std::string build_gateway(std::string const& listen, std::string const& admin);

  demo_inbox& inbox_;
  std::filesystem::path folder_;
  std::unique_ptr<demo_upstream> upstream_;
  std::unique_ptr<running_gateway> gateway_;
  std::thread serving_;
  std::unique_ptr<demo_traffic> traffic_;
};

/// The demo's gateway: one tool, a breaker with short times, so that the story is told in seconds.
[[nodiscard]] std::string demo_config(std::string const& listen, std::string const& admin,
                                      std::string const& upstream);

}  // namespace halfopen::app
