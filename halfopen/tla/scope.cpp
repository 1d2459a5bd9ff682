#include <algorithm>

#include <halfopen/tla/scope.hpp>

namespace halfopen::tla {

void needs::add_slot(std::uint32_t slot) {
  auto const at = std::ranges::lower_bound(slots, slot);
  if (at == slots.end() || *at != slot) slots.insert(at, slot);
}

void needs::drop_slot(std::uint32_t slot) {
  auto const at = std::ranges::lower_bound(slots, slot);
  if (at != slots.end() && *at == slot) slots.erase(at);
}

void needs::add(needs const& other) {
  now |= other.now;
  next |= other.next;
  random |= other.random;
  anything |= other.anything;
  for (auto s : other.slots) add_slot(s);
}

scope scope::used_at(scope const& use) const {
  auto s = *this;
  s.slots = use.slots;
  s.primed = use.primed;
  s.init = use.init;
  s.enabled = use.enabled;
  s.world = use.world;
  return s;
}

scope scope::argument_at(scope const& use) const {
  auto s = *this;
  s.slots = use.slots;
  s.primed |= use.primed;
  s.init |= use.init;
  s.enabled |= use.enabled;
  s.world = use.world;
  return s;
}

}  // namespace halfopen::tla
