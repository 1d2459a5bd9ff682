#pragma once

#include <array>
#include <concepts>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <halfopen/check/model.hpp>

namespace halfopen::check {

/// A property of a model in C++. A plain function: it may look at the model's bounds and at one state.
template <class M>
struct state_property {
  std::string_view name;
  bool (*holds)(M const&, typename M::state const&);
};

template <class M>
struct step_property {
  std::string_view name;
  bool (*holds)(M const&, typename M::state const& from, typename M::state const& to);
};

/// A model written in C++, for instance of a machine in production code:
///
///   struct counter {
///     struct state { int n; };
///     void initial(auto emit) const { emit(state{0}, 0); }
///     void next(state s, auto emit) const { if (s.n < 3) emit(state{s.n + 1}, 1); }
///     static std::string action_name(action_id) { return "Up"; }
///     static std::string show(state s) { return "n = " + std::to_string(s.n) + "\n"; }
///     static constexpr auto invariants() {
///       return std::array{state_property<counter>{"Small", [](auto&, auto& s) { return s.n < 4; }}};
///     }
///   };
///
/// Equal states must be equal byte for byte, so a state has no padding.
template <class M>
concept model_in_cpp =
    std::has_unique_object_representations_v<typename M::state> &&
    std::is_trivially_copyable_v<typename M::state> &&
    requires(M const& m, typename M::state const& s, void (*emit)(typename M::state const&, action_id)) {
      m.initial(emit);
      m.next(s, emit);
      { m.action_name(action_id{}) } -> std::convertible_to<std::string>;
      { m.show(s) } -> std::convertible_to<std::string>;
      M::invariants().size();
    };

/// Lets the engine ask a model that is written in C++.
template <model_in_cpp M>
class typed_model final : public model {
 public:
  using state = typename M::state;

  explicit typed_model(M m = {}) : m_{std::move(m)} {}

  [[nodiscard]] std::unique_ptr<model> another() override { return std::make_unique<typed_model>(m_); }
  [[nodiscard]] std::size_t width() const override { return words; }
  void initial(sink& to) override {
    m_.initial([&](state const& s, action_id by) { to(packed(s), by); });
  }
  void next(row from, sink& to) override {
    m_.next(unpacked(from), [&](state const& s, action_id by) { to(packed(s), by); });
  }

  [[nodiscard]] int broken_invariant(row r) override {
    auto const s = unpacked(r);
    for (std::size_t i = 0; i < M::invariants().size(); ++i) {
      if (!all_invariants[i].holds(m_, s)) return static_cast<int>(i);
    }
    return nothing_broken;
  }
  [[nodiscard]] int broken_step(row from, row to) override {
    if constexpr (requires { M::step_properties(); }) {
      auto const a = unpacked(from), b = unpacked(to);
      for (std::size_t i = 0; i < M::step_properties().size(); ++i) {
        if (!M::step_properties()[i].holds(m_, a, b)) return static_cast<int>(i);
      }
    }
    return nothing_broken;
  }

  [[nodiscard]] bool within(row r) override {
    if constexpr (requires { m_.within(unpacked(r)); }) return m_.within(unpacked(r));
    return true;
  }

  [[nodiscard]] std::string action_name(action_id a) const override { return m_.action_name(a); }
  [[nodiscard]] std::string invariant_name(int i) const override {
    return std::string{all_invariants[static_cast<std::size_t>(i)].name};
  }
  [[nodiscard]] std::string step_property_name(int i) const override {
    if constexpr (requires { M::step_properties(); }) {
      return std::string{M::step_properties()[static_cast<std::size_t>(i)].name};
    }
    return {};
  }
  [[nodiscard]] std::string show(row r) const override { return m_.show(unpacked(r)); }

  [[nodiscard]] static state unpacked(row r) {
    state s;
    std::memcpy(static_cast<void*>(&s), r.data(), sizeof s);
    return s;
  }

 private:
  static constexpr std::size_t words = (sizeof(state) + sizeof(word) - 1) / sizeof(word);

  row packed(state const& s) {
    buffer_.back() = 0;  // the bytes behind the state
    std::memcpy(buffer_.data(), &s, sizeof s);
    return buffer_;
  }

  static constexpr auto all_invariants = M::invariants();
  M m_;
  std::array<word, words> buffer_{};
};

}  // namespace halfopen::check
