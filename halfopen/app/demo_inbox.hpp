#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>

#include <halfopen/app/demo_story.hpp>
#include <halfopen/base/time.hpp>

namespace halfopen::app {

enum class call_outcome : std::uint8_t { passed, failed, refused, lost };
struct upstream_changed {
  bool failing = false;
};
struct signalled {
  int signal = 0;
};

struct demo_event {
  instant at;
  std::variant<call_outcome, demo_transition, upstream_changed, signalled> what;
};

/// What the demo's threads tell its main thread. Bounded: a reader that has stopped costs no memory.
/// Threads: any may put; one takes.
class demo_inbox {
 public:
  static constexpr std::size_t events_max = 10'000;

  void put(demo_event e);
  /// The next event, or nothing when `until` has come.
  [[nodiscard]] std::optional<demo_event> take(instant until);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<demo_event> events_;
};

}  // namespace halfopen::app
