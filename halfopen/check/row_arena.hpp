#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <halfopen/check/model.hpp>

namespace halfopen::check {

/// Rows of one width, in order of arrival, at addresses that never move.
class row_arena {
 public:
  explicit row_arena(std::size_t width) : width_{width} {}

  void push(row r) {
    if (size_ == chunks_.size() * rows_per_chunk) {
      chunks_.push_back(std::make_unique_for_overwrite<word[]>(rows_per_chunk * width_));
    }
    std::ranges::copy(r, chunks_.back().get() + (size_ % rows_per_chunk) * width_);
    ++size_;
  }

  [[nodiscard]] row operator[](std::size_t i) const noexcept {
    return {chunks_[i / rows_per_chunk].get() + (i % rows_per_chunk) * width_, width_};
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return chunks_.size() * rows_per_chunk * width_ * sizeof(word);
  }

 private:
  static constexpr std::size_t rows_per_chunk = 4096;

  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<word[]>> chunks_;
};

}  // namespace halfopen::check
