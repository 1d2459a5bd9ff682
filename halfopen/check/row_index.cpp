#include <algorithm>

#include <halfopen/base/assert.hpp>
#include <halfopen/check/row_index.hpp>

namespace halfopen::check {

std::uint64_t hash_of(row r) noexcept {
  std::uint64_t h = 0x9E3779B97F4A7C15ULL;
  for (word w : r) {
    h = (h ^ w) * 0xBF58476D1CE4E5B9ULL;
    h ^= h >> 32;
  }
  h *= 0x94D049BB133111EBULL;
  return h ^ (h >> 29);
}

state_id row_index::find(row r, std::uint64_t hash) const noexcept {
  auto const& slots = parts_[part_of(hash)].slots;
  auto const mask = slots.size() - 1;
  for (auto i = tag_of(hash) & mask;; i = (i + 1) & mask) {
    auto const& s = slots[i];
    if (s.id == no_state) return no_state;
    if (s.tag == tag_of(hash) && std::ranges::equal((*rows_)[s.id], r)) return s.id;
  }
}

void row_index::expect_row(std::uint64_t hash) const noexcept {
  auto const& slots = parts_[part_of(hash)].slots;
  auto const mask = slots.size() - 1;
  for (auto i = tag_of(hash) & mask; slots[i].id != no_state; i = (i + 1) & mask) {
    if (slots[i].tag != tag_of(hash)) continue;
    __builtin_prefetch((*rows_)[slots[i].id].data());
    return;
  }
}

/// The tag alone tells where a slot belongs, so the rows are not looked at.
void row_index::make_room(std::uint32_t number, std::size_t rows) {
  auto& p = parts_[number];
  auto size = p.slots.size();
  while ((p.used + rows) * 2 > size) size *= 2;
  if (size == p.slots.size()) return;
  invariant(size <= std::size_t{1} << 32, "a slot's number fits into 32 bits");
  std::vector<slot> wider(size);
  for (auto const& s : p.slots) {
    if (s.id == no_state) continue;
    auto i = s.tag & (size - 1);
    while (wider[i].id != no_state) i = (i + 1) & (size - 1);
    wider[i] = s;
  }
  p.slots = std::move(wider);
}

row_index::added row_index::add(word const* r, std::uint64_t hash) {
  auto& p = parts_[part_of(hash)];
  auto const mask = p.slots.size() - 1;
  auto i = tag_of(hash) & mask;
  for (; p.slots[i].id != no_state; i = (i + 1) & mask) {
    auto const& s = p.slots[i];
    if (s.tag != tag_of(hash) || s.id < known_) continue;
    if (std::equal(r, r + rows_->width(), p.fresh[s.id - known_]))
      return {static_cast<std::uint32_t>(i), false};
  }
  auto const number = static_cast<state_id>(known_ + p.fresh.size());
  invariant(number < no_state, "a state's number fits into 32 bits");
  p.slots[i] = {number, tag_of(hash)};
  p.fresh.push_back(r);
  ++p.used;
  return {static_cast<std::uint32_t>(i), true};
}

bool row_index::know(row r, state_id id) {
  auto const hash = hash_of(r);
  if (find(r, hash) != no_state) return false;
  make_room(part_of(hash), 1);
  auto& p = parts_[part_of(hash)];
  auto const mask = p.slots.size() - 1;
  auto i = tag_of(hash) & mask;
  while (p.slots[i].id != no_state) i = (i + 1) & mask;
  p.slots[i] = {id, tag_of(hash)};
  ++p.used;
  return true;
}

void row_index::end_round() {
  for (auto& p : parts_) p.fresh.clear();
}

std::size_t row_index::bytes() const noexcept {
  std::size_t all = 0;
  for (auto const& p : parts_) all += p.slots.size() * sizeof(slot);
  return all;
}

}  // namespace halfopen::check
