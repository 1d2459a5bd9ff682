#include <algorithm>
#include <tuple>

#include <halfopen/gateway/storage_queue.hpp>

namespace halfopen::gateway {

storage_queue::~storage_queue() {
  std::vector<std::unique_ptr<storage_item>> rest;
  close(rest);
}

bool storage_queue::push(std::unique_ptr<storage_item>& item) noexcept {
  auto* top = newest_.load(std::memory_order_relaxed);
  do {
    if (top == &closed_) return false;
    item->next = top;
  } while (
      !newest_.compare_exchange_weak(top, item.get(), std::memory_order_release, std::memory_order_relaxed));
  std::ignore = item.release();
  return true;
}

void storage_queue::take_all(std::vector<std::unique_ptr<storage_item>>& to) {
  auto* top = newest_.load(std::memory_order_relaxed);
  if (top == nullptr || top == &closed_) return;
  append(newest_.exchange(nullptr, std::memory_order_acquire), to);
}

void storage_queue::close(std::vector<std::unique_ptr<storage_item>>& to) {
  append(newest_.exchange(&closed_, std::memory_order_acquire), to);
}

void storage_queue::append(storage_item* newest, std::vector<std::unique_ptr<storage_item>>& to) {
  auto const start = to.size();
  while (newest != nullptr && newest != &closed_) {
    auto* const next = newest->next;
    to.emplace_back(newest);
    newest = next;
  }
  std::reverse(to.begin() + static_cast<std::ptrdiff_t>(start), to.end());
}

}  // namespace halfopen::gateway
