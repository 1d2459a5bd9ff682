#pragma once

#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_event.hpp>

namespace halfopen::app {

/// The demo's plot: when the upstream breaks and heals, and when the story is over.
///
/// A value that decides: it is told the time and what the breaker did, and answers what to do now.
class demo_director {
 public:
  enum class action { wait, break_upstream, heal_upstream, finish, give_up };

  explicit demo_director(instant start) : turn_{start + calm}, limit_{start + patience} {}

  /// The breaker has entered a state.
  void saw(breaker_state s, instant now);
  /// Call it whenever something happened, and at wake_at().
  [[nodiscard]] action next(instant now);
  [[nodiscard]] instant wake_at() const;

  static constexpr duration calm = std::chrono::milliseconds{1500};  // traffic before anything happens
  static constexpr duration lull =
      std::chrono::milliseconds{700};                             // between the failed probe and the healing
  static constexpr duration encore = std::chrono::seconds{1};     // traffic after the recovery
  static constexpr duration patience = std::chrono::seconds{15};  // for all of it

 private:
  enum class scene { calm, failing, open, still_failing, healing, recovered };

  void recovered(instant now);

  scene scene_ = scene::calm;
  instant turn_;  // when this scene ends by time alone
  instant limit_;
};

}  // namespace halfopen::app
