#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <halfopen/policy/layer_stack.hpp>

namespace halfopen {

/// The layer of a policy that makes its own. Policies that cannot have an overload beside them.
template <class P>
  requires requires(P& p) {
    { p.make_layer() } -> layer;
  }
[[nodiscard]] constexpr auto make_layer(P& p) {
  return p.make_layer();
}

/// What a pipeline can be made of: something that makes a layer for one call.
template <class P>
concept policy = requires(std::remove_reference_t<P>& p) {
  { make_layer(p) } -> layer;
};

/// Layers fixed at compile time, side by side: `Size` of them, and behind them a second set of those inside a
/// layer that forks.
template <std::size_t Size, layer... Layers>
class fixed_layers {
 public:
  static constexpr std::size_t capacity = sizeof...(Layers);
  static constexpr bool can_fork = (forking_layer<Layers> || ...);

  constexpr explicit fixed_layers(Layers... layers) : layers_{std::move(layers)...} {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return Size; }

  template <class F>
  constexpr auto visit(std::size_t i, F&& f) {
    return visit_from<0>(layers_, i, f);
  }
  template <class F>
  constexpr auto visit(std::size_t i, F&& f) const {
    return visit_from<0>(layers_, i, f);
  }

 private:
  template <std::size_t I, class T, class F>
  static constexpr auto visit_from(T& layers, std::size_t i, F& f) {
    if constexpr (I + 1 == capacity) {
      return f(std::get<I>(layers));
    } else {
      return i == I ? f(std::get<I>(layers)) : visit_from<I + 1>(layers, i, f);
    }
  }

  std::tuple<Layers...> layers_;
};

/// Policies composed at compile time. First listed is outermost: that is the only order rule.
///
/// A policy given by name is shared by reference and outlives the pipeline; a temporary is owned.
///
///     halfopen::pipeline get_balance{halfopen::timeout{800ms}, payments, halfopen::timeout{250ms}};
///     auto r = halfopen::call<reply>(get_balance, operation);
///
/// Threads: as many calls at once as its policies allow; a breaker and a timeout allow any number.
template <class... Policies>
  requires(sizeof...(Policies) > 0 && (policy<Policies> && ...))
class pipeline {
  static constexpr std::size_t count = sizeof...(Policies);
  template <std::size_t I>
  using policy_at = std::remove_reference_t<std::tuple_element_t<I, std::tuple<Policies...>>>;
  template <std::size_t I>
  using layer_at = decltype(make_layer(std::declval<policy_at<I>&>()));

  // Where a call may fork, or `count`.
  static constexpr std::size_t fork = [] {
    std::size_t at = count;
    std::size_t forks = 0;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (void)((forking_layer<layer_at<I>> ? (at = I, ++forks) : 0), ...);
    }(std::make_index_sequence<count>{});
    return forks > 1 ? throw "a pipeline has one hedge at most" : at;
  }();
  static constexpr std::size_t stored = fork == count ? count : 2 * count - fork - 1;
  // Of the policy whose layer is stored at i.
  static constexpr std::size_t listed(std::size_t i) { return i < count ? i : i - count + fork + 1; }

  template <std::size_t... I>
  static auto layers_of(std::index_sequence<I...>) -> fixed_layers<count, layer_at<listed(I)>...>;
  using layers_type = decltype(layers_of(std::make_index_sequence<stored>{}));

 public:
  using call_type = layer_stack<layers_type>;

  template <class... Args>
    requires(sizeof...(Args) == sizeof...(Policies) && (policy<Args> && ...))
  constexpr explicit pipeline(Args&&... outermost_first)
      : policies_{std::forward<Args>(outermost_first)...} {}

  /// A call that has not started yet. The pipeline outlives it.
  [[nodiscard]] constexpr call_type make_call() {
    return [this]<std::size_t... I>(std::index_sequence<I...>) {
      return call_type{layers_type{make_layer(std::get<listed(I)>(policies_))...}};
    }(std::make_index_sequence<stored>{});
  }

  /// For a driver that is to run a rung of a fallback (attempt::rung): hands the rung to f.
  template <class F>
  constexpr void visit_rung(attempt const& a, F&& f) {
    std::size_t i = 0;
    for_each([&](auto& p) {
      if (i++ != a.rung_of) return;
      if constexpr (requires { p.visit_rung(a.rung, f); }) p.visit_rung(a.rung, f);
    });
  }

  /// A live value (no rung's): fallbacks that remember one, do.
  template <class T>
  constexpr void remember(T const& value, instant now) {
    for_each([&](auto& p) {
      if constexpr (requires { p.remember(value, now); }) p.remember(value, now);
    });
  }

 private:
  template <class F>
  constexpr void for_each(F f) {
    std::apply([&f](auto&... p) { (f(p), ...); }, policies_);
  }

  std::tuple<Policies...> policies_;  // T& where shared, T where owned
};

template <class... Policies>
pipeline(Policies&&...) -> pipeline<Policies...>;

}  // namespace halfopen
