#pragma once

#include <algorithm>

#include <halfopen/tla/scope.hpp>

namespace halfopen::tla {

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
};

}  // namespace halfopen::tla
