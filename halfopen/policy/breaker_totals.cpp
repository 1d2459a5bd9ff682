#include <halfopen/policy/breaker_totals.hpp>

namespace halfopen {
namespace {

std::uint64_t sum_of(totals_cell const* cells, std::size_t n, tally t) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += cells[i].read(t);
  return sum;
}

}  // namespace

breaker_cells::breaker_cells(std::size_t n, totals_cell::writers w) : size_{n}, cells_{new totals_cell[n]} {
  for (std::size_t i = 0; i < n; ++i) cells_[i].set_writers(w);
}

breaker_cells breaker_cells::one() { return {1, totals_cell::writers::shared}; }
breaker_cells breaker_cells::each(std::size_t n) { return {n, totals_cell::writers::owned}; }

breaker_totals breaker_cells::sum() const noexcept {
  auto const all = [this](tally t) { return sum_of(cells_.get(), size_, t); };
  breaker_totals t;
  t.successes = all(tally::success);
  t.failures = all(tally::failure);
  t.ignored = all(tally::ignored);
  t.abandoned = all(tally::abandoned);
  t.late_successes = all(tally::late_success);
  t.late_failures = all(tally::late_failure);
  t.slow = all(tally::slow);
  t.refused_open = all(tally::refused_open);
  t.refused_probe_in_flight = all(tally::refused_probe_in_flight);
  t.refused_ramping = all(tally::refused_ramping);
  t.refused_forced_open = all(tally::refused_forced_open);
  t.admitted = all(tally::admitted);  // last: every settlement seen above has its admission in here
  return t;
}

}  // namespace halfopen
