#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <halfopen/tla/value.hpp>

namespace halfopen::tla {

/// Keeps each node and each name once, for as long as it lives: values are compared by their words.
///
/// Threads: `make` and `string` from any, each with an arena of its own; `grow` while nobody else is inside.
class value_pool {
 public:
  /// What one thread allocates from, so that threads do not meet there. The memory is the pool's.
  class arena {
   public:
    [[nodiscard]] void* take(value_pool& from, std::size_t bytes);
    void give_back(std::size_t bytes) noexcept { at_ -= bytes; }  // of the latest take

   private:
    friend class value_pool;
    std::byte* at_ = nullptr;
    std::byte* end_ = nullptr;
    std::size_t uncounted_ = 0;  // nodes that the pool has not been told of
  };

  value_pool();
  value_pool(value_pool const&) = delete;
  value_pool& operator=(value_pool const&) = delete;

  [[nodiscard]] value make(arena& a, node_kind k, std::span<value const> items);

  [[nodiscard]] value string(std::string_view text);
  [[nodiscard]] value model_value(std::string_view name);
  [[nodiscard]] std::string_view text(value string_or_model_value) const;

  /// From now on several threads are inside: somebody must call `grow` while none is.
  void share() noexcept { shared_.store(true, std::memory_order_relaxed); }

  /// Whether chains have grown long enough for `grow` to pay.
  [[nodiscard]] bool crowded() const noexcept {
    return count_.load(std::memory_order_relaxed) > buckets_.size();
  }
  void grow();
  [[nodiscard]] std::size_t node_count() const noexcept { return count_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return buckets_.size() * sizeof(void*) + block_bytes_.load(std::memory_order_relaxed);
  }

  /// From now on a new name comes after all that are there, and new ones are in the order of their letters:
  /// the order of strings does not depend on who made one first.
  void end_of_names() noexcept { ordered_from_ = static_cast<std::uint32_t>(names_.size()); }
  [[nodiscard]] std::strong_ordering order(value string_a, value string_b) const {
    if (string_a.id() < ordered_from_ || string_b.id() < ordered_from_)
      return string_a.id() <=> string_b.id();
    return text(string_a) <=> text(string_b);
  }

 private:
  [[nodiscard]] std::uint32_t id_of(std::string_view text);
  [[nodiscard]] std::byte* block(std::size_t bytes);

  std::vector<std::atomic<node*>> buckets_;
  std::atomic<std::size_t> count_{0};
  std::atomic<bool> shared_{false};

  std::mutex blocks_mutex_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::atomic<std::size_t> block_bytes_{0};

  mutable std::mutex names_mutex_;
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> name_ids_;
  std::uint32_t ordered_from_ = ~std::uint32_t{0};
};

}  // namespace halfopen::tla
