#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_config.hpp>
#include <halfopen/policy/breaker_event.hpp>

namespace halfopen {

/// The last `size` settled calls: a ring of two bits a call, and their sums.
///
/// Words: head, filled, failures, slow | a bit a call: failed | a bit a call: slow.
class call_window_view {
 public:
  constexpr call_window_view(std::uint32_t size, std::uint32_t* words) noexcept
      : size_{size}, words_{words} {}

  static constexpr std::uint32_t words_needed(std::uint32_t size) noexcept {
    return header + 2 * bit_words(size);
  }

  [[gnu::always_inline]] constexpr void record(bool failed, bool slow) noexcept {
    std::uint32_t const at = words_[head];
    if (words_[filled] == size_)
      forget(at);
    else
      ++words_[filled];
    put(failed_bits(), at, failed);
    put(slow_bits(), at, slow);
    words_[failures] += failed ? 1 : 0;
    words_[slow_calls] += slow ? 1 : 0;
    words_[head] = at + 1 == size_ ? 0 : at + 1;
  }

  [[nodiscard]] constexpr window_counts counts() const noexcept {
    return {words_[filled], words_[failures], words_[slow_calls]};
  }

  /// Full of fast successes: one more pushes out its like.
  [[nodiscard]] constexpr bool is_quiet() const noexcept {
    return words_[filled] == size_ && words_[failures] == 0 && words_[slow_calls] == 0;
  }

  /// Whether the i-th oldest call failed.
  [[nodiscard]] constexpr bool failed(std::uint32_t i) const noexcept {
    std::uint64_t const first = words_[filled] == size_ ? words_[head] : 0;
    return get(failed_bits(), static_cast<std::uint32_t>((first + i) % size_));
  }

 private:
  enum : std::uint32_t { head, filled, failures, slow_calls, header };

  static constexpr std::uint32_t bit_words(std::uint32_t size) noexcept { return (size + 31) / 32; }
  [[nodiscard]] constexpr std::uint32_t* failed_bits() const noexcept { return words_ + header; }
  [[nodiscard]] constexpr std::uint32_t* slow_bits() const noexcept {
    return words_ + header + bit_words(size_);
  }

  static constexpr bool get(std::uint32_t const* bits, std::uint32_t i) noexcept {
    return (bits[i / 32] >> (i % 32) & 1) != 0;
  }
  static constexpr void put(std::uint32_t* bits, std::uint32_t i, bool on) noexcept {
    std::uint32_t const mask = 1U << (i % 32);
    bits[i / 32] = on ? bits[i / 32] | mask : bits[i / 32] & ~mask;
  }
  constexpr void forget(std::uint32_t at) noexcept {
    words_[failures] -= get(failed_bits(), at) ? 1 : 0;
    words_[slow_calls] -= get(slow_bits(), at) ? 1 : 0;
  }

  std::uint32_t size_;
  std::uint32_t* words_;
};

/// The last `length` in equal buckets, aligned to multiples of a bucket's length; the newest is the one that
/// holds now. A call counts in the bucket in which it ends; what is older than `buckets` buckets is
/// forgotten, however long nobody called.
///
/// Words: end of the newest bucket (2) | its place | calls, failures, slow of all | the same three of the
/// newest bucket | and of each older one, at its place. The newest stands apart so that a call need not look
/// for it.
class time_window_view {
 public:
  constexpr time_window_view(duration length, std::uint32_t buckets, std::uint32_t* words) noexcept
      : length_{length}, buckets_{buckets}, words_{words} {}

  static constexpr std::uint32_t words_needed(std::uint32_t buckets) noexcept { return header + 3 * buckets; }

  [[gnu::always_inline]] constexpr void record(bool failed, bool slow, instant now) noexcept {
    if (!holds(now)) rotate(now);
    if (words_[calls] == std::numeric_limits<std::uint32_t>::max()) return;  // S8: never wrapped
    add(words_ + calls, failed, slow);
    add(words_ + newest, failed, slow);
  }

  /// Fast successes that were counted elsewhere while the newest bucket was the newest.
  constexpr void carry(std::uint32_t successes) noexcept {
    std::uint32_t const room =
        std::numeric_limits<std::uint32_t>::max() - words_[calls];  // S8: never wrapped
    std::uint32_t const more = std::min(successes, room);
    words_[calls] += more;
    words_[newest] += more;
  }

  /// Whether the newest bucket is the one that holds now: a record moves nothing on.
  [[nodiscard]] constexpr bool holds(instant now) const noexcept { return now < newest_end(); }

  [[nodiscard]] constexpr instant newest_end() const noexcept {
    return instant{duration{
        static_cast<std::int64_t>(std::uint64_t{words_[end_low]} | std::uint64_t{words_[end_high]} << 32)}};
  }

  [[nodiscard]] constexpr window_counts recorded() const noexcept {
    return {words_[calls], words_[calls + 1], words_[calls + 2]};
  }

  /// What the window holds at `now`, without moving it on.
  [[nodiscard]] constexpr window_counts counts(instant now) const noexcept {
    window_counts sum{words_[calls], words_[calls + 1], words_[calls + 2]};
    std::uint64_t const steps = steps_until(now);
    if (steps >= buckets_) return {};
    for (std::uint32_t i = 1; i <= steps; ++i) {
      std::uint32_t const* old = bucket((words_[place] + i) % buckets_);
      sum = {sum.calls - old[0], sum.failures - old[1], sum.slow - old[2]};
    }
    return sum;
  }

 private:
  enum : std::uint32_t { end_low, end_high, place, calls, newest = calls + 3, header = newest + 3 };

  [[nodiscard]] constexpr duration step() const noexcept {
    return duration{length_.count() / buckets_ + (length_.count() % buckets_ != 0 ? 1 : 0)};
  }

  constexpr void set_newest_end(instant end) noexcept {
    auto const bits = static_cast<std::uint64_t>(end.since_start().count());
    words_[end_low] = static_cast<std::uint32_t>(bits);
    words_[end_high] = static_cast<std::uint32_t>(bits >> 32);
  }

  [[nodiscard]] constexpr std::uint64_t steps_until(instant now) const noexcept {
    if (now < newest_end()) return 0;
    return static_cast<std::uint64_t>((now - newest_end()) / step()) + 1;
  }

  constexpr void rotate(instant now) noexcept {
    std::uint64_t const steps = steps_until(now);
    set_newest_end(newest_end() + scaled(step(), static_cast<std::int64_t>(steps)));
    if (steps >= buckets_) {
      for (std::uint32_t i = place; i < words_needed(buckets_); ++i) words_[i] = 0;
      return;
    }
    for (std::uint64_t i = 0; i < steps; ++i) drop_oldest();
  }

  constexpr void drop_oldest() noexcept {
    std::uint32_t* old = bucket(words_[place]);
    for (std::uint32_t i = 0; i < 3; ++i) old[i] = words_[newest + i];
    words_[place] = words_[place] + 1 == buckets_ ? 0 : words_[place] + 1;
    old = bucket(words_[place]);
    for (std::uint32_t i = 0; i < 3; ++i) {
      words_[calls + i] -= old[i];
      words_[newest + i] = 0;
    }
  }

  static constexpr void add(std::uint32_t* counts, bool failed, bool slow) noexcept {
    // No store that changes nothing: the next call's lock waits for each of them.
    counts[0] += 1;
    if (failed) counts[1] += 1;
    if (slow) counts[2] += 1;
  }
  [[nodiscard]] constexpr std::uint32_t* bucket(std::uint32_t i) const noexcept {
    return words_ + header + 3 * i;
  }

  duration length_;
  std::uint32_t buckets_;
  std::uint32_t* words_;
};

/// Any of the three, over memory that somebody else owns: a counter for `consecutive`, words for the others.
class breaker_window {
 public:
  constexpr breaker_window(window_config const& c, std::uint32_t& in_a_row, std::uint32_t* words) noexcept
      : config_{&c}, in_a_row_{&in_a_row}, words_{words} {}

  static constexpr std::uint32_t words_needed(window_config const& c) noexcept {
    switch (c.kind) {
      case window_kind::consecutive: return 0;
      case window_kind::calls: return call_window_view::words_needed(c.count);
      case window_kind::time: return time_window_view::words_needed(c.count);
    }
    return 0;
  }

  [[gnu::always_inline]] constexpr void record(bool failed, bool slow, instant now) noexcept {
    switch (config_->kind) {
      case window_kind::consecutive: *in_a_row_ = failed ? saturating_add(*in_a_row_, 1U) : 0; return;
      case window_kind::calls: return calls().record(failed, slow);
      case window_kind::time: return times().record(failed, slow, now);
    }
  }

  constexpr void clear() noexcept {
    *in_a_row_ = 0;
    for (std::uint32_t i = 0; i < words_needed(*config_); ++i) words_[i] = 0;
  }

  [[nodiscard]] constexpr window_counts counts(instant now) const noexcept {
    switch (config_->kind) {
      case window_kind::consecutive: return {*in_a_row_, *in_a_row_, 0};
      case window_kind::calls: return calls().counts();
      case window_kind::time: return times().counts(now);
    }
    return {};
  }

  /// A record now moves nothing on: no bucket has ended.
  [[nodiscard]] constexpr bool holds(instant now) const noexcept {
    return config_->kind != window_kind::time || times().holds(now);
  }

  /// What it holds right after a record().
  [[nodiscard]] constexpr window_counts recorded() const noexcept {
    switch (config_->kind) {
      case window_kind::consecutive: return {*in_a_row_, *in_a_row_, 0};
      case window_kind::calls: return calls().counts();
      case window_kind::time: return times().recorded();
    }
    return {};
  }

  /// A fast success would leave it as it is, whenever it comes.
  [[nodiscard]] constexpr bool is_quiet() const noexcept {
    switch (config_->kind) {
      case window_kind::consecutive: return *in_a_row_ == 0;
      case window_kind::calls: return calls().is_quiet();
      case window_kind::time: return false;  // every call counts in its own bucket
    }
    return false;
  }

  /// A fast success can do nothing but count in the newest bucket.
  [[nodiscard]] constexpr bool may_count_beside() const noexcept {
    if (config_->kind != window_kind::time) return false;
    window_counts const held = times().recorded();
    return (held.failures | held.slow) == 0;
  }

  [[nodiscard]] constexpr call_window_view calls() const noexcept { return {config_->count, words_}; }
  [[nodiscard]] constexpr time_window_view times() const noexcept {
    return {config_->length, config_->count, words_};
  }

 private:
  window_config const* config_;
  std::uint32_t* in_a_row_;
  std::uint32_t* words_;
};

/// What a counted result leads to. `why` is `created` where nothing trips.
struct breaker_verdict {
  window_counts counts{};
  breaker_cause why = breaker_cause::created;

  [[nodiscard]] constexpr bool trips() const noexcept { return why != breaker_cause::created; }
};

/// Whether these counts trip. At the threshold, not above it; compared without rounding.
[[nodiscard, gnu::always_inline]] constexpr breaker_verdict judge(window_counts counts,
                                                                  breaker_config const& c) noexcept {
  if (c.window.kind == window_kind::consecutive) {
    return {counts, counts.failures >= c.window.count ? breaker_cause::failures : breaker_cause::created};
  }
  if ((counts.failures | counts.slow) == 0)
    return {counts};  // no rate is reached by none; the usual case, and quick
  if (counts.calls < c.minimum_calls) return {counts};
  if (c.failure_rate.reached_by(counts.failures, counts.calls)) return {counts, breaker_cause::failures};
  if (c.slow_rate.value != 0 && c.slow_rate.reached_by(counts.slow, counts.calls)) {
    return {counts, breaker_cause::slow_calls};
  }
  return {counts};
}

/// Recording and deciding are this one step: apart, they lose a trip and double another.
[[nodiscard, gnu::always_inline]] constexpr breaker_verdict record(breaker_window& window,
                                                                   breaker_config const& c, bool failed,
                                                                   bool slow, instant now) noexcept {
  window.record(failed, slow, now);
  return judge(window.recorded(), c);
}

}  // namespace halfopen
