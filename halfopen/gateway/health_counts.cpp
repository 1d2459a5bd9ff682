#include <algorithm>

#include <halfopen/base/saturating.hpp>
#include <halfopen/gateway/health_counts.hpp>

namespace halfopen::gateway {
namespace {

std::optional<double> share(std::uint64_t part, std::uint64_t whole) noexcept {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<wall_time> later(std::optional<wall_time> a, std::optional<wall_time> b) noexcept {
  return std::max(a, b);  // no date sorts before every date
}

}  // namespace

std::uint64_t health_counts::total_invocations() const noexcept { return saturating_add(success, failure); }

std::optional<double> health_counts::success_rate() const noexcept {
  return share(success, total_invocations());
}

std::optional<double> health_counts::failure_rate() const noexcept {
  return share(failure, total_invocations());
}

health_counts& health_counts::operator+=(health_counts const& other) noexcept {
  success = saturating_add(success, other.success);
  failure = saturating_add(failure, other.failure);
  ignored = saturating_add(ignored, other.ignored);
  abandoned = saturating_add(abandoned, other.abandoned);
  slow = saturating_add(slow, other.slow);
  late = saturating_add(late, other.late);
  rejected = saturating_add(rejected, other.rejected);
  last_success_at = later(last_success_at, other.last_success_at);
  last_failure_at = later(last_failure_at, other.last_failure_at);
  return *this;
}

void health_cell::success(instant now) noexcept {
  last_success_ns_.store(now.since_start().count(), std::memory_order_relaxed);
  add(success_);
}

void health_cell::failure(instant now) noexcept {
  last_failure_ns_.store(now.since_start().count(), std::memory_order_relaxed);
  add(failure_);
}

health_counts health_cell::read(wall_clock const& clock) const noexcept {
  auto const count_of = [](count const& c) { return c.load(std::memory_order_relaxed); };
  auto const date = [&](std::atomic<std::int64_t> const& ns) -> std::optional<wall_time> {
    auto const at = ns.load(std::memory_order_relaxed);
    if (at == never) return {};
    return clock.at(instant{duration{at}});
  };
  return {.success = count_of(success_),
          .failure = count_of(failure_),
          .ignored = count_of(ignored_),
          .abandoned = count_of(abandoned_),
          .slow = count_of(slow_),
          .late = count_of(late_),
          .rejected = count_of(rejected_),
          .last_success_at = date(last_success_ns_),
          .last_failure_at = date(last_failure_ns_)};
}

health_cell& health_board::add_cell(health_key const& key) {
  std::lock_guard const lock{mutex_};
  return entries_[key].cells.emplace_back();
}

void health_board::set_base(health_key const& key, health_counts const& counts) {
  std::lock_guard const lock{mutex_};
  entries_[key].base = counts;
}

std::vector<health_row> health_board::read() const {
  std::lock_guard const lock{mutex_};
  std::vector<health_row> rows;
  rows.reserve(entries_.size());
  for (auto const& [key, e] : entries_) rows.push_back({key, sum(e)});
  return rows;
}

health_counts health_board::read(health_key const& key) const {
  std::lock_guard const lock{mutex_};
  auto const found = entries_.find(key);
  return found == entries_.end() ? health_counts{} : sum(found->second);
}

health_counts health_board::sum(entry const& e) const {
  auto total = e.base;
  for (auto const& cell : e.cells) total += cell.read(clock_);
  return total;
}

}  // namespace halfopen::gateway
