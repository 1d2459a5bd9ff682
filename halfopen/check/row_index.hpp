#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <halfopen/check/row_arena.hpp>

namespace halfopen::check {

[[nodiscard]] std::uint64_t hash_of(row r) noexcept;

/// Finds a row in an arena. The exact row is the key, so two states are never taken for one.
///
/// New rows come in rounds: `begin_round`; each that `find` did not find is given to `add`, which tells
/// whether it is the first of its kind; when all are there, each first one gets its number with `settle`. The
/// table has many parts (by hash), so that several threads may add at once, each to parts of its own.
///
/// Threads: `find` from any while nobody adds; `make_room`, `add`: one a part; `settle`: one a slot.
/// Cost: beside the rows, 8 bytes a slot in parts that are between a quarter and half full.
class row_index {
 public:
  static constexpr std::uint32_t parts = 64;
  [[nodiscard]] static std::uint32_t part_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash) % parts;
  }

  explicit row_index(row_arena const& rows) : rows_{&rows} {}

  [[nodiscard]] state_id find(row r, std::uint64_t hash) const noexcept;  // no_state if it is not there
  /// Brings what `find` will look at nearer, in two steps that are best done for many rows in turn.
  void expect(std::uint64_t hash) const noexcept {
    auto const& p = parts_[part_of(hash)];
    __builtin_prefetch(&p.slots[tag_of(hash) & (p.slots.size() - 1)]);
  }
  void expect_row(std::uint64_t hash) const noexcept;

  struct added {
    std::uint32_t slot;
    bool fresh;
  };
  void begin_round() noexcept { known_ = static_cast<state_id>(rows_->size()); }
  void make_room(std::uint32_t part, std::size_t rows);  // in addition, this round
  added add(word const* r, std::uint64_t hash);          // `r` stays where it is until the round ends
  void settle(std::uint64_t hash, std::uint32_t slot, state_id id) noexcept {
    parts_[part_of(hash)].slots[slot].id = id;
  }
  void end_round();
  /// A row of the arena, outside of rounds; false if an equal one is known.
  bool know(row r, state_id id);
  [[nodiscard]] state_id id_at(std::uint64_t hash, std::uint32_t slot) const noexcept {
    return parts_[part_of(hash)].slots[slot].id;
  }

  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  struct slot {
    state_id id = no_state;
    std::uint32_t tag = 0;  // half of the hash: where the search starts, and what saves looking at most rows
  };
  struct part {
    std::vector<slot> slots = std::vector<slot>(16);
    std::size_t used = 0;
    std::vector<word const*> fresh{};  // of this round: number known_ + i until it is settled
  };

  [[nodiscard]] static std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> 32);
  }

  row_arena const* rows_;
  state_id known_ = 0;
  std::array<part, parts> parts_{};
};

}  // namespace halfopen::check
