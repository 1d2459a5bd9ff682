#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

#include <halfopen/base/expected.hpp>
#include <halfopen/policy/checked_config.hpp>
#include <halfopen/policy/layer.hpp>
#include <halfopen/policy/rate_limiter_machine.hpp>
#include <halfopen/policy/runtime.hpp>

namespace halfopen {

template <class Runtime>
class basic_rate_limiter;

/// Tokens that were granted. Used, unless it is given back: dropping it does nothing.
struct rate_grant {
  instant ready{};  // the call may begin; not before the time at which it was asked for
  std::int64_t before = 0;
  std::int64_t after = 0;  // == before: nothing to give back

  friend constexpr bool operator==(rate_grant const&, rate_grant const&) = default;
};

struct rate_refusal {
  duration retry_after{};  // > 0; when so much would be there if nobody else came; max where it never is
};

struct rate_limiter_snapshot {
  std::uint32_t available = 0;  // calls that could begin at once
  std::uint64_t refused = 0;
};

/// A rate limiter's half of one call. The policy outlives it.
///
///     start ─▶ token now: descend        token within wait_max and the deadline: stay ─▶ wake ─▶ descend
///              else: refused, with retry_after                        called off: given back
///     done  ─▶ nothing was sent: given back          throttled: drained
template <class Runtime>
class basic_rate_limiter_layer {
 public:
  explicit basic_rate_limiter_layer(basic_rate_limiter<Runtime>& policy) noexcept : policy_{&policy} {}

  step start(instant now, attempt& a, ended& e) noexcept {
    sent_ = a.number - 1;
    auto const got = policy_->reserve(now, a.deadline);
    if (!got) {
      e = {.result = result_class::refused,
           .why = errc::rate_limited,
           .who = policy_->name(),
           .retry_after = got.error().retry_after};
      return step::complete;
    }
    grant_ = *got;
    if (grant_.ready <= now) return step::descend;
    alarm_ = grant_.ready;
    return step::stay;
  }

  step done(instant now, ended& e) noexcept {
    if (e.attempts == sent_) policy_->give_back(grant_);
    if (e.result == result_class::throttled) policy_->drain(now, e.retry_after);
    return step::complete;
  }

  step wake(instant now, ended&) noexcept {
    if (now < alarm_) return step::stay;
    alarm_ = instant::max();
    return step::descend;
  }

  [[nodiscard]] instant wake_at() const noexcept { return alarm_; }

  void abandon(instant) noexcept {
    if (!alarm_.is_never()) policy_->give_back(grant_);
    alarm_ = instant::max();
  }

 private:
  basic_rate_limiter<Runtime>* policy_;
  rate_grant grant_;
  instant alarm_ = instant::max();
  std::uint32_t sent_ = 0;  // attempts of the call before this one
};

/// Lets so many calls begin in a stretch of time, and no more, however many threads ask and whatever their
/// clocks.
///
///     rate_limiter limit{{.calls = 100, .per = 1s, .burst = 10, .wait_max = 200ms}};  // shared by name
///     pipeline p{timeout{800ms}, retry{{}, budget}, breaker, limit};
///
/// Calls that wait do so in the order in which they asked, each until a time of its own; a wait beyond
/// wait_max or the deadline is refused at once. A reply that asks for less (result_class::throttled) drains
/// it for retry_after.
///
/// Threads: any, all members; lock-free.
/// Cost:    a grant: one load and one compare-and-swap; a refusal: one load and one count. 64 bytes.
/// Source:  rate_limiter_machine.hpp, which decides; here are only the words that threads share.
template <class Runtime>
class basic_rate_limiter {
  template <class T>
  using atomic = typename Runtime::template atomic<T>;

 public:
  /// Throws std::invalid_argument with every problem, a line each.
  explicit basic_rate_limiter(rate_limiter_config const& config, std::string_view name = "rate_limiter")
      : name_{name} {
    store(checked(config));
  }

  basic_rate_limiter(basic_rate_limiter const&) = delete;
  basic_rate_limiter& operator=(basic_rate_limiter const&) = delete;

  /// Tokens that are there now.
  [[nodiscard]] expected<rate_grant, rate_refusal> try_acquire(instant now, std::uint32_t n = 1) noexcept {
    return take(n, now, rate_limit::units(now));
  }

  /// Tokens that are there now or within wait_max, and before the deadline. The caller waits until `ready`.
  [[nodiscard]] expected<rate_grant, rate_refusal> reserve(instant now, instant deadline = instant::max(),
                                                           std::uint32_t n = 1) noexcept {
    std::int64_t const from = rate_limit::units(now);
    std::int64_t const latest = from + wait_.load(std::memory_order_relaxed);
    // What would begin at the deadline itself is of no use; what begins at once does not wait for it.
    std::int64_t const before_deadline = rate_limit::units(deadline) - 1;
    return take(n, now, std::max(from, std::min(latest, before_deadline)));
  }

  /// The call was never sent. Returns whether the tokens are back: only those of the latest grant can be.
  bool give_back(rate_grant const& g) noexcept {
    if (g.after == g.before) return false;
    return update([&g](rate_state& s) { return s.give_back(g.before, g.after); });
  }

  /// A server has asked for less: nothing for so long (at most drain_max), then the rate without a burst.
  void drain(instant now, duration retry_after) noexcept {
    std::int64_t const most = drain_.load(std::memory_order_relaxed);
    if (most == 0) return;
    std::int64_t const from = rate_limit::units(now);
    std::int64_t const wait = std::clamp<std::int64_t>(rate_limit::units(retry_after), 0, most);
    auto const l = limit();
    (void)update([&](rate_state& s) {
      s.drain(l, from, from + wait);
      return true;
    });
  }

  /// New settings; how many calls have been taken ahead of the clock stays. Who waits keeps its time. Throws
  /// as the constructor does, and then changes nothing.
  void reconfigure(rate_limiter_config const& c, instant now) {
    auto const to = rate_limit::of(checked(c));
    auto const from = limit();
    store(c);
    (void)update([&](rate_state& s) {
      s.rescale(from, to, rate_limit::units(now));
      return true;
    });
  }

  [[nodiscard]] rate_limiter_snapshot snapshot(instant now) const noexcept {
    rate_state const s{due_.load(std::memory_order_acquire)};
    return {static_cast<std::uint32_t>(s.available(limit(), rate_limit::units(now))),
            refused_.load(std::memory_order_relaxed)};
  }

  [[nodiscard]] basic_rate_limiter_layer<Runtime> make_layer() noexcept {
    return basic_rate_limiter_layer<Runtime>{*this};
  }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }

 private:
  // Settings that change while it is asked: each word is one of a whole set, and any mixture is bounded by
  // both.
  [[nodiscard]] rate_limit limit() const noexcept {
    return rate_limit::of(interval_.load(std::memory_order_relaxed), burst_.load(std::memory_order_relaxed));
  }

  void store(rate_limiter_config const& c) noexcept {
    interval_.store(rate_limit::of(c).interval, std::memory_order_relaxed);
    burst_.store(c.burst, std::memory_order_relaxed);
    wait_.store(rate_limit::units(c.wait_max), std::memory_order_relaxed);
    drain_.store(rate_limit::units(c.drain_max), std::memory_order_relaxed);
  }

  expected<rate_grant, rate_refusal> take(std::uint32_t n, instant now, std::int64_t latest) noexcept {
    auto const l = limit();
    std::int64_t const from = rate_limit::units(now);
    rate_answer answer;
    std::int64_t after = 0;
    bool const granted = update([&](rate_state& s) {
      answer = s.take(l, n, from, latest);
      after = s.due;
      return answer.granted;
    });
    if (!granted) return unexpected<rate_refusal>{refuse(answer.ready, from)};
    instant const ready = answer.ready <= from ? now : instant{rate_limit::time(answer.ready)};
    return rate_grant{ready, after - std::int64_t{n} * l.interval, after};
  }

  rate_refusal refuse(std::int64_t ready, std::int64_t now) noexcept {
    refused_.fetch_add(1, std::memory_order_relaxed);
    if (ready == rate_limit::end_of_time) return {duration::max()};
    return {rate_limit::time(ready - now)};
  }

  // One step of the machine; what changes nothing writes nothing. Returns what the step says.
  template <class Step>
  bool update(Step one) noexcept {
    std::int64_t before = due_.load(std::memory_order_relaxed);
    for (;;) {
      rate_state s{before};
      if (!one(s)) return false;
      if (s.due == before) return true;
      if (due_.compare_exchange_weak(before, s.due, std::memory_order_acq_rel, std::memory_order_relaxed)) {
        Runtime::observe(static_cast<std::uint64_t>(before), static_cast<std::uint64_t>(s.due));
        return true;
      }
    }
  }

  atomic<std::int64_t> due_{rate_state{}.due};
  atomic<std::int64_t> interval_{0};
  atomic<std::int64_t> wait_{0};
  atomic<std::int64_t> drain_{0};
  atomic<std::uint32_t> burst_{1};
  atomic<std::uint64_t> refused_{0};
  std::string_view name_;  // outlives it
};

using rate_limiter_layer = basic_rate_limiter_layer<std_runtime>;
using rate_limiter = basic_rate_limiter<std_runtime>;

static_assert(layer<rate_limiter_layer>);

}  // namespace halfopen
