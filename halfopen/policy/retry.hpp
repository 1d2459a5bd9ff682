#pragma once

#include <string_view>
#include <utility>

#include <halfopen/policy/checked_config.hpp>
#include <halfopen/policy/retry_budget.hpp>
#include <halfopen/policy/retry_machine.hpp>

namespace halfopen {

template <class Runtime>
class basic_retry;

/// A retry's half of one call. The policy outlives it.
///
///     done ─▶ decide (retry_machine.hpp) ─▶ charge the budget ─▶ stay ─▶ wake ─▶ descend ─▶ done ─▶ ...
///                  no: complete; `gave_up` says why      no budget: complete
template <class Runtime>
class basic_retry_layer {
 public:
  explicit basic_retry_layer(basic_retry<Runtime>& policy) noexcept : policy_{&policy} {}

  step start(instant now, attempt& a, ended&) noexcept {
    state_ = {.first = now, .deadline = a.deadline, .repeat = a.repeat};
    sent_ = a.number - 1;
    policy_->on_call(a);
    return step::descend;
  }

  step done(instant now, ended& e) {
    settle(e.attempts > sent_);
    sent_ = e.attempts;
    if (state_.retries == 0 && e.result == result_class::success && !policy_->judges_success())
      return step::complete;
    if (state_.retries == 0) seed_ = policy_->draw();
    auto const answer = decide(state_, policy_->config(), e, now, seed_);
    if (answer.why_not != give_up::no) e.gave_up = answer.why_not;
    if (!answer.again) return step::complete;
    if (!policy_->charge(charge_, now)) {
      e.gave_up = give_up::no_budget;
      return step::complete;
    }
    ++state_.retries;
    if (answer.wait == duration::zero()) return step::descend;
    alarm_ = now + answer.wait;
    return step::stay;
  }

  step wake(instant now, ended&) noexcept {
    if (now < alarm_) return step::stay;
    alarm_ = instant::max();
    return step::descend;
  }

  [[nodiscard]] instant wake_at() const noexcept { return alarm_; }

  void abandon(instant) noexcept {
    settle(alarm_.is_never());
    alarm_ = instant::max();
  }

 private:
  void settle(bool was_sent) noexcept { was_sent ? charge_.end() : charge_.give_back(); }

  basic_retry<Runtime>* policy_;
  basic_retry_charge<Runtime> charge_;  // of the retry that waits or runs
  retry_state state_;
  std::uint64_t seed_ = 0;
  instant alarm_ = instant::max();
  std::uint32_t sent_ = 0;  // attempts of the call when this layer last knew
};

/// Tries again what has failed, after a back-off, within its budget and before the deadline.
///
///     retry_budget budget{{.ratio = 20_percent}};                       // shared by any number of pipelines
///     pipeline p{timeout{800ms}, retry{{.attempts_max = 3, .backoff = 50ms}, budget}, breaker,
///     timeout{250ms}};
///
/// It belongs inside the timeout of the whole call and outside the breaker, which then counts every attempt.
/// A retry that is not made says why in `ended::gave_up`, and no retry further out makes up for it.
///
/// Threads: any number of calls at once. The budget outlives it. Without a budget retries are unbounded but
///          for `attempts_max`: in an outage they multiply the load.
/// Source:  docs/pipelines.md; specs/retry_storm.
template <class Runtime>
class basic_retry {
 public:
  using budget_type = basic_retry_budget<Runtime>;

  /// Throws std::invalid_argument with every problem, a line each.
  explicit basic_retry(retry_config const& config, std::string_view name = "retry")
      : config_{checked(config)}, name_{name} {}
  basic_retry(retry_config const& config, budget_type& budget, std::string_view name = "retry")
      : config_{checked(config)}, budget_{&budget}, name_{name} {}

  /// Only before it is used.
  basic_retry(basic_retry&& other) noexcept
      : config_{other.config_},
        budget_{other.budget_},
        name_{other.name_},
        calls_{other.calls_.load(std::memory_order_relaxed)} {}

  [[nodiscard]] basic_retry_layer<Runtime> make_layer() noexcept { return basic_retry_layer<Runtime>{*this}; }
  [[nodiscard]] retry_config const& config() const noexcept { return config_; }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] budget_type* budget() const noexcept { return budget_; }

 private:
  friend basic_retry_layer<Runtime>;

  void on_call(attempt& a) noexcept {
    if (budget_ != nullptr) budget_->on_call(a);
  }
  [[nodiscard]] bool judges_success() const noexcept { return config_.retry_if != nullptr; }

  // Each call that fails draws its jitter from a seed of its own.
  std::uint64_t draw() noexcept { return mix(config_.seed, calls_.fetch_add(1, std::memory_order_relaxed)); }

  bool charge(basic_retry_charge<Runtime>& into, instant now) noexcept {
    if (budget_ == nullptr) return true;
    into = budget_->charge(now);
    return static_cast<bool>(into);
  }

  retry_config config_;
  budget_type* budget_ = nullptr;
  std::string_view name_;  // outlives the retry
  typename Runtime::template atomic<std::uint64_t> calls_{0};
};

using retry_layer = basic_retry_layer<std_runtime>;
using retry = basic_retry<std_runtime>;

static_assert(layer<retry_layer>);

}  // namespace halfopen
