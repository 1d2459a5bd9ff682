#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include <halfopen/policy/checked_config.hpp>
#include <halfopen/policy/hedge_config.hpp>
#include <halfopen/policy/latency_quantile.hpp>
#include <halfopen/policy/retry_budget.hpp>

namespace halfopen {

template <class Runtime>
class basic_hedge;

/// A hedge's half of one call. The policy outlives it.
///
///     start ─▶ wake: charge the budget ─▶ fork ─▶ done: good ─▶ complete, and the other is called off
///                    no budget: stay, as if there were no hedge       bad: stay for the other one
///                                             both bad ─▶ complete: the first end, or what came of it
template <class Runtime>
class basic_hedge_layer {
 public:
  static constexpr bool can_fork = true;

  explicit basic_hedge_layer(basic_hedge<Runtime>& policy) noexcept : policy_{&policy} {}

  step start(instant now, attempt& a, ended&) noexcept {
    policy_->on_call(a);
    started_ = now;
    forked_ = has_first_ = false;
    bool const may = a.repeat == repeat::at_once && !a.probe;
    instant const due = may ? now + policy_->after() : instant::max();
    alarm_ = due < a.deadline ? due : instant::max();
    return step::descend;
  }

  step done(instant now, ended& e) noexcept {
    alarm_ = instant::max();
    if (e.branch == 1) e.result == result_class::refused ? charge_.give_back() : charge_.end();
    if (is_good(e)) policy_->observe(now - started_);
    if (forked_ && !is_answer(e)) {
      if (!std::exchange(has_first_, true)) {
        first_ = e;
        return step::stay;
      }
      if (says_less(e, first_)) {
        first_.attempts = e.attempts;
        e = first_;
      }
    }
    charge_.end();
    return step::complete;
  }

  step wake(instant now, ended&) noexcept {
    if (now < alarm_) return step::stay;
    alarm_ = instant::max();
    charge_ = policy_->charge(now);
    if (!charge_) return step::stay;
    forked_ = true;
    return step::fork;
  }

  [[nodiscard]] instant wake_at() const noexcept { return alarm_; }

  void abandon(instant) noexcept {
    charge_.end();
    alarm_ = instant::max();
  }

 private:
  static bool is_good(ended const& e) noexcept {
    return e.result == result_class::success || e.result == result_class::slow;
  }
  // What the other attempt would say as well.
  static bool is_answer(ended const& e) noexcept {
    return is_good(e) || e.result == result_class::ignored || e.final;
  }
  // A refusal of the second attempt tells nothing about how the call has failed.
  static bool says_less(ended const& e, ended const& than) noexcept {
    auto const from_here = [](result_class r) {
      return r == result_class::refused || r == result_class::cancelled;
    };
    return from_here(e.result) && !from_here(than.result);
  }

  basic_hedge<Runtime>* policy_;
  basic_retry_charge<Runtime> charge_;  // of the second attempt, while it is under way
  instant started_{};
  instant alarm_ = instant::max();
  ended first_{};  // how the first of two has ended, while the other is under way
  bool forked_ = false;
  bool has_first_ = false;
};

/// Begins a second attempt beside one that takes long, and takes the first good answer; the other attempt is
/// called off, and what it took is given back.
///
///     pipeline p{timeout{800ms}, hedge{{.after = 50ms}, budget}, breaker, timeout{250ms}};
///
/// Only for calls that may run twice at once (repeat::at_once), never for a breaker's probe, and only within
/// the budget, which retries share: a hedge that is refused leaves the first attempt as it is. A failure
/// before the delay is over is no reason for a hedge: that is a retry's part.
///
/// Needs a driver that can run two operations at once; under the blocking `call` no hedge begins while an
/// operation runs.
/// Threads: any number of calls at once. The budget outlives it.
template <class Runtime>
class basic_hedge {
 public:
  using budget_type = basic_retry_budget<Runtime>;

  /// Throws std::invalid_argument with every problem, a line each.
  basic_hedge(hedge_config const& config, budget_type& budget, std::string_view name = "hedge")
      : config_{checked(config)}, budget_{&budget}, name_{name} {
    if (config.observed.value > 0)
      observed_ = std::make_unique<basic_latency_quantile<Runtime>>(config.observed);
  }

  [[nodiscard]] basic_hedge_layer<Runtime> make_layer() noexcept { return basic_hedge_layer<Runtime>{*this}; }
  [[nodiscard]] hedge_config const& config() const noexcept { return config_; }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }

  /// How long an attempt is given now before a second one begins.
  [[nodiscard]] duration after() const noexcept {
    if (observed_ == nullptr) return config_.after;
    auto const seen = observed_->value(config_.samples_min);
    return seen == duration{} ? config_.after : std::clamp(seen, config_.after_min, config_.after_max);
  }

 private:
  friend basic_hedge_layer<Runtime>;

  void on_call(attempt& a) noexcept { budget_->on_call(a); }
  [[nodiscard]] basic_retry_charge<Runtime> charge(instant now) noexcept { return budget_->charge(now); }
  void observe(duration took) noexcept {
    if (observed_ != nullptr) observed_->record(took);
  }

  hedge_config config_;
  budget_type* budget_;
  std::string_view name_;  // outlives the hedge
  std::unique_ptr<basic_latency_quantile<Runtime>> observed_;
};

using hedge_layer = basic_hedge_layer<std_runtime>;
using hedge = basic_hedge<std_runtime>;

static_assert(layer<hedge_layer> && forking_layer<hedge_layer>);

}  // namespace halfopen
