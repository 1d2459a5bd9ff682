#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <halfopen/base/percent.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/policy/backoff.hpp>

namespace halfopen {

/// Trips at so many failures in a row, 1..2^30. Any success, a slow one too, starts again from none.
struct consecutive {
  std::uint32_t failures = 5;
};

/// Trips by the rates over the last `size` settled calls, 1..2^20. Costs two bits a call.
///
/// call_window<100> names that window as a type, for basic_circuit_breaker.
template <std::uint32_t Size = 100>
struct call_window {
  std::uint32_t size = Size;
};

/// Trips by the rates over the last `length`, in 1..3600 equal buckets of at least 1 ms; sliding, with an
/// error of one bucket at most. Costs 12 bytes a bucket.
template <std::uint32_t Buckets = 10>
struct time_window {
  duration length = std::chrono::seconds{10};
  std::uint32_t buckets = Buckets;
};

enum class window_kind : std::uint8_t { consecutive, calls, time };

/// One of the three windows. Made from them; a closed sum without std::variant's compile time.
struct window_config {
  window_kind kind;
  std::uint32_t count;  // failures in a row, calls, or buckets
  duration length{};    // of a time window, else zero

  constexpr window_config(consecutive w) noexcept : kind{window_kind::consecutive}, count{w.failures} {}
  template <std::uint32_t Size>
  constexpr window_config(call_window<Size> w) noexcept : kind{window_kind::calls}, count{w.size} {}
  template <std::uint32_t Buckets>
  constexpr window_config(time_window<Buckets> w) noexcept
      : kind{window_kind::time}, count{w.buckets}, length{w.length} {}

  friend constexpr bool operator==(window_config const&, window_config const&) = default;
};

/// Where half-open goes when neutral results alone have used up its patience.
enum class neutral_exit : std::uint8_t { open, closed };

/// Everything that can be set on a circuit breaker. The defaults are safe; docs/breaker.md has the meaning.
///
/// validate() holds the ranges that are given here. Durations have nanoseconds, and are >= 0 where nothing
/// else is said.
struct breaker_config {
  // When closed trips.
  window_config window = time_window{};
  percent failure_rate{50};  // 1..100: trips at this share of the calls in the window; not for `consecutive`
  percent slow_rate{0};      // 0..100; 0 = slow calls do not trip
  duration slow_after = duration::max();  // >= 1 ns: a call that takes longer is slow; max() = none is
  std::uint32_t minimum_calls = 20;       // >= 1: in the window, before a rate means anything

  // How long open lasts.
  backoff open_for{};
  duration reset_after = std::chrono::seconds{60};  // closed this long: the next opening is a first one
  duration retry_after_max{0};                      // a Retry-After lengthens open up to this; 0 = not heeded
  duration forced_retry_after = std::chrono::seconds{30};  // what forced_open tells callers

  // How half-open decides.
  std::uint32_t probes = 1;              // 1..64: leases that are live at once
  std::uint32_t required_successes = 1;  // 1..255: closes at this one
  std::uint32_t neutral_max = 10;        // 1..65535: neutral results in one half-open before it gives up
  neutral_exit after_neutral = neutral_exit::open;
  bool slow_probe_fails = false;                             // a slow success of a probe opens again
  duration probe_timeout = std::chrono::seconds{5};          // >= 1 ms: the base lease of a probe
  duration max_probe_timeout = std::chrono::seconds{60};     // >= probe_timeout: no lease is longer
  bool lease_doubles = true;                                 // after an episode that ended by expiry
  bool lease_learns = true;                                  // from late successes of probes
  duration clock_resolution = std::chrono::milliseconds{1};  // >= 1 ns: a learnt lease is longer by this

  // After closing.
  duration ramp{0};       // a growing share is admitted for so long; 0 = everyone at once
  percent ramp_from{10};  // 1..100: the share at its beginning

  std::uint64_t seed = 0;         // of the jitter; give each breaker its own
  std::uint32_t events_max = 64;  // 1..65536: queued for the observer; more are counted and dropped

  friend constexpr bool operator==(breaker_config const&, breaker_config const&) = default;
};

// Limits that validate() enforces and the representation relies on.
inline constexpr std::uint32_t probes_limit = 64;
inline constexpr std::uint32_t successes_limit = 255;
inline constexpr std::uint32_t neutral_limit = 65535;
inline constexpr std::uint32_t call_window_limit = 1U << 20;
inline constexpr std::uint32_t buckets_limit = 3600;
inline constexpr std::uint32_t consecutive_limit = 1U << 30;
inline constexpr std::uint32_t events_limit = 1U << 16;

/// One thing that is wrong with a configuration, or odd about it.
struct config_problem {
  std::string field;  // as a config file names it: "open_for.initial"
  std::string what;   // "is 0s; must be at least 1ms"
  bool is_error = true;

  friend bool operator==(config_problem const&, config_problem const&) = default;
};

/// Every problem at once, errors and warnings, in the order of the fields. No error = the config can be used.
[[nodiscard]] std::vector<config_problem> validate(breaker_config const& config);

/// Whether any of them is an error.
[[nodiscard]] bool has_errors(std::vector<config_problem> const& problems) noexcept;

/// All problems in one text, a line each: "open_for.initial: is 0s; must be at least 1ms".
[[nodiscard]] std::string to_string(std::vector<config_problem> const& problems);

}  // namespace halfopen
