#pragma once

namespace halfopen::net {

/// A place in a ring of links. Alone, it is a ring of one: no null, no owner, O(1) to leave.
struct list_link {
  list_link* previous = this;
  list_link* next = this;

  list_link() noexcept = default;
  list_link(list_link const&) = delete;
  list_link& operator=(list_link const&) = delete;

  [[nodiscard]] bool alone() const noexcept { return next == this; }

  void unlink() noexcept {
    previous->next = next;
    next->previous = previous;
    previous = next = this;
  }

  void insert_before(list_link& at) noexcept {
    previous = at.previous;
    next = &at;
    previous->next = this;
    at.previous = this;
  }
};

}  // namespace halfopen::net
