#include <algorithm>

#include <halfopen/base/assert.hpp>
#include <halfopen/check/row_index.hpp>

namespace halfopen::check {

namespace {
std::uint32_t tag_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }
}  // namespace

std::uint64_t hash_of(row r) noexcept {
  std::uint64_t h = 0x9E3779B97F4A7C15ULL;
  for (word w : r) {
    h = (h ^ w) * 0xBF58476D1CE4E5B9ULL;
    h ^= h >> 32;
  }
  h *= 0x94D049BB133111EBULL;
  return h ^ (h >> 29);
}

row_index::row_index(row_arena& rows) : rows_{&rows}, slots_(1024) {}

std::size_t row_index::slot_of(row r, std::uint64_t hash) const noexcept {
  auto const mask = slots_.size() - 1;
  for (auto i = static_cast<std::size_t>(hash) & mask;; i = (i + 1) & mask) {
    auto const& s = slots_[i];
    if (s.id == no_state || (s.tag == tag_of(hash) && std::ranges::equal((*rows_)[s.id], r))) return i;
  }
}

row_index::found row_index::insert(row r) {
  auto const hash = hash_of(r);
  auto& s = slots_[slot_of(r, hash)];
  if (s.id != no_state) return {s.id, false};
  invariant(rows_->size() < no_state, "a state's number fits into 32 bits");
  auto const id = static_cast<state_id>(rows_->size());
  s = {id, tag_of(hash)};
  rows_->push(r);
  if (rows_->size() * 2 > slots_.size()) grow();
  return {id, true};
}

state_id row_index::find(row r) const noexcept { return slots_[slot_of(r, hash_of(r))].id; }

void row_index::grow() {
  slots_.assign(slots_.size() * 2, {});
  auto const mask = slots_.size() - 1;
  for (state_id id = 0; id < rows_->size(); ++id) {
    auto const hash = hash_of((*rows_)[id]);
    auto i = static_cast<std::size_t>(hash) & mask;
    while (slots_[i].id != no_state) i = (i + 1) & mask;
    slots_[i] = {id, tag_of(hash)};
  }
}

}  // namespace halfopen::check
