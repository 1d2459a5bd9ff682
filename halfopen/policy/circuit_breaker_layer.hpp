#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include <halfopen/policy/circuit_breaker.hpp>
#include <halfopen/policy/layer.hpp>

namespace halfopen {

/// A circuit breaker's half of one call: it holds the permit. The breaker outlives it.
///
/// Whatever happens below is settled as exactly one thing: success and slow as success (the breaker measures
/// by itself), failure and throttled as failure with their retry_after, ignored as ignored; refused and
/// cancelled abandon the permit, which is neutral and gives a probe's slot back.
class circuit_breaker_layer {
 public:
  explicit circuit_breaker_layer(circuit_breaker& breaker, totals_cell* cell = nullptr) noexcept
      : breaker_{&breaker}, cell_{cell} {}

  step start(instant now, attempt& a, ended& e) noexcept {
    auto asked = cell_ == nullptr ? breaker_->try_acquire(now) : breaker_->try_acquire(now, *cell_);
    if (!asked) {
      auto const& no = asked.error();
      e = {.result = result_class::refused, .why = no.why, .who = no.who, .retry_after = no.retry_after};
      return step::complete;
    }
    permit_.emplace(*std::move(asked));
    if (permit_->is_probe()) bound(a);
    return step::descend;
  }

  step done(instant now, ended& e) noexcept {
    settle(now, e);
    permit_.reset();
    return step::complete;
  }

  step wake(instant, ended&) noexcept { return step::stay; }
  [[nodiscard]] instant wake_at() const noexcept { return instant::max(); }

  void abandon(instant now) noexcept {
    std::move(*permit_).abandon(now);
    permit_.reset();
  }

 private:
  // The lease is the probe's attempt timeout: an inner timeout takes it in place of its own length.
  void bound(attempt& a) const noexcept {
    a.probe = true;
    a.lease = std::min(a.lease, permit_->deadline());
    a.deadline = std::min(a.deadline, permit_->deadline());
  }

  void settle(instant now, ended const& e) noexcept {
    permit p = *std::move(permit_);
    switch (e.result) {
      case result_class::success:
      case result_class::slow: return std::move(p).success(now);
      case result_class::failure:
      case result_class::throttled: return std::move(p).failure(now, e.retry_after);
      case result_class::ignored: return std::move(p).ignored(now);
      case result_class::refused:
      case result_class::cancelled: return std::move(p).abandon(now);
    }
  }

  circuit_breaker* breaker_;
  totals_cell* cell_;
  std::optional<permit> permit_;  // from start to done or abandon
};

/// A breaker in a pipeline is shared, always.
[[nodiscard]] inline circuit_breaker_layer make_layer(circuit_breaker& breaker) noexcept {
  return circuit_breaker_layer{breaker};
}

/// Picks what an attempt goes to, and with it the breaker that guards it: a host behind a tool.
///
/// Asked once for each attempt, in the middle of the descent. Outlives the call.
class breaker_choice {
 public:
  struct chosen {
    circuit_breaker* breaker;  // null: there is nothing to go to, and `why_not` says so
    totals_cell* cell = nullptr;
  };
  virtual chosen choose(instant now, attempt const& a, ended& why_not) = 0;

 protected:
  ~breaker_choice() = default;
};

/// The half of a call of a breaker that is chosen for each attempt.
class chosen_breaker_layer {
 public:
  explicit chosen_breaker_layer(breaker_choice& choice) noexcept : choice_{&choice} {}

  step start(instant now, attempt& a, ended& e) {
    auto const chosen = choice_->choose(now, a, e);
    if (chosen.breaker == nullptr) return step::complete;
    inner_.emplace(*chosen.breaker, chosen.cell);
    return inner_->start(now, a, e);
  }
  step done(instant now, ended& e) noexcept { return inner_->done(now, e); }
  step wake(instant, ended&) noexcept { return step::stay; }
  [[nodiscard]] instant wake_at() const noexcept { return instant::max(); }
  void abandon(instant now) noexcept { inner_->abandon(now); }

 private:
  breaker_choice* choice_;
  std::optional<circuit_breaker_layer> inner_;
};

static_assert(layer<circuit_breaker_layer> && layer<chosen_breaker_layer>);

}  // namespace halfopen
