#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <halfopen/tla/value.hpp>
#include <halfopen/tla/value_pool.hpp>

namespace halfopen::tla {

/// Thrown where TLA+ gives no meaning, or where TLC refuses: comparing 1 with "a", applying a number, ...
struct value_error {
  std::string what;
};

/// A callable that is used during the call only.
template <class Signature>
class function_ref;
template <class R, class... Args>
class function_ref<R(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref>)
  function_ref(F&& f) noexcept  // NOLINT(google-explicit-constructor): stands for the callable
      : object_{const_cast<void*>(static_cast<void const*>(&f))},
        call_{[](void* o, Args... a) -> R { return (*static_cast<std::remove_reference_t<F>*>(o))(a...); }} {}
  R operator()(Args... a) const { return call_(object_, a...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

/// What one thread does with values: builds, compares, looks inside.
///
/// Everything that is put into a tuple, a function or an explicit set is brought into normal form first, so
/// two of those are equal exactly if they are the same word.
class values {
 public:
  explicit values(value_pool& pool) : pool_{&pool} {}

  // Building
  [[nodiscard]] value tuple(std::span<value> items);   // items are brought into normal form in place
  [[nodiscard]] value set(std::span<value> elements);  // sorts in place, and drops repetitions
  [[nodiscard]] value sorted_set(std::span<value const> elements);  // already so, and normal
  [[nodiscard]] value function(value domain,
                               std::span<value> results);  // in the order of the domain, an explicit set
  [[nodiscard]] value record(std::span<std::pair<value, value>> fields);
  [[nodiscard]] value interval(std::int32_t first, std::int32_t last);
  [[nodiscard]] value lazy(node_kind k, std::span<value const> items) {
    return pool_->make(arena_, k, items);
  }
  [[nodiscard]] value record_set(std::span<std::pair<value, value>> fields);
  [[nodiscard]] value empty_set() { return sorted_set({}); }
  [[nodiscard]] value string(std::string_view text) { return pool_->string(text); }

  // Comparing. Throws where TLC would: a number with a string, a set with a number.
  [[nodiscard]] bool equal(value a, value b) {
    if (a == b) return true;
    if (a.what() == b.what() && !a.is_node()) return equal_scalars(a, b);
    return compare(a, b) == 0;
  }
  [[nodiscard]] int compare(value a, value b);  // one total order: < 0, 0, > 0
  [[nodiscard]] value normal(value v) { return is_normal(v) ? v : built(v); }

  // Sets
  [[nodiscard]] bool member(value v, value set);
  [[nodiscard]] bool subset(value a, value b);
  [[nodiscard]] std::int64_t cardinality(value set);
  [[nodiscard]] bool is_finite(value set);
  [[nodiscard]] value explicit_set(value set);  // builds it if need be
  [[nodiscard]] value cup(value a, value b);
  [[nodiscard]] value cap(value a, value b);
  [[nodiscard]] value minus(value a, value b);
  [[nodiscard]] value big_union(value set_of_sets);

  /// Calls `visit` for each element in order until it returns true; returns whether one did.
  template <class Visit>
  bool each(value set, Visit&& visit) {
    if (is_explicit_set(set)) {
      for (auto v : items(set)) {
        if (visit(v)) return true;
      }
      return false;
    }
    if (is_kind(set, node_kind::interval)) {
      for (std::int64_t i = items(set)[0].integer(), last = items(set)[1].integer(); i <= last; ++i) {
        if (visit(value::of(static_cast<std::int32_t>(i)))) return true;
      }
      return false;
    }
    return each_lazy(set, visit);
  }

  // Functions
  [[nodiscard]] value domain(value f);
  [[nodiscard]] value apply(value f, value x);
  [[nodiscard]] bool in_domain(value f, value x) { return position(f, x) >= 0; }
  [[nodiscard]] std::int64_t position(value f, value x);  // of x in the domain; -1 if it is not there
  [[nodiscard]] std::span<value const> results(value f) const;
  [[nodiscard]] value with_result(value f, std::size_t position, value result);

  // Text, as TLC writes it
  [[nodiscard]] std::string text(value v) const;
  [[nodiscard]] std::string_view name(value v) const { return pool_->text(v); }
  [[nodiscard]] std::string described(value v) const;  // "the integer 3", for messages

  [[nodiscard]] value_pool& pool() noexcept { return *pool_; }

 private:
  [[nodiscard]] bool equal_scalars(value a, value b) const;
  [[nodiscard]] value built(value v);
  bool each_lazy(value set, function_ref<bool(value)> visit);
  bool each_subset(value set, function_ref<bool(value)> visit);
  bool each_choice(value set, std::span<value const> sets, value domain, function_ref<bool(value)> visit);
  [[nodiscard]] bool member_of_explicit(value v, value set);
  [[nodiscard]] bool member_of_function_set(value f, value set);
  [[nodiscard]] bool member_of_record_set(value f, value set);
  [[nodiscard]] bool member_of_product(value t, value set);
  [[noreturn]] void refuse_member(value v, value set) const;

  value_pool* pool_;
  std::vector<value> buffer_;  // for one node at a time
  value_pool::arena arena_;
};

}  // namespace halfopen::tla
