#pragma once

#include <halfopen/base/random.hpp>
#include <halfopen/policy/breaker_machine.hpp>

namespace halfopen {

/// A whole breaker as a value: what an explorer enumerates, compares and hashes.
///
/// Words:  at least breaker_window::words_needed(config.window).
/// Probes: at least config.probes.
/// Times are exact instants, so small whole numbers of nanoseconds make a small world. A step:
///   auto m = value.machine(config); auto answer = m.admit(now); for (auto const& e : m.story()) ...
template <std::uint32_t Words = 1, std::uint32_t Probes = 1>
struct breaker_value {
  breaker_control control{};
  lease leases[Probes]{};
  std::uint32_t failures_in_a_row = 0;
  std::uint32_t words[Words]{};

  constexpr breaker_value() = default;
  constexpr breaker_value(breaker_config const& config, instant now) noexcept { machine(config).start(now); }

  /// The machine over this value. Both must outlive it, and it makes one step.
  [[nodiscard]] constexpr breaker_machine machine(breaker_config const& config,
                                                  std::uint32_t epoch_mask = ~std::uint32_t{0}) noexcept {
    return {control, leases,    Probes, breaker_window{config.window, failures_in_a_row, words},
            config,  epoch_mask};
  }

  friend constexpr bool operator==(breaker_value const&, breaker_value const&) noexcept = default;
};

template <std::uint32_t Words, std::uint32_t Probes>
[[nodiscard]] constexpr std::uint64_t hash(breaker_value<Words, Probes> const& v) noexcept {
  std::uint64_t h = 0;
  auto const add = [&h](auto x) { h = mix(h, static_cast<std::uint64_t>(x)); };
  auto const add_time = [&add](instant at) { add(at.since_start().count()); };
  breaker_control const& c = v.control;
  add(c.state), add(c.cause), add(c.epoch), add(c.lease.count()), add(c.openings), add(c.neutrals);
  add(c.successes), add(c.ramp_credit), add(c.would_trip), add(v.failures_in_a_row);
  add_time(c.deadline), add_time(c.since), add_time(c.latest);
  for (lease const& l : v.leases) add_time(l.granted), add_time(l.end);
  for (std::uint32_t const w : v.words) add(w);
  return h;
}

// --- stories: claims that hold before anything runs

namespace stories {

inline constexpr breaker_config settings{
    .window = consecutive{.failures = 2},
    .open_for = {.initial = duration{10}, .multiplier = 2, .maximum = duration{40}, .jitter = jitter::none},
    .probe_timeout = duration{5},
    .max_probe_timeout = duration{20},
    .clock_resolution = duration{1}};

/// A breaker, a clock and the last answer: reads as a story.
struct teller {
  breaker_value<> breaker{settings, instant{}};
  instant now{};
  breaker_answer last{};

  constexpr teller& after(std::int64_t ns) { return now += duration{ns}, *this; }
  constexpr teller& call() { return last = breaker.machine(settings).admit(now), *this; }
  constexpr bool ends(outcome how) {
    return !breaker.machine(settings).settle(last.grant, {.how = how}, now);
  }
  constexpr teller& calls_that(outcome how) { return call().ends(how), *this; }
  constexpr bool is(breaker_state s) const { return breaker.control.state == s; }
};

// Trips, refuses until the deadline, probes once, and a success closes it.
static_assert(
    [] {
      teller t;
      t.calls_that(outcome::failure).calls_that(outcome::failure);
      if (!t.is(breaker_state::open) || t.after(9).call().last.admitted) return false;
      if (!t.after(1).call().last.admitted || !t.last.grant.is_probe()) return false;
      breaker_answer const probe = t.last;
      if (t.call().last.admitted || t.last.why != errc::probe_in_flight) return false;
      t.last = probe;
      return t.ends(outcome::success) && t.is(breaker_state::closed);
    }(),
    "the story of a trip and its probe");

// S2, S5: a reply from before the trip neither closes nor extends.
static_assert(
    [] {
      teller t;
      breaker_answer const early = t.call().last;
      t.calls_that(outcome::failure).calls_that(outcome::failure);
      breaker_value<> const before = t.breaker;
      t.last = early;
      return !t.ends(outcome::success) && !t.ends(outcome::failure) && t.breaker == before;
    }(),
    "the story of a late reply");

// L2: a probe that never reports is a failed one, as of its lease's end; the call that finds out is the next
// probe.
static_assert(
    [] {
      teller t;
      t.calls_that(outcome::failure).calls_that(outcome::failure).after(10).call();
      t.after(1000).call();
      return t.last.admitted && t.last.grant.is_probe() && t.last.grant.epoch == 4 &&
             t.breaker.control.openings == 2;
    }(),
    "the story of a lost probe");

}  // namespace stories
}  // namespace halfopen
