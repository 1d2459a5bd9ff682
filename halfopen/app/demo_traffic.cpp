#include <condition_variable>
#include <mutex>
#include <thread>

#include <halfopen/app/demo_traffic.hpp>
#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/http_client.hpp>

namespace halfopen::app {
namespace {

using namespace std::chrono_literals;

constexpr duration between = 100ms;
constexpr duration patience = 3s;  // longer than the gateway's own limit

call_outcome outcome_of(expected<net::received_reply, net::io_error> const& r) {
  if (!r) return call_outcome::lost;
  if (r->status == 503) return call_outcome::refused;  // the demo's service itself never says so
  return r->status == 200 ? call_outcome::passed : call_outcome::failed;
}

}  // namespace

struct demo_traffic::body {
  net::http_client client;
  demo_inbox& inbox;
  std::mutex mutex{};
  std::condition_variable ended{};
  bool end = false;
  std::thread thread{};

  void call_until_ended() {
    for (instant due = net::steady_now(); !wait_until(due); due += between) {
      auto const outcome = outcome_of(client.get("/", patience));
      inbox.put({net::steady_now(), outcome});
      due = std::max(due, net::steady_now() - between);  // after a slow call, no burst to catch up
    }
  }
  // True when the end has come.
  bool wait_until(instant due) {
    std::unique_lock lock{mutex};
    return ended.wait_for(lock, std::max(due - net::steady_now(), duration{0}), [&] { return end; });
  }
};

demo_traffic::demo_traffic(net::endpoint to, demo_inbox& inbox)
    : body_{new body{net::http_client{to}, inbox}} {
  body_->thread = std::thread{[b = body_.get()] { b->call_until_ended(); }};
}

demo_traffic::~demo_traffic() {
  {
    std::lock_guard const lock{body_->mutex};
    body_->end = true;
  }
  body_->ended.notify_all();
  body_->thread.join();
}

}  // namespace halfopen::app
