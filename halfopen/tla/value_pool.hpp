#pragma once

#include <atomic>
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
/// Threads: `make` and `string` from any; `grow` while nobody else is inside.
class value_pool {
 public:
  /// What one thread allocates from, so that threads do not meet there.
  class arena {
   public:
    [[nodiscard]] void* take(std::size_t bytes);
    void give_back(std::size_t bytes) noexcept { used_ -= bytes; }  // of the latest take
    [[nodiscard]] std::size_t bytes() const noexcept { return total_; }

   private:
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::size_t used_ = 0, size_ = 0, total_ = 0;
  };

  value_pool();
  value_pool(value_pool const&) = delete;
  value_pool& operator=(value_pool const&) = delete;

  [[nodiscard]] value make(arena& a, node_kind k, std::span<value const> items);

  [[nodiscard]] value string(std::string_view text);
  [[nodiscard]] value model_value(std::string_view name);
  [[nodiscard]] std::string_view text(value string_or_model_value) const;

  /// From now on several threads are inside: somebody must call `grow` while none is.
  void share() noexcept { shared_ = true; }

  /// Whether chains have grown long enough for `grow` to pay.
  [[nodiscard]] bool crowded() const noexcept {
    return count_.load(std::memory_order_relaxed) > buckets_.size();
  }
  void grow();
  [[nodiscard]] std::size_t node_count() const noexcept { return count_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t table_bytes() const noexcept { return buckets_.size() * sizeof(void*); }

 private:
  [[nodiscard]] std::uint32_t id_of(std::string_view text);

  std::vector<std::atomic<node*>> buckets_;
  std::atomic<std::size_t> count_{0};
  bool shared_ = false;

  mutable std::mutex names_mutex_;
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> name_ids_;
};

}  // namespace halfopen::tla
