#include <algorithm>
#include <bit>
#include <limits>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/timer_wheel.hpp>

namespace halfopen::net {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t tick_ns = timer_wheel::tick.count();

std::uint64_t tick_at_or_before(instant at) noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(at.since_start().count(), 0) / tick_ns);
}

std::uint64_t tick_at_or_after(instant at) noexcept {
  std::uint64_t const before = tick_at_or_before(at);
  return before + (at.since_start().count() > static_cast<std::int64_t>(before) * tick_ns ? 1 : 0);
}

}  // namespace

void timer::cancel() noexcept {
  if (wheel_ != nullptr) wheel_->remove(*this);
}

timer_wheel::timer_wheel(instant now) noexcept : current_{tick_at_or_before(now)} {}

timer_wheel::~timer_wheel() {
  for (auto& ring : slots_)
    for (auto& slot : ring)
      while (!slot.alone()) static_cast<timer*>(slot.next)->cancel();
}

void timer_wheel::arm(timer& t, instant due) noexcept {
  t.cancel();
  t.due_ = due;
  if (due.is_never()) return;
  t.wheel_ = this;
  t.tick_ = std::max(tick_at_or_after(due), current_ + 1);
  ++size_;
  place(t);
}

void timer_wheel::place(timer& t) noexcept {
  // What lies beyond the outermost ring waits in its last slot and is placed anew from there.
  constexpr std::uint64_t reach = (std::uint64_t{1} << (rings * bits)) - 1;
  std::uint64_t const delta = std::min(t.tick_ - current_, reach);
  unsigned const ring = delta == 0 ? 0 : static_cast<unsigned>(std::bit_width(delta) - 1) / bits;
  std::uint64_t const index = ((current_ + delta) >> (ring * bits)) & mask;
  t.slot_ = static_cast<std::uint16_t>((ring << bits) | index);
  t.insert_before(slots_[ring][index]);
  occupied_[ring] |= std::uint64_t{1} << index;
}

void timer_wheel::remove(timer& t) noexcept {
  t.unlink();
  t.wheel_ = nullptr;
  --size_;
  if (t.slot_ == timer::firing) return;
  unsigned const ring = t.slot_ >> bits;
  std::uint64_t const index = t.slot_ & mask;
  if (slots_[ring][index].alone()) occupied_[ring] &= ~(std::uint64_t{1} << index);
}

void timer_wheel::cascade(unsigned ring) noexcept {
  std::uint64_t const index = (current_ >> (ring * bits)) & mask;
  occupied_[ring] &= ~(std::uint64_t{1} << index);
  list_link moving;
  auto& slot = slots_[ring][index];
  if (slot.alone()) return;
  moving.insert_before(slot);
  slot.unlink();
  while (!moving.alone()) {
    auto& t = static_cast<timer&>(*moving.next);
    t.unlink();
    place(t);
  }
}

std::size_t timer_wheel::fire(instant now) {
  std::uint64_t const index = current_ & mask;
  auto& slot = slots_[0][index];
  occupied_[0] &= ~(std::uint64_t{1} << index);
  if (slot.alone()) return 0;
  list_link due;
  due.insert_before(slot);
  slot.unlink();
  for (auto* t = due.next; t != &due; t = t->next) static_cast<timer*>(t)->slot_ = timer::firing;
  std::size_t fired = 0;
  while (!due.alone()) {
    auto& t = static_cast<timer&>(*due.next);
    invariant(t.tick_ <= current_, "a timer fires at its tick or later");
    remove(t);
    ++fired;
    t.fired_(t, now);
  }
  return fired;
}

std::size_t timer_wheel::advance(instant now) {
  std::uint64_t const target = tick_at_or_before(now);
  std::size_t fired = 0;
  while (current_ < target) {
    std::uint64_t const next = next_tick();
    if (next > target) {
      current_ = target;
      break;
    }
    current_ = next;
    for (unsigned ring = rings - 1; ring > 0; --ring)
      if ((current_ & ((std::uint64_t{1} << (ring * bits)) - 1)) == 0) cascade(ring);
    fired += fire(now);
  }
  return fired;
}

std::uint64_t timer_wheel::next_tick() const noexcept {
  std::uint64_t earliest = never;
  for (unsigned ring = 0; ring < rings; ++ring) {
    if (occupied_[ring] == 0) continue;
    std::uint64_t const first = (current_ >> (ring * bits)) + 1;
    auto const turn = static_cast<int>(first & mask);
    auto const ahead = static_cast<std::uint64_t>(std::countr_zero(std::rotr(occupied_[ring], turn)));
    earliest = std::min(earliest, (first + ahead) << (ring * bits));
  }
  return earliest;
}

instant timer_wheel::next_wake() const noexcept {
  std::uint64_t const next = next_tick();
  constexpr auto latest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / tick_ns);
  if (next > latest) return instant::max();
  return instant{duration{static_cast<std::int64_t>(next) * tick_ns}};
}

}  // namespace halfopen::net
