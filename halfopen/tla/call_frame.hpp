#pragma once

#include <algorithm>
#include <array>
#include <span>

#include <halfopen/tla/scope.hpp>

namespace halfopen::tla {

inline constexpr std::size_t parameters_max = 12;  // of a recursive operator

/// A frame for one call, on top of the caller's.
class call_frame {
 public:
  call_frame(machine& m, unit const& u, expr const& at) : m_{m}, frame_{m.frame}, top_{m.top} {
    if (m.stack_is_low() || !m.has_room(u.slots.used))
      fail(m, at, "the recursion is too deep, or has no end");
    callee = m.top;
    std::copy_n(m.frame, u.copied, callee);
  }
  void enter(unit const& u) {
    m_.frame = callee;
    m_.top = callee + u.slots.used;
  }
  void enter(unit const& u, std::span<call_argument const> given) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      later_[i] = {given[i].run, m_.frame};
      callee[u.params[i]] = given[i].cheap ? given[i].run->run(m_) : value::of(&later_[i]);
    }
    enter(u);
  }
  ~call_frame() {
    m_.frame = frame_;
    m_.top = top_;
  }
  call_frame(call_frame const&) = delete;
  call_frame& operator=(call_frame const&) = delete;

  value* callee;

 private:
  machine& m_;
  value* frame_;
  value* top_;
  std::array<thunk, parameters_max> later_;  // not set before they are used
};

}  // namespace halfopen::tla
