#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace halfopen::tla {

struct node;
struct thunk;

/// A TLA+ value in one word. Equal values are the same word, as long as they are in normal form
/// (`is_normal`).
///
/// Small values are the word itself; the rest are immutable nodes that the pool keeps once each.
/// A tuple, a sequence and a function on 1..n are one thing; a record is a function on strings.
class value {
 public:
  enum class tag : std::uint64_t {
    node = 0,
    integer = 1,
    boolean = 2,
    string = 3,
    model = 4,
    thunk = 5,
    none = 7
  };

  constexpr value() noexcept = default;  // no value: an unassigned variable, an argument not looked at yet

  static constexpr value of(std::int32_t i) noexcept { return {tag::integer, static_cast<std::uint32_t>(i)}; }
  static constexpr value of(bool b) noexcept { return {tag::boolean, b ? 1U : 0U}; }
  static constexpr value string(std::uint32_t id) noexcept { return {tag::string, id}; }
  static constexpr value model(std::uint32_t id, char type) noexcept {
    return {tag::model, (id & 0xFFFFFFU) | static_cast<std::uint32_t>(static_cast<unsigned char>(type))
                                               << 24};
  }
  static value of(node const* n) noexcept { return value{std::bit_cast<std::uint64_t>(n)}; }
  static constexpr value from_word(std::uint64_t w) noexcept { return value{w}; }

  [[nodiscard]] constexpr tag what() const noexcept { return static_cast<tag>(word_ & 7U); }
  [[nodiscard]] constexpr bool is(tag t) const noexcept { return what() == t; }
  [[nodiscard]] constexpr bool is_set_yet() const noexcept { return word_ != unset; }
  [[nodiscard]] constexpr bool is_integer() const noexcept { return is(tag::integer); }
  [[nodiscard]] constexpr bool is_boolean() const noexcept { return is(tag::boolean); }
  [[nodiscard]] constexpr bool is_string() const noexcept { return is(tag::string); }
  [[nodiscard]] constexpr bool is_model() const noexcept { return is(tag::model); }
  [[nodiscard]] constexpr bool is_node() const noexcept { return is(tag::node); }

  [[nodiscard]] constexpr std::int32_t integer() const noexcept {
    return static_cast<std::int32_t>(payload());
  }
  [[nodiscard]] constexpr bool truth() const noexcept { return payload() != 0; }
  [[nodiscard]] constexpr std::uint32_t id() const noexcept { return payload(); }
  [[nodiscard]] constexpr std::uint32_t name() const noexcept {
    return is_model() ? payload() & 0xFFFFFFU : payload();
  }
  [[nodiscard]] constexpr char model_type() const noexcept { return static_cast<char>(payload() >> 24); }
  [[nodiscard]] node const* as_node() const noexcept { return std::bit_cast<node const*>(word_); }
  /// An argument that has not been looked at; never leaves the frame it was put into.
  static value of(thunk const* t) noexcept {
    return value{std::bit_cast<std::uint64_t>(t) | static_cast<std::uint64_t>(tag::thunk)};
  }
  [[nodiscard]] thunk const* as_thunk() const noexcept {
    return std::bit_cast<thunk const*>(word_ & ~std::uint64_t{7});
  }
  [[nodiscard]] constexpr std::uint64_t word() const noexcept { return word_; }

  /// The same word. For normal values: the same value.
  friend constexpr bool operator==(value, value) noexcept = default;

 private:
  static constexpr std::uint64_t unset = static_cast<std::uint64_t>(tag::none);

  constexpr explicit value(std::uint64_t w) noexcept : word_{w} {}
  constexpr value(tag t, std::uint32_t payload) noexcept
      : word_{static_cast<std::uint64_t>(payload) << 32 | static_cast<std::uint64_t>(t)} {}
  [[nodiscard]] constexpr std::uint32_t payload() const noexcept {
    return static_cast<std::uint32_t>(word_ >> 32);
  }

  std::uint64_t word_ = unset;
};

inline constexpr value true_value = value::of(true);
inline constexpr value false_value = value::of(false);

enum class node_kind : std::uint8_t {
  tuple,     // items: the elements
  function,  // items: the domain (a `set`, never 1..n), then the values in the domain's order
  set,       // items: the elements in order, each once

  // Sets that are not built until somebody must see all of their elements. Not normal, if finite.
  interval,      // items: first, last (not empty: the empty interval is the empty set)
  power_set,     // items: the set
  function_set,  // items: domain, range
  record_set,    // items: the field names (a `set`), then a set for each
  product,       // items: the sets
  sequences,     // items: the set (Seq)
  cup,           // items: two sets, at least one infinite
  cap,
  minus,
  naturals,  // no items, as the following
  integers,
  reals,
  strings,
  anything,
};

/// A value that does not fit into a word. Made by value_pool only.
struct node {
  std::uint64_t hash;
  node* next;  // in the pool's chain
  std::uint32_t size;
  node_kind kind;
  bool normal;       // neither it nor anything inside is a finite set that has not been built
  bool consecutive;  // a set of integers without gaps

  [[nodiscard]] std::span<value const> items() const noexcept {
    return {reinterpret_cast<value const*>(this + 1), size};
  }
};
static_assert(sizeof(node) % alignof(value) == 0);

[[nodiscard]] inline bool is_kind(value v, node_kind k) noexcept {
  return v.is_node() && v.as_node()->kind == k;
}
[[nodiscard]] inline bool is_tuple(value v) noexcept { return is_kind(v, node_kind::tuple); }
[[nodiscard]] inline bool is_explicit_set(value v) noexcept { return is_kind(v, node_kind::set); }
[[nodiscard]] inline bool is_set(value v) noexcept {
  return v.is_node() && v.as_node()->kind >= node_kind::set;
}
[[nodiscard]] inline bool is_function(value v) noexcept {
  return v.is_node() && v.as_node()->kind < node_kind::set;
}
[[nodiscard]] inline bool is_normal(value v) noexcept { return !v.is_node() || v.as_node()->normal; }
/// Whether a set has no end, as far as can be told without looking at elements.
[[nodiscard]] bool is_infinite(value v) noexcept;
[[nodiscard]] inline std::span<value const> items(value v) noexcept { return v.as_node()->items(); }

}  // namespace halfopen::tla
