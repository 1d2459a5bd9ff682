#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include <halfopen/gateway/audit_event.hpp>
#include <halfopen/gateway/storage_error.hpp>
#include <halfopen/gateway/storage_query.hpp>

namespace halfopen::gateway {

/// An audit event whose texts have been cut to size.
struct audit_entry {
  audit_event event;
  std::vector<audit_cut> cuts;
};

/// One thing on its way to the writer. Without a row it is a barrier: `then` hears when it has been passed.
struct storage_item {
  std::variant<std::monostate, transition_event, audit_entry> row;
  std::function<void(stored<>)> then;  // empty: nobody waits
  bool sync = false;                   // `then` wants the row on the disk, not only in the file
  std::size_t bytes = 0;
  storage_item* next = nullptr;

  [[nodiscard]] bool has_row() const noexcept { return row.index() != 0; }
};

/// From many threads to one, in order, never waiting.
///
/// Threads: push from any; take_all and close from the one that reads.
/// Cost:    an allocation and one compare-and-swap an item.
class storage_queue {
 public:
  storage_queue() = default;
  storage_queue(storage_queue const&) = delete;
  storage_queue& operator=(storage_queue const&) = delete;
  ~storage_queue();

  /// False, and the item is untouched, once the queue is closed.
  [[nodiscard]] bool push(std::unique_ptr<storage_item>& item) noexcept;
  /// Appends what has come, oldest first.
  void take_all(std::vector<std::unique_ptr<storage_item>>& to);
  /// Appends what has come and refuses everything later: nothing falls between the two.
  void close(std::vector<std::unique_ptr<storage_item>>& to);

 private:
  void append(storage_item* newest, std::vector<std::unique_ptr<storage_item>>& to);

  storage_item closed_;  // its address stands for "closed"
  std::atomic<storage_item*> newest_{nullptr};
};

}  // namespace halfopen::gateway
