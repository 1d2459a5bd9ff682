#include <algorithm>

#include <halfopen/app/demo_director.hpp>

namespace halfopen::app {

void demo_director::saw(breaker_state s, instant now) {
  switch (scene_) {
    case scene::failing:
      if (s == breaker_state::open) scene_ = scene::open;
      return;
    case scene::open:  // its first probe fails, so that the longer back-off is seen
      if (s == breaker_state::closed) recovered(now);
      if (s != breaker_state::open) return;
      scene_ = scene::still_failing;
      turn_ = now + lull;
      return;
    case scene::still_failing:
    case scene::healing:
      if (s == breaker_state::closed) recovered(now);
      return;
    case scene::calm:
    case scene::recovered: return;
  }
}

void demo_director::recovered(instant now) {
  scene_ = scene::recovered;
  turn_ = now + encore;
}

demo_director::action demo_director::next(instant now) {
  if (scene_ == scene::recovered) return now < turn_ ? action::wait : action::finish;
  if (now >= limit_) return action::give_up;
  if (now < turn_) return action::wait;
  if (scene_ == scene::calm) {
    scene_ = scene::failing;
    turn_ = instant::max();
    return action::break_upstream;
  }
  if (scene_ == scene::still_failing) {
    scene_ = scene::healing;
    turn_ = instant::max();
    return action::heal_upstream;
  }
  return action::wait;
}

instant demo_director::wake_at() const {
  if (scene_ == scene::recovered) return turn_;
  bool const by_time = scene_ == scene::calm || scene_ == scene::still_failing;
  return by_time ? std::min(turn_, limit_) : limit_;
}

}  // namespace halfopen::app
