#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_event.hpp>

namespace halfopen {

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

}  // namespace halfopen
