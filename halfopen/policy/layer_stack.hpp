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

/// Storage that also holds, at the positions from size() on, a second set of the layers inside one that
/// forks.
template <class S>
concept forking_storage = layer_storage<S> && S::can_fork;

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
/// Rules (each a test in layer_stack_test.cpp, P11 in hedge_test.cpp):
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
///   P11 A layer may fork what is below it once: a second branch of the layers inside it, to which all of the
///      above applies. The end that the layer takes calls off the other branch, whose layers are told
///      `cancelled`; the layer itself hears no more of it.
///
/// A call that has forked has two operations: branch() says which one the last step is about, and done() is
/// told which one has ended. A driver that never calls wake while an operation runs never sees a fork.
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
    invariant(trunk().phase == phase::idle, "a call is started once");
    passed_[0] = a;
    passed_[0].budget = nullptr;  // who reuses an attempt begins a call all the same
    passed_[0].rung = 0;
    step const s = travel(trunk(), now, e, step::descend);
    a = below();
    return s;
  }

  /// The operation (of that branch) has ended, as `e` says. After abort_below: as it was cancelled, or came
  /// to an end first.
  constexpr step done(instant now, ended& e, std::uint8_t branch = 0) {
    lane& l = lanes_[branch];
    invariant(l.in_flight(), "an operation ends once");
    call_off_what_came_too_late(l, now, e);
    if (orphan_ && e.result == result_class::cancelled)
      e = {.result = result_class::failure, .why = errc::timed_out, .who = "lease"};
    e.rung = passed(l, size()).rung;
    e.branch = branch;
    l.at = l.bottom;
    return travel(l, now, e, step::complete);
  }

  /// Time has passed. Harmless when nothing is due, and after the end.
  constexpr step wake(instant now, ended& e) {
    if (orphan_) return wake_orphan(now);
    for (lane& l : lanes_) {
      for (index i = first_of(l); i < awake(l); ++i) {
        if (deadline_of(l, i) > now) continue;
        step const s = visit(l, i, [&](auto& layer) { return layer.wake(now, e); });
        if (s == step::stay) continue;
        if (l.phase == phase::waiting && i == l.at) return go_on(l, now, e, s);
        if (s == step::fork) return fork(i, now, e);
        invariant(s == step::abort_below, "a layer with something below it only stays, aborts or forks");
        return take_back(l, i, now, e);
      }
    }
    return step::stay;
  }

  /// When to call wake; instant::max() = not before an operation's end.
  [[nodiscard]] constexpr instant wake_at() const {
    if (orphan_) return trunk().phase == phase::running ? below().lease : instant::max();
    instant soonest = instant::max();
    for (lane const& l : lanes_)
      for (index i = first_of(l); i < awake(l); ++i) soonest = std::min(soonest, deadline_of(l, i));
    return soonest;
  }

  /// The caller has gone. A driver cancels what is in flight and reports nothing more.
  constexpr void abandon(instant now) {
    for (std::size_t b = lanes_.size(); b-- > 0;) {
      lane& l = lanes_[b];
      for (index i = started(l); i-- > std::max(first_of(l), outermost_);)
        if (!has_answered(i)) abandon_layer(l, i, now);
      l.phase = phase::over;
    }
    fork_ = none;
    branch_ = 0;
  }

  /// Whether the operation in flight is a probe that is called off from further out than its breaker, with
  /// time left on its lease: worth parting. Not beside a second branch.
  [[nodiscard]] constexpr bool probe_can_outlive(instant now) const noexcept {
    lane const& l = trunk();
    if (!l.in_flight() || has_forked() || orphan_ || l.bottom < size()) return false;
    if (!below().probe || below().rung != 0 || now >= below().lease) return false;
    return l.phase == phase::running || l.aborted_by < prober();
  }

  /// Parts a probe from the call that no longer waits for it, so that its reply still decides: an orphan.
  ///
  /// Call it after abort_below, or before abandon, and then go on with this call as if the operation had been
  /// cancelled. The orphan has the operation in flight; it ends with `complete`, latest when its lease is
  /// over. Requires: probe_can_outlive(now).
  [[nodiscard]] constexpr layer_stack part_probe()
    requires partible_storage<Layers>
  {
    lane& l = trunk();
    invariant(l.in_flight() && below().probe && !orphan_ && l.bottom == size() && !has_forked(),
              "only a probe in flight can be parted from its call");
    l.bottom = prober();
    layer_stack apart{layers_.take_from(position(l.bottom))};
    apart.passed_ = passed_;
    apart.trunk().at = apart.trunk().bottom = size();
    apart.trunk().phase = phase::running;
    apart.outermost_ = l.bottom;
    apart.begun_ = begun_;
    apart.orphan_ = true;
    return apart;
  }

  /// Which operation the last step is about: 0, or after a fork, 1.
  [[nodiscard]] constexpr std::uint8_t branch() const noexcept { return branch_; }
  /// The attempt to run after `descend`.
  [[nodiscard]] constexpr attempt const& below() const noexcept { return below(branch_); }
  [[nodiscard]] constexpr attempt const& below(std::uint8_t branch) const noexcept {
    return passed(lanes_[branch], size());
  }
  [[nodiscard]] constexpr bool in_flight() const noexcept {
    for (lane const& l : lanes_)
      if (l.in_flight()) return true;
    return false;
  }
  [[nodiscard]] constexpr bool in_flight(std::uint8_t branch) const noexcept {
    return branch < lanes_.size() && lanes_[branch].in_flight();
  }
  [[nodiscard]] constexpr bool over() const noexcept { return trunk().phase == phase::over; }
  [[nodiscard]] constexpr Layers const& layers() const noexcept { return layers_; }

 private:
  using index = int;
  static constexpr index outside = -1;
  static constexpr index none = static_cast<index>(Layers::capacity) + 1;

  enum class phase : std::uint8_t { idle, waiting, running, cancelling, gone, over };

  // A way inward: from the outside, or, of the second branch, from the layer that has forked.
  struct lane {
    index at = outside;       // the layer whose turn it is; size() = the operation
    index bottom = outside;   // where the operation in flight hangs; less than size() for a rung, and once a
                              // probe has parted
    index aborted_by = none;  // the outermost layer that has said abort_below
    instant since{};          // when the layer at `at` began to wait
    enum phase phase = phase::idle;

    [[nodiscard]] constexpr bool in_flight() const noexcept {
      return phase == phase::running || phase == phase::cancelling;
    }
    [[nodiscard]] constexpr bool is_under_way() const noexcept {
      return in_flight() || phase == phase::waiting;
    }
  };
  static constexpr std::size_t lanes_max = forking_storage<Layers> ? 2 : 1;

  static constexpr std::size_t position(index i) noexcept { return static_cast<std::size_t>(i); }
  constexpr index size() const noexcept { return static_cast<index>(layers_.size()); }

  constexpr lane& trunk() noexcept { return lanes_[0]; }
  constexpr lane const& trunk() const noexcept { return lanes_[0]; }
  constexpr bool is_second(lane const& l) const noexcept { return lanes_max > 1 && &l != &lanes_[0]; }
  constexpr bool has_forked() const noexcept { return lanes_max > 1 && fork_ != none; }
  // Whether layer i has forked and given its answer, and only waits for a branch to be gone.
  constexpr bool has_answered(index i) const noexcept { return has_forked() && i == fork_ && answered_; }

  // The second branch's layers stand behind all others, and so does what it hands inward.
  template <class F>
  constexpr auto visit(lane const& l, index i, F&& f) {
    return layers_.visit(position(i + (is_second(l) ? size() - fork_ - 1 : 0)), f);
  }
  constexpr attempt& passed(lane const& l, index i) noexcept {
    return passed_[position(i + (is_second(l) ? size() - fork_ : 0))];
  }
  constexpr attempt const& passed(lane const& l, index i) const noexcept {
    return passed_[position(i + (is_second(l) ? size() - fork_ : 0))];
  }

  // Follows the answer `s` of the layer at l.at inward or outward, until it is the driver's turn.
  constexpr step travel(lane& l, instant now, ended& e, step s) {
    for (;;) {
      switch (s) {
        case step::descend:
          if (++l.at == size()) return begin(l);
          s = enter(l, now, e);
          break;
        case step::stay:
          l.phase = phase::waiting;
          l.since = now;
          return step::stay;
        case step::divert: return begin_rung(l, e.rung);
        case step::complete:
          if (l.at == outermost_ && !is_second(l)) return finish(e);
          e.attempts = begun_;
          if (--l.at == fork_) return end_branch(l, now, e);
          s = leave(l, now, e);
          break;
        case step::abort_below:
        case step::fork: invariant(false, "nothing is below a layer that has just been asked");
      }
    }
  }

  constexpr step tell(step s, lane const& l) noexcept {
    branch_ = is_second(l) ? 1 : 0;
    return s;
  }

  constexpr step begin(lane& l) noexcept {
    l.phase = phase::running;
    l.bottom = l.at;
    ++begun_;
    passed(l, l.at).number = begun_;
    passed(l, l.at).rung = 0;
    return tell(step::descend, l);
  }

  // In place of what is below the layer at l.at, with what it has handed inward.
  constexpr step begin_rung(lane& l, std::uint8_t rung) {
    invariant(rung > 0, "P10: rungs count from 1");
    attempt& a = passed(l, size());
    a = passed(l, l.at + 1);
    a.rung = rung;
    a.rung_of = static_cast<std::uint8_t>(l.at);
    l.phase = phase::running;
    l.bottom = l.at + 1;
    return tell(step::descend, l);
  }

  // The layer that waited answers.
  constexpr step go_on(lane& l, instant now, ended& e, step s) {
    waited_ += now - l.since;
    return travel(l, now, e, s);
  }

  constexpr step finish(ended& e) noexcept {
    trunk().phase = phase::over;
    e.attempts = begun_;
    e.waited = waited_;
    return step::complete;
  }

  constexpr step enter(lane& l, instant now, ended& e) {
    attempt a = passed(l, l.at);
    a.number = begun_ + 1;
    step const s = visit(l, l.at, [&](auto& layer) { return layer.start(now, a, e); });
    invariant(a.deadline <= passed(l, l.at).deadline, "P8: a deadline only shrinks on the way in");
    passed(l, l.at + 1) = a;
    return s;
  }

  constexpr step leave(lane& l, instant now, ended& e) {
    step const s = visit(l, l.at, [&](auto& layer) { return layer.done(now, e); });
    if (l.at == l.aborted_by) l.aborted_by = none;
    if (s == step::complete || (l.at < l.aborted_by && !orphan_)) return s;
    abandon_layer(l, l.at, now);  // P4, P9
    e = ended::called_off();
    return step::complete;
  }

  // P11. The second branch begins beside what runs.
  constexpr step fork(index i, instant now, ended& e) {
    invariant(lanes_max > 1 && !has_forked() && position(2 * size() - i - 1) <= Layers::capacity,
              "P11: a call forks once at a time, and where there is room");
    if constexpr (lanes_max > 1) {
      fork_ = i;
      answered_ = false;
      lane& second = lanes_[1];
      second = lane{.at = i};
      passed(second, i + 1) = passed(trunk(), i + 1);
      return travel(second, now, e, step::descend);
    }
    return step::stay;
  }

  // A branch has come to its end, as `e` says, and its layers have been told.
  constexpr step end_branch(lane& l, instant now, ended& e) {
    if constexpr (lanes_max > 1) {
      l.phase = phase::gone;
      e.branch = is_second(l) ? 1 : 0;
      lane& other = is_second(l) ? trunk() : lanes_[1];
      if (!other.is_under_way()) return join(l, now, e);
      if (!answered_ && l.aborted_by > fork_) {
        if (visit(trunk(), fork_, [&](auto& layer) { return layer.done(now, e); }) == step::stay)
          return step::stay;
        answered_ = true;
        answer_ = e;
      }
      other.aborted_by = std::min(other.aborted_by, fork_);
      return call_off(other, now, e);
    }
    return step::stay;
  }

  // Both are gone: the layer that has forked goes on, or what it has answered already.
  constexpr step join(lane const& last, instant now, ended& e) {
    lane& l = trunk();
    l.at = std::exchange(fork_, none);
    l.aborted_by = last.aborted_by;
    l.phase = phase::running;
    branch_ = 0;
    if constexpr (lanes_max > 1) lanes_[1].phase = phase::idle;
    if (!answered_) return travel(l, now, e, leave(l, now, e));
    if (l.aborted_by == l.at) l.aborted_by = none;
    answered_ = false;
    e = answer_;
    return travel(l, now, e, step::complete);
  }

  // Layer i no longer wants what is below it.
  constexpr step take_back(lane& l, index i, instant now, ended& e) {
    if (!has_forked() || i > fork_) {
      l.aborted_by = i;
      return call_off(l, now, e);
    }
    for (lane& branch : lanes_) branch.aborted_by = i;
    for (lane& branch : lanes_)
      if (branch.is_under_way() && branch.phase != phase::cancelling) return call_off(branch, now, e);
    return step::stay;
  }

  constexpr step call_off(lane& l, instant now, ended& e) {
    if (l.phase == phase::waiting) {
      abandon_layer(l, l.at, now);
      e = ended::called_off();
      return go_on(l, now, e, step::complete);
    }
    bool const already = l.phase == phase::cancelling;
    l.phase = phase::cancelling;
    return already ? step::stay : tell(step::abort_below, l);
  }

  // P2 where the driver reports a result before it has looked at the timers. The layers inside the one that
  // was due still learn how the operation really ended. It is too late for a fork.
  constexpr void call_off_what_came_too_late(lane& l, instant now, ended const& e) {
    ask_timers(trunk(), 0, is_second(l) ? fork_ + 1 : none, now, e);
    if (is_second(l)) ask_timers(l, fork_ + 1, none, now, e);
  }

  constexpr void ask_timers(lane& l, index from, index to, instant now, ended const& e) {
    for (index i = from; i < std::min(to, awake(l)); ++i) {
      if (deadline_of(l, i) >= now) continue;
      ended unused = e;
      step const s = visit(l, i, [&]<class L>(L& layer) {
        if constexpr (forking_layer<L>) return step::stay;
        return layer.wake(now, unused);
      });
      if (s != step::abort_below) continue;
      l.aborted_by = i;
      if (has_forked() && i <= fork_)
        for (lane& branch : lanes_) branch.aborted_by = i;
    }
  }

  constexpr instant deadline_of(lane const& l, index i) const {
    return layers_.visit(position(i + (is_second(l) ? size() - fork_ - 1 : 0)),
                         [](auto const& layer) { return layer.wake_at(); });
  }

  constexpr void abandon_layer(lane const& l, index i, instant now) {
    visit(l, i, [&](auto& layer) {
      layer.abandon(now);
      return step::complete;
    });
  }

  constexpr index first_of(lane const& l) const noexcept { return is_second(l) ? fork_ + 1 : 0; }

  // How many layers, counted from outside, have started and not ended.
  constexpr index started(lane const& l) const noexcept {
    if (l.phase == phase::waiting) return l.at + 1;
    if (l.phase == phase::gone && !is_second(l)) return fork_ + 1;
    return l.in_flight() ? l.bottom : 0;
  }

  // Of these, the ones whose timers count: not those inside a layer that has called them off, and none of an
  // orphan, which lives by its lease alone.
  constexpr index awake(lane const& l) const noexcept {
    return orphan_ ? 0 : std::min(started(l), l.aborted_by);
  }

  constexpr step wake_orphan(instant now) noexcept {
    if (trunk().phase != phase::running || now < below().lease) return step::stay;
    trunk().phase = phase::cancelling;
    return step::abort_below;
  }

  // The outermost layer whose permit is a probe's.
  constexpr index prober() const noexcept {
    index i = 0;
    while (!passed_[position(i) + 1].probe) ++i;
    return i;
  }

  struct nothing {};

  Layers layers_;
  // [i]: handed to layer i; [size()]: to the operation; the rest, of the second branch.
  std::array<attempt, Layers::capacity + lanes_max> passed_{};
  std::array<lane, lanes_max> lanes_{};
  index outermost_ = 0;  // an orphan begins with the layer that granted the probe
  index fork_ = none;    // the layer that has forked
  std::uint32_t begun_ = 0;
  duration waited_{};
  std::uint8_t branch_ = 0;
  bool orphan_ = false;
  bool answered_ = false;  // the layer that has forked has its answer, which waits for the other branch's end
  [[no_unique_address]] std::conditional_t<(lanes_max > 1), ended, nothing> answer_{};
};

}  // namespace halfopen
