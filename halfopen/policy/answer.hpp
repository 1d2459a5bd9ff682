#pragma once

#include <utility>

#include <halfopen/base/expected.hpp>
#include <halfopen/policy/layer.hpp>

namespace halfopen {

/// What a call comes to: a value or an error, and how it came about.
///
///     auto const r = call<reply>(get_balance, operation);
///     if (r && r.story().rung > 0) ...;                         // not live: a rung of a fallback
///     if (!r && r.story().gave_up == give_up::no_budget) ...;  // tell your own caller not to try again
///     either
///
/// story(): attempts, time waited, rung, what the policies made of it, who refused and why, and why it was
/// not tried again.
template <class T, class E>
class answer : public expected<T, E> {
 public:
  answer(expected<T, E> result, ended const& story = {}) : expected<T, E>{std::move(result)}, story_{story} {}

  [[nodiscard]] ended const& story() const noexcept { return story_; }

 private:
  ended story_;
};

}  // namespace halfopen
