#pragma once

#include <cstdint>

#include <halfopen/base/time.hpp>
#include <halfopen/policy/breaker_event.hpp>
#include <halfopen/policy/breaker_word.hpp>
#include <halfopen/policy/runtime.hpp>

namespace halfopen {

struct lease;

/// Memory for what has no fixed size: leases, if there may be several, and the words of a window.
struct breaker_storage {
  lease* leases = nullptr;  // `slots` of them; not needed for one
  std::uint32_t slots = 1;
  std::uint32_t* words = nullptr;  // zeroed
};

/// A breaker's state: a fixed-size block without pointers, so that it can also lie in memory that processes
/// share.
///
/// A call window and a time window keep their counts in words right behind it; so do leases if there may be
/// several.
template <class Runtime>
struct breaker_block {
  template <class T>
  using atomic = typename Runtime::template atomic<T>;

  atomic<std::uint64_t> word{breaker_word{word_code::closed, 0, instant::max()}.bits()};
  atomic<std::int64_t> deadline{instant::max().since_start().count()};  // exact; see breaker_word
  atomic<std::int64_t> latest{0};  // the latest now that changed anything
  atomic<std::int64_t> since{
      0};  // when the state was entered; in half_open: when the oldest live probe was sent

  // Only under the lock.
  std::int64_t lease = 0;
  std::uint16_t openings = 0;
  std::uint16_t neutrals = 0;
  std::uint8_t successes = 0;
  std::uint8_t ramp_credit = 0;
  std::uint8_t would_trip = 0;
  breaker_cause cause = breaker_cause::created;
  std::uint32_t failures_in_a_row = 0;  // the whole of a `consecutive` window
  typename Runtime::mutex lock;
  [[no_unique_address]] typename Runtime::journal journal;
};

static_assert(sizeof(breaker_block<std_runtime>) <= 64);

}  // namespace halfopen
