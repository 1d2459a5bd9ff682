#include <algorithm>

#include <halfopen/app/demo_inbox.hpp>
#include <halfopen/net/event_loop.hpp>

namespace halfopen::app {

void demo_inbox::put(demo_event e) {
  {
    std::lock_guard const lock{mutex_};
    if (events_.size() == events_max) return;
    events_.push_back(std::move(e));
  }
  arrived_.notify_one();
}

std::optional<demo_event> demo_inbox::take(instant until) {
  std::unique_lock lock{mutex_};
  auto const left = std::clamp<duration>(until - net::steady_now(), duration{0}, std::chrono::hours{1});
  arrived_.wait_for(lock, left, [&] { return !events_.empty(); });
  if (events_.empty()) return std::nullopt;
  auto e = std::move(events_.front());
  events_.pop_front();
  return e;
}

}  // namespace halfopen::app
