#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <halfopen/base/error.hpp>
#include <halfopen/policy/breaker_answer.hpp>

namespace halfopen {

/// Everything that was ever admitted, refused and settled. Exact when nobody is inside a method.
///
/// admitted = settled() + in flight. A late result counts as late and as nothing else.
struct breaker_totals {
  std::uint64_t admitted = 0;
  std::uint64_t successes = 0;
  std::uint64_t failures = 0;
  std::uint64_t ignored = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t late_successes = 0;
  std::uint64_t late_failures = 0;
  std::uint64_t slow = 0;  // of the successes and failures above
  std::uint64_t refused_open = 0;
  std::uint64_t refused_probe_in_flight = 0;
  std::uint64_t refused_ramping = 0;
  std::uint64_t refused_forced_open = 0;

  [[nodiscard]] constexpr std::uint64_t settled() const noexcept {
    return successes + failures + ignored + abandoned + late_successes + late_failures;
  }
  [[nodiscard]] constexpr std::uint64_t in_flight() const noexcept { return admitted - settled(); }
  [[nodiscard]] constexpr std::uint64_t refused() const noexcept {
    return refused_open + refused_probe_in_flight + refused_ramping + refused_forced_open;
  }
  friend constexpr bool operator==(breaker_totals const&, breaker_totals const&) noexcept = default;
};

/// What a cell counts; one slot each.
enum class tally : std::uint8_t {
  admitted,
  success,
  failure,
  ignored,
  abandoned,
  late_success,
  late_failure,
  slow,
  refused_open,
  refused_probe_in_flight,
  refused_ramping,
  refused_forced_open,
};
inline constexpr std::size_t tally_kinds = 12;

/// The one count that an answer adds to.
[[nodiscard]] constexpr tally tally_of(breaker_answer const& a) noexcept {
  if (a.admitted) return tally::admitted;
  switch (a.why) {
    case errc::probe_in_flight: return tally::refused_probe_in_flight;
    case errc::ramping: return tally::refused_ramping;
    case errc::forced_open: return tally::refused_forced_open;
    default: return tally::refused_open;  // a breaker has no other reason
  }
}

/// The one count that a settlement adds to, beside `slow`.
[[nodiscard]] constexpr tally tally_of(outcome how, bool late) noexcept {
  switch (how) {
    case outcome::success: return late ? tally::late_success : tally::success;
    case outcome::failure: return late ? tally::late_failure : tally::failure;
    case outcome::ignored: return tally::ignored;
    case outcome::abandoned: return tally::abandoned;
  }
  return tally::abandoned;
}

/// A place to count, on cache lines of its own.
///
/// Threads: `shared` = any; `owned` = one writer (a thread or a loop), any readers, and no locked
/// instruction.
class alignas(64) totals_cell {
 public:
  enum class writers : bool { owned, shared };

  /// Before anybody counts.
  void set_writers(writers w) noexcept { shared_ = w == writers::shared; }

  void count(tally t) noexcept {
    auto& slot = counts_[static_cast<std::size_t>(t)];
    // Release: who has seen a settlement has seen the admission before it (sum() relies on it).
    if (shared_)
      slot.fetch_add(1, std::memory_order_release);
    else
      slot.store(slot.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  [[nodiscard]] std::uint64_t read(tally t) const noexcept {
    return counts_[static_cast<std::size_t>(t)].load(std::memory_order_acquire);
  }

 private:
  std::atomic<std::uint64_t> counts_[tally_kinds]{};
  bool shared_ = true;
};

/// The cells of one breaker, as many as its owner chose.
///
/// one()     a single cell that every thread counts in;
/// each(n)   n cells, one for each thread or loop, which names its cell in try_acquire(now, cell).
class breaker_cells {
 public:
  [[nodiscard]] static breaker_cells one();
  [[nodiscard]] static breaker_cells each(std::size_t n);

  [[nodiscard]] totals_cell& operator[](std::size_t i) noexcept { return cells_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The sum of all cells: settlements first, then admissions, so that in_flight() is never negative.
  [[nodiscard]] breaker_totals sum() const noexcept;

 private:
  breaker_cells(std::size_t n, totals_cell::writers w);

  std::size_t size_;
  std::unique_ptr<totals_cell[]> cells_;
};

}  // namespace halfopen
