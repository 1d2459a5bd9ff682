#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <halfopen/check/row_arena.hpp>

namespace halfopen::check {

[[nodiscard]] std::uint64_t hash_of(row r) noexcept;

/// Finds a row in an arena. The exact row is the key, so two states are never taken for one.
///
/// Cost: beside the rows, 8 bytes a slot in a table that is between a quarter and half full.
class row_index {
 public:
  struct found {
    state_id id;
    bool fresh;
  };

  explicit row_index(row_arena& rows);

  found insert(row r);                                // appends a new row to the arena
  [[nodiscard]] state_id find(row r) const noexcept;  // no_state if it is not there
  [[nodiscard]] std::size_t bytes() const noexcept { return slots_.size() * sizeof(slot); }

 private:
  struct slot {
    state_id id = no_state;
    std::uint32_t tag = 0;  // half of the hash: saves looking at most rows that differ
  };

  [[nodiscard]] std::size_t slot_of(row r, std::uint64_t hash) const noexcept;
  void grow();

  row_arena* rows_;
  std::vector<slot> slots_;
};

}  // namespace halfopen::check
