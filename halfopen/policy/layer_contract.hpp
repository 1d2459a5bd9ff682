#pragma once

#include <cstdint>
#include <utility>

#include <halfopen/base/assert.hpp>
#include <halfopen/policy/layer.hpp>

namespace halfopen {

/// Holds a layer, and whoever drives it, to the layer contract. For tests of layers and of drivers.
template <layer L>
class contract_checked {
 public:
  constexpr explicit contract_checked(L inner) : inner_{std::move(inner)} {}

  constexpr step start(instant now, attempt& a, ended& e) {
    invariant(phase_ == phase::idle, "a layer is started once per descent");
    instant const given = a.deadline;
    step const s = inner_.start(now, a, e);
    invariant(a.deadline <= given, "a deadline only shrinks on the way in");
    return answered(s);
  }

  constexpr step done(instant now, ended& e) {
    invariant(phase_ == phase::below || phase_ == phase::aborting, "done follows descend");
    step const s = inner_.done(now, e);
    invariant(s != step::divert || e.rung > 0, "a layer that diverts says to which rung");
    if (!std::exchange(beside_, false)) return answered(s);
    invariant(s == step::stay || s == step::complete, "beside another branch, a layer stays or completes");
    if (s == step::complete) return answered(s);
    return s;
  }

  constexpr step wake(instant now, ended& e) {
    invariant(phase_ == phase::below || phase_ == phase::waiting,
              "only a layer that is in the call is woken");
    invariant(inner_.wake_at() <= now, "a layer is woken when it is due");
    step const s = inner_.wake(now, e);
    if (phase_ == phase::waiting) return answered(s);
    invariant(s == step::stay || s == step::abort_below || s == step::fork,
              "with something below, a layer stays, aborts or forks");
    invariant(s != step::fork || (forking_layer<L> && !forked_),
              "a layer forks once, if it says that it may");
    invariant(s != step::abort_below || !beside_, "a layer does not call off two branches");
    if (s == step::fork) forked_ = beside_ = true;
    if (s == step::abort_below) phase_ = phase::aborting;
    return s;
  }

  [[nodiscard]] constexpr instant wake_at() const { return inner_.wake_at(); }

  constexpr void abandon(instant now) {
    invariant(phase_ != phase::idle, "a layer that is not in the call has nothing to give back");
    inner_.abandon(now);
    phase_ = phase::idle;
    forked_ = beside_ = false;
  }

  static constexpr bool can_fork = forking_layer<L>;

  [[nodiscard]] constexpr bool in_call() const noexcept { return phase_ != phase::idle; }

 private:
  enum class phase : std::uint8_t { idle, waiting, below, aborting };

  constexpr step answered(step s) {
    invariant(s != step::abort_below && s != step::fork, "nothing is below a layer that has just been asked");
    forked_ = false;
    phase_ = s == step::complete ? phase::idle : s == step::stay ? phase::waiting : phase::below;
    invariant(phase_ != phase::idle || inner_.wake_at().is_never(), "no timer outlives the layer's part");
    return s;
  }

  L inner_;
  phase phase_ = phase::idle;
  bool forked_ = false;  // since it has last descended
  bool beside_ = false;  // two branches are below
};

}  // namespace halfopen
