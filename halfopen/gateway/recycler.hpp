#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <halfopen/net/event_loop.hpp>

namespace halfopen::gateway {

/// Objects of one loop that are used again and again: in the steady state, nothing is allocated.
///
/// What is given back rests until the loop's turn is over, so that code further up the stack which still
/// holds a reference finds a dead object and not somebody else's. Threads: its loop's.
template <class T>
class recycler : private net::ready_step {
 public:
  explicit recycler(net::event_loop& loop)
      : ready_step{[](net::ready_step& self) { static_cast<recycler&>(self).end_of_turn(); }}, loop_{loop} {}

  /// One that is free, or a new T{args...}.
  template <class... Args>
  [[nodiscard]] T& take(Args&&... args) {
    if (free_.empty()) {
      all_.push_back(std::make_unique<T>(std::forward<Args>(args)...));
      free_.reserve(all_.size());
      resting_.reserve(all_.size());
      ++out_;
      return *all_.back();
    }
    T& t = *free_.back();
    free_.pop_back();
    ++out_;
    return t;
  }

  void give_back(T& t) {
    --out_;
    if (resting_.empty()) loop_.run_later(*this);
    resting_.push_back(&t);
  }

  [[nodiscard]] std::size_t out() const noexcept { return out_; }
  [[nodiscard]] std::vector<std::unique_ptr<T>> const& all() const noexcept { return all_; }

 private:
  void end_of_turn() {
    free_.insert(free_.end(), resting_.begin(), resting_.end());
    resting_.clear();
  }

  net::event_loop& loop_;
  std::vector<std::unique_ptr<T>> all_;
  std::vector<T*> free_;
  std::vector<T*> resting_;
  std::size_t out_ = 0;
};

}  // namespace halfopen::gateway
