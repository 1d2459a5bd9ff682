#include <cstdlib>

#include <halfopen/app/demo_log.hpp>
#include <halfopen/app/demo_stage.hpp>
#include <halfopen/config/load.hpp>
#include <halfopen/net/event_loop.hpp>

namespace halfopen::app {

std::string demo_config(std::string const& listen, std::string const& admin, std::string const& upstream) {
  return "listen: " + listen + "\nadmin: {listen: \"" + admin + "\", token_file: admin.token}\n" +
         R"(storage: {sqlite: demo.db}
log: {access: "off"}
loops: 1
policies:
  demo:
    - circuit_breaker:
        per: tool
        window: {calls: 10}
        minimum_calls: 5
        failure_rate: 50%
        open_for: {initial: 1s, multiplier: 2, maximum: 10s, jitter: none}
    - timeout: 1s
tools:
  service: {hosts: [")" +
         upstream + R"("], policy: demo}
routes:
  - {match: {path: /}, tool: service}
)";
}

expected<std::unique_ptr<demo_stage>, std::string> demo_stage::make(demo_inbox& inbox) {
  std::unique_ptr<demo_stage> s{new demo_stage{inbox}};
  if (auto why = s->build(); !why.empty()) return unexpected<std::string>{std::move(why)};
  return s;
}

std::string demo_stage::build() {
  std::string name = (std::filesystem::temp_directory_path() / "halfopen-demo-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return "cannot make a folder for the demo's files in " + name;
  folder_ = name;
  auto upstream = demo_upstream::start(net::endpoint::loopback(9001), [this](bool failing) {
    inbox_.put({net::steady_now(), upstream_changed{failing}});
  });
  if (!upstream) return upstream.error();
  upstream_ = std::move(*upstream);
  if (!build_gateway("127.0.0.1:8080", "127.0.0.1:9090").empty())
    if (auto why = build_gateway("127.0.0.1:0", "127.0.0.1:0"); !why.empty()) return why;
  serving_ = std::thread{[s = &gateway_->server()] { s->run(); }};
  traffic_ = std::make_unique<demo_traffic>(gateway_->server().endpoint(), inbox_);
  return "";
}

std::string demo_stage::build_gateway(std::string const& listen, std::string const& admin) {
  auto const text = demo_config(listen, admin, "http://" + upstream_->local().text());
  auto read = config::read(text, folder_ / "demo.yaml");
  if (!read) return to_string(read.error().front());
  auto made = running_gateway::make(std::move(read->config), {}, [this](gateway::log_message const& m) {
    if (auto const seen = transition_of(m)) inbox_.put({net::steady_now(), *seen});
  });
  if (!made) return made.error().text;
  gateway_ = std::move(*made);
  return "";
}

demo_stage::~demo_stage() {
  traffic_.reset();
  if (serving_.joinable()) {
    gateway_->server().stop();
    serving_.join();
  }
  gateway_.reset();
  upstream_.reset();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace halfopen::app
