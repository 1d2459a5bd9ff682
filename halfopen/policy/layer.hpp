#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <halfopen/base/error.hpp>
#include <halfopen/base/time.hpp>

namespace halfopen {

/// What a layer wants its driver to do next.
enum class step : std::uint8_t {
  descend,      // run what is below: for the first time, or again (a retry)
  stay,         // wait for done() or for wake_at()
  complete,     // this layer's answer is in `ended`
  abort_below,  // cancel what runs below; done() follows with `cancelled`, or with what came first
  divert,       // run rung `ended::rung` of this layer in place of what is below; never seen by a driver
  fork,         // run what is below once more, beside what runs; never seen by a driver
};

/// How a call, or one attempt of it, came out.
enum class result_class : std::uint8_t {
  success,
  failure,
  slow,       // a success, but slower than slow_after
  ignored,    // the caller's own mistake: says nothing about the health of what was called
  throttled,  // what was called asks for less (HTTP 429)
  refused,    // a policy here said no: nothing was sent
  cancelled,
};

/// Why a retry has left a failure as it is. Told outward, so that nobody tries again what has been tried
/// again already: each layer that does multiplies the load on what is failing.
enum class give_up : std::uint8_t {
  no,              // nothing of the kind has been said
  attempts_used,   // it was tried as often as the settings allow
  no_budget,       // the retry budget is exhausted
  no_time,         // the wait, or the least useful time after it, does not fit before the deadline
  not_repeatable,  // the call, or its result, is marked so
};

/// How often a call may be sent.
enum class repeat : std::uint8_t {
  never,    // once: a second time could do harm
  later,    // again after it has failed
  at_once,  // also while it is still under way: a hedge
};

/// One attempt, as it is handed inward. A layer may shrink the deadline and never grows it.
///
/// A probe's lease takes the place of an inner timeout's length, so `deadline` of a probe may lie further
/// away than that length, but never past the deadline of the whole call.
struct attempt {
  instant deadline = instant::max();
  instant lease = instant::max();  // of a probe: when its permit runs out; may lie past the deadline
  std::uint32_t number = 1;        // counts from 1 through all attempts of the call
  bool probe = false;              // this attempt decides over a half-open breaker
  enum repeat repeat = repeat::later;
  std::uint8_t rung = 0;         // > 0: not the operation, but this rung of a fallback
  std::uint8_t rung_of = 0;      // ... which stands at this position in the pipeline
  void const* budget = nullptr;  // the retry budget to which this call has added its share
};

/// What came back from below, on its way outward.
struct ended {
  result_class result = result_class::success;
  errc why{};  // meaningful for everything but success, slow and ignored; with a rung, why there is no better
  std::string_view who{};      // the layer that said so; empty = the thing that was called
  duration retry_after{};      // >= 0; zero where nothing is known
  std::uint32_t attempts = 0;  // how many attempts have reached the thing that was called
  give_up gave_up = give_up::no;
  std::uint8_t rung = 0;    // which rung of a fallback this is; 0 = the thing itself
  std::uint8_t branch = 0;  // which of two attempts that ran side by side this is: 1 = the hedge
  bool final = false;       // whoever saw the result says that another attempt is of no use, or harmful
  duration waited{};        // by the layers, between and before attempts

  /// Below was called off, by the caller or by a layer further out.
  static constexpr ended called_off() noexcept {
    return {.result = result_class::cancelled, .why = errc::cancelled};
  }
};

/// A policy's half of one call. It has no clock, waits for nothing and does no I/O: it answers, a driver
/// acts.
///
/// start   is called once per descent of the layer above. It may shrink the deadline. `complete` refuses.
/// done    tells how what was below ended; after a refusal from an inner layer, give back what start took.
///         `attempts`, `rung`, `branch` and `waited` are the stack's to fill in.
/// wake    is called at or after wake_at(); only while waiting itself may a layer answer more than `stay`
///         and `abort_below`, but for `fork`, which is answered while something runs below. After it, `done`
///         tells of each branch; while there is another one, its answer is `stay` or `complete`.
/// abandon the caller has gone, or an outer layer went another way: give everything back, exactly once.
///         Nothing but a new start follows.
/// The rules between layers (who is asked next, whose timer acts first) are layer_stack's alone.
template <class L>
concept layer = requires(L l, L const cl, instant now, attempt& a, ended& e) {
  { l.start(now, a, e) } -> std::same_as<step>;
  { l.done(now, e) } -> std::same_as<step>;
  { l.wake(now, e) } -> std::same_as<step>;
  { cl.wake_at() } -> std::same_as<instant>;  // instant::max() = never
  l.abandon(now);
};

/// A layer that may fork: it says so, for its pipeline keeps a second set of the layers inside it.
template <class L>
concept forking_layer = L::can_fork;

}  // namespace halfopen
