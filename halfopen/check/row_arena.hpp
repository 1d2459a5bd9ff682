#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <halfopen/check/model.hpp>

namespace halfopen::check {

/// Rows of one width, by number, at addresses that never move.
///
/// Threads: rows may be read and different ones written from any; `grow` while nobody else is inside.
class row_arena {
 public:
  explicit row_arena(std::size_t width) : width_{width} {}

  /// Makes room up to row `size`. The new rows have no value yet.
  void grow(std::size_t size) {
    while (size > chunks_.size() * rows_per_chunk) {
      chunks_.push_back(std::make_unique_for_overwrite<word[]>(rows_per_chunk * width_));
    }
    size_ = size;
  }
  void put(std::size_t i, row r) noexcept { std::ranges::copy(r, at(i)); }

  [[nodiscard]] row operator[](std::size_t i) const noexcept { return {at(i), width_}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return chunks_.size() * rows_per_chunk * width_ * sizeof(word);
  }

 private:
  static constexpr std::size_t rows_per_chunk = 4096;

  [[nodiscard]] word* at(std::size_t i) const noexcept {
    return chunks_[i / rows_per_chunk].get() + (i % rows_per_chunk) * width_;
  }

  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<word[]>> chunks_;
};

}  // namespace halfopen::check
