#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <halfopen/base/assert.hpp>
#include <halfopen/policy/layer.hpp>

namespace halfopen {

/// A fixed number of layers side by side, outermost first, reached by position.
template <class S>
concept layer_storage = requires(S s, S const cs, std::size_t i) {
  S::capacity;
  { cs.size() } -> std::convertible_to<std::size_t>;
  s.visit(i, [](auto&) { return step::stay; });
  cs.visit(i, [](auto const&) { return instant{}; });
};

/// Storage whose inner layers can go their own way; a layer that has been moved from is as good as new.
template <class S>
concept partible_storage = layer_storage<S> && requires(S s, std::size_t first) {
  { s.take_from(first) } -> std::same_as<S>;
};

/// One call on its way through its layers: all that a driver steps, and the only place with rules between
/// layers. To its driver it is itself a layer, the operation below it.
///
///     start ──▶ descend: run the operation with below(), then done()     ──▶ ... ──▶ complete: the answer
///               stay: nothing to do before wake_at() or the operation's end          is in `ended`, nothing
///               abort_below: cancel the operation, then done()                       is in flight
///
/// Rules (each a test in layer_stack_test.cpp):
///   P1 Layers are started outermost first and told the end innermost first.
///   P2 The outermost due timer acts first; a result that comes after a due timer is too late for it.
///   P3 A layer that refuses ends the descent: the layers outside it are told, those inside it are not.
///   P4 What a layer calls off is not taken up again by a layer inside it.
///   P5 `complete` is said only when no operation is in flight.
///   P6 abandon reaches each layer that has started and not ended, once.
///   P7 A layer that descends again hands inward the deadline that it handed inward before.
///   P8 A deadline only shrinks on the way in.
///   P9 A probe that has been parted from its call ends with its lease, or with its reply; it is not retried.
///   P10 A rung of a fallback runs right below it: the layers inside are not asked, and not told.
///
/// Threads: one at a time. Cost: no allocation; O(layers) a step.
template <layer_storage Layers>
class layer_stack {
 public:
  constexpr explicit layer_stack(Layers layers) : layers_{std::move(layers)} {}

  /// Layers that are made in their place.
  template <std::invocable Make>
    requires std::same_as<std::invoke_result_t<Make&>, Layers>
  constexpr explicit layer_stack(Make make) : layers_(make()) {}

  /// Begins the call. Afterwards `a` is the attempt to run, if the answer is `descend`.
  constexpr step start(instant now, attempt& a, ended& e) {
    invariant(phase_ == phase::idle, "a call is started once");
    passed_[0] = a;
    at_ = outside;
    step const s = travel(now, e, step::descend);
    a = below();
    return s;
  }

  /// The operation has ended, as `e` says. After abort_below: as it was cancelled, or came to an end first.
  constexpr step done(instant now, ended& e) {
    invariant(in_flight(), "an operation ends once");
    call_off_what_came_too_late(now, e);
    if (orphan_ && e.result == result_class::cancelled)
      e = {.result = result_class::failure, .why = errc::timed_out, .who = "lease"};
    e.rung = below().rung;
    at_ = bottom_;
    return travel(now, e, step::complete);
  }

  /// Time has passed. Harmless when nothing is due, and after the end.
  constexpr step wake(instant now, ended& e) {
    if (orphan_) return wake_orphan(now);
    for (index i = 0; i < awake(); ++i) {
      if (deadline_of(i) > now) continue;
      step const s = layers_.visit(position(i), [&](auto& l) { return l.wake(now, e); });
      if (s == step::stay) continue;
      if (phase_ == phase::waiting && i == at_) return go_on(now, e, s);
      invariant(s == step::abort_below, "a layer with something below it only stays or aborts");
      return take_back(i, now, e);
    }
    return step::stay;
  }

  /// When to call wake; instant::max() = not before the operation's end.
  [[nodiscard]] constexpr instant wake_at() const {
    if (orphan_) return phase_ == phase::running ? below().lease : instant::max();
    instant soonest = instant::max();
    for (index i = 0; i < awake(); ++i) soonest = std::min(soonest, deadline_of(i));
    return soonest;
  }

  /// The caller has gone. A driver cancels what is in flight and reports nothing more.
  constexpr void abandon(instant now) {
    for (index i = started(); i-- > outermost_;) abandon_layer(i, now);
    phase_ = phase::over;
  }

  /// Whether the operation in flight is a probe that is called off from further out than its breaker, with
  /// time left on its lease: worth parting.
  [[nodiscard]] constexpr bool probe_can_outlive(instant now) const noexcept {
    if (!in_flight() || orphan_ || bottom_ < size()) return false;
    if (!below().probe || below().rung != 0 || now >= below().lease) return false;
    return phase_ == phase::running || aborted_by_ < prober();
  }

  /// Parts a probe from the call that no longer waits for it, so that its reply still decides: an orphan.
  ///
  /// Call it after abort_below, or before abandon, and then go on with this call as if the operation had been
  /// cancelled. The orphan has the operation in flight; it ends with `complete`, latest when its lease is
  /// over. Requires: probe_can_outlive(now).
  [[nodiscard]] constexpr layer_stack part_probe()
    requires partible_storage<Layers>
  {
    invariant(in_flight() && below().probe && !orphan_ && bottom_ == size(),
              "only a probe in flight can be parted from its call");
    bottom_ = prober();
    layer_stack apart{layers_.take_from(position(bottom_))};
    apart.passed_ = passed_;
    apart.at_ = apart.bottom_ = size();
    apart.outermost_ = bottom_;
    apart.begun_ = begun_;
    apart.phase_ = phase::running;
    apart.orphan_ = true;
    return apart;
  }

  /// The attempt to run after `descend`.
  [[nodiscard]] constexpr attempt const& below() const noexcept { return passed_[position(size())]; }
  [[nodiscard]] constexpr bool in_flight() const noexcept {
    return phase_ == phase::running || phase_ == phase::cancelling;
  }
  [[nodiscard]] constexpr bool over() const noexcept { return phase_ == phase::over; }
  [[nodiscard]] constexpr Layers const& layers() const noexcept { return layers_; }

 private:
  using index = int;
  static constexpr index outside = -1;
  static constexpr index none = static_cast<index>(Layers::capacity) + 1;

  enum class phase : std::uint8_t { idle, waiting, running, cancelling, over };

  static constexpr std::size_t position(index i) noexcept { return static_cast<std::size_t>(i); }
  constexpr index size() const noexcept { return static_cast<index>(layers_.size()); }

  // Follows the answer `s` of the layer at at_ inward or outward, until it is the driver's turn.
  constexpr step travel(instant now, ended& e, step s) {
    for (;;) {
      switch (s) {
        case step::descend:
          if (++at_ == size()) return begin();
          s = enter(now, e);
          break;
        case step::stay:
          phase_ = phase::waiting;
          since_ = now;
          return step::stay;
        case step::divert: return begin_rung(e.rung);
        case step::complete:
          if (at_ == outermost_) return finish(e);
          e.attempts = begun_;
          --at_;
          s = leave(now, e);
          break;
        case step::abort_below: invariant(false, "nothing is below a layer that has just been asked");
      }
    }
  }

  constexpr step begin() noexcept {
    phase_ = phase::running;
    bottom_ = at_;
    ++begun_;
    passed_[position(at_)].number = begun_;
    passed_[position(at_)].rung = 0;
    return step::descend;
  }

  // In place of what is below the layer at at_, with what it has handed inward.
  constexpr step begin_rung(std::uint8_t rung) {
    invariant(rung > 0, "P10: rungs count from 1");
    attempt& a = passed_[position(size())];
    a = passed_[position(at_) + 1];
    a.rung = rung;
    a.rung_of = static_cast<std::uint8_t>(at_);
    phase_ = phase::running;
    bottom_ = at_ + 1;
    return step::descend;
  }

  // The layer that waited answers.
  constexpr step go_on(instant now, ended& e, step s) {
    waited_ += now - since_;
    return travel(now, e, s);
  }

  constexpr step finish(ended& e) noexcept {
    phase_ = phase::over;
    e.attempts = begun_;
    e.waited = waited_;
    return step::complete;
  }

  constexpr step enter(instant now, ended& e) {
    attempt a = passed_[position(at_)];
    a.number = begun_ + 1;
    step const s = layers_.visit(position(at_), [&](auto& l) { return l.start(now, a, e); });
    invariant(a.deadline <= passed_[position(at_)].deadline, "P8: a deadline only shrinks on the way in");
    passed_[position(at_) + 1] = a;
    return s;
  }

  constexpr step leave(instant now, ended& e) {
    step const s = layers_.visit(position(at_), [&](auto& l) { return l.done(now, e); });
    if (at_ == aborted_by_) aborted_by_ = none;
    if (s == step::complete || (at_ < aborted_by_ && !orphan_)) return s;
    abandon_layer(at_, now);  // P4, P9
    e = ended::called_off();
    return step::complete;
  }

  // Layer i no longer wants what is below it.
  constexpr step take_back(index i, instant now, ended& e) {
    bool const waits = phase_ == phase::waiting;
    bool const already = phase_ == phase::cancelling;
    aborted_by_ = i;
    if (!waits) {
      phase_ = phase::cancelling;
      return already ? step::stay : step::abort_below;
    }
    abandon_layer(at_, now);
    e = ended::called_off();
    return go_on(now, e, step::complete);
  }

  // P2 where the driver reports a result before it has looked at the timers. The layers inside the one that
  // was due still learn how the operation really ended.
  constexpr void call_off_what_came_too_late(instant now, ended const& e) {
    for (index i = 0; i < awake(); ++i) {
      if (deadline_of(i) >= now) continue;
      ended unused = e;
      step const s = layers_.visit(position(i), [&](auto& l) { return l.wake(now, unused); });
      if (s == step::abort_below) aborted_by_ = i;
    }
  }

  constexpr instant deadline_of(index i) const {
    return layers_.visit(position(i), [](auto const& l) { return l.wake_at(); });
  }

  constexpr void abandon_layer(index i, instant now) {
    layers_.visit(position(i), [&](auto& l) {
      l.abandon(now);
      return step::complete;
    });
  }

  // How many layers, counted from outside, have started and not ended.
  constexpr index started() const noexcept {
    if (phase_ == phase::waiting) return at_ + 1;
    return in_flight() ? bottom_ : 0;
  }

  // Of these, the ones whose timers count: not those inside a layer that has called them off, and none of an
  // orphan, which lives by its lease alone.
  constexpr index awake() const noexcept { return orphan_ ? 0 : std::min(started(), aborted_by_); }

  constexpr step wake_orphan(instant now) noexcept {
    if (phase_ != phase::running || now < below().lease) return step::stay;
    phase_ = phase::cancelling;
    return step::abort_below;
  }

  // The outermost layer whose permit is a probe's.
  constexpr index prober() const noexcept {
    index i = 0;
    while (!passed_[position(i) + 1].probe) ++i;
    return i;
  }

  Layers layers_;
  std::array<attempt, Layers::capacity + 1> passed_{};  // [i]: handed to layer i; the last: to the operation
  index at_ = outside;                                  // the layer whose turn it is; size() = the operation
  index bottom_ = outside;   // where the operation in flight hangs; less than size() for a rung, and once a
                             // probe has parted
  index outermost_ = 0;      // an orphan begins with the layer that granted the probe
  index aborted_by_ = none;  // the outermost layer that has said abort_below
  instant since_{};          // when the layer at at_ began to wait
  duration waited_{};
  std::uint32_t begun_ = 0;
  phase phase_ = phase::idle;
  bool orphan_ = false;
};

}  // namespace halfopen
