#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <halfopen/base/assert.hpp>
#include <halfopen/policy/circuit_breaker_layer.hpp>
#include <halfopen/policy/fallback.hpp>
#include <halfopen/policy/hedge.hpp>
#include <halfopen/policy/layer_stack.hpp>
#include <halfopen/policy/rate_limiter.hpp>
#include <halfopen/policy/retry.hpp>
#include <halfopen/policy/timeout.hpp>

namespace halfopen {

/// A pipeline named in a file has at most this many layers.
inline constexpr std::size_t any_layers_max = 8;

/// Layers chosen at run time, side by side, in a closed variant: no allocation a call.
class any_layers {
 public:
  static constexpr std::size_t capacity = any_layers_max;
  static constexpr bool can_fork = true;
  using one = std::variant<std::monostate, timeout_layer, circuit_breaker_layer, chosen_breaker_layer,
                           retry_layer, fallback_layer, hedge_layer, rate_limiter_layer>;

  template <layer L>
  void push_back(L l) {
    invariant(stored_ < capacity, "a pipeline has at most any_layers_max layers");
    layers_[stored_++].template emplace<L>(std::move(l));
  }
  /// What is put in from now on belongs to the second branch of a hedge.
  void begin_second() noexcept { size_ = stored_; }

  /// The layers from `first` inward, at their positions; as good as new ones stay behind.
  [[nodiscard]] any_layers take_from(std::size_t first) {
    any_layers taken;
    for (std::size_t i = first; i < size(); ++i) taken.layers_[i] = std::move(layers_[i]);
    taken.size_ = taken.stored_ = size();
    return taken;
  }

  [[nodiscard]] std::size_t size() const noexcept { return std::min(size_, stored_); }

  template <class F>
  decltype(auto) visit(std::size_t i, F&& f) {
    return visit_one(layers_[i], f);
  }
  template <class F>
  decltype(auto) visit(std::size_t i, F&& f) const {
    return visit_one(layers_[i], f);
  }

 private:
  template <class V, class F>
  static auto visit_one(V& v, F& f) {
    return std::visit(
        [&f]<class L>(L& l) {
          using result = std::invoke_result_t<
              F&, std::conditional_t<std::is_const_v<L>, timeout_layer const, timeout_layer>&>;
          if constexpr (std::is_same_v<std::remove_const_t<L>, std::monostate>) {
            invariant(false, "only layers that were put in are visited");
            return result{};
          } else {
            return f(l);
          }
        },
        v);
  }

  std::array<one, capacity> layers_;
  std::size_t size_ = capacity;  // but for those of the second branch
  std::size_t stored_ = 0;
};

/// One call through an any_pipeline: what a driver steps.
using any_call = layer_stack<any_layers>;

/// A breaker in an any_pipeline, with the cells in which each loop counts its calls (none: the breaker's
/// own).
struct any_breaker {
  std::shared_ptr<circuit_breaker> breaker;
  breaker_cells* cells = nullptr;
};

/// Stands where a breaker is chosen for each attempt: see breaker_choice.
struct any_choice {};

/// A retry in an any_pipeline, which keeps its budget (none: without bounds) alive.
struct any_retry {
  std::shared_ptr<retry> policy;
  std::shared_ptr<retry_budget> budget;
};

/// A fallback whose rungs the driver knows: it runs them where attempt::rung asks for one. `call` knows none.
struct any_fallback {
  std::uint8_t rungs = 0;
  fallback_options options;
};

/// A hedge in an any_pipeline, which keeps its budget alive.
struct any_hedge {
  std::shared_ptr<hedge> policy;
  std::shared_ptr<retry_budget> budget;
};

/// A rate limiter in an any_pipeline.
struct any_rate_limiter {
  std::shared_ptr<rate_limiter> policy;
};

using any_policy =
    std::variant<timeout, any_breaker, any_choice, any_retry, any_fallback, any_hedge, any_rate_limiter>;

/// How many layers a call through these policies has: those inside a hedge are there twice.
[[nodiscard]] inline std::size_t layers_needed(std::vector<any_policy> const& policies) noexcept {
  std::size_t needed = policies.size();
  for (std::size_t i = 0; i < policies.size(); ++i)
    if (std::holds_alternative<any_hedge>(policies[i])) needed += policies.size() - i - 1;
  return needed;
}

/// Policies in an order that is known at run time, e.g. from a file. First listed is outermost.
///
/// Threads: immutable; any number of calls at once.
class any_pipeline {
 public:
  /// Requires: layers_needed is at most any_layers_max, and one hedge at most.
  explicit any_pipeline(std::vector<any_policy> outermost_first) : policies_{std::move(outermost_first)} {
    invariant(layers_needed(policies_) <= any_layers_max, "a pipeline has at most any_layers_max layers");
  }

  /// A call that has not started yet. The pipeline, and the choice, outlive it.
  ///
  /// Requires: a choice, if any_choice is listed. `loop` picks the breakers' cells.
  [[nodiscard]] any_call make_call(breaker_choice* choice = nullptr, std::size_t loop = 0) const {
    return any_call{[&] { return make_layers(choice, loop); }};
  }

  [[nodiscard]] std::vector<any_policy> const& policies() const noexcept { return policies_; }

 private:
  any_layers make_layers(breaker_choice* choice, std::size_t loop) const {
    any_layers layers;
    std::size_t hedged = policies_.size();
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      put_layer(layers, policies_[i], choice, loop);
      if (std::holds_alternative<any_hedge>(policies_[i])) hedged = i;
    }
    layers.begin_second();
    for (std::size_t i = hedged + 1; i < policies_.size(); ++i) put_layer(layers, policies_[i], choice, loop);
    return layers;
  }

  static void put_layer(any_layers& layers, any_policy const& p, breaker_choice* choice, std::size_t loop) {
    if (auto const* t = std::get_if<timeout>(&p)) layers.push_back(t->make_layer());
    if (auto const* b = std::get_if<any_breaker>(&p)) layers.push_back(make_layer(*b, loop));
    if (auto const* r = std::get_if<any_retry>(&p)) layers.push_back(r->policy->make_layer());
    if (auto const* h = std::get_if<any_hedge>(&p)) layers.push_back(h->policy->make_layer());
    if (auto const* l = std::get_if<any_rate_limiter>(&p)) layers.push_back(l->policy->make_layer());
    if (auto const* f = std::get_if<any_fallback>(&p)) layers.push_back(fallback_layer{f->rungs, f->options});
    if (std::holds_alternative<any_choice>(p)) {
      invariant(choice != nullptr, "a pipeline that leaves a breaker open to choice needs a choice");
      layers.push_back(chosen_breaker_layer{*choice});
    }
  }

  static circuit_breaker_layer make_layer(any_breaker const& b, std::size_t loop) noexcept {
    return circuit_breaker_layer{*b.breaker, b.cells == nullptr ? nullptr : &(*b.cells)[loop]};
  }

  std::vector<any_policy> policies_;
};

static_assert(layer<any_call>);

}  // namespace halfopen
