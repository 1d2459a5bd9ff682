#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <halfopen/config/scalars.hpp>

/// The parts that the table of settings (sections.hpp) is made of.
///
/// Each section has one function `fields(visitor, section)` that names its keys. Reading, the suggestions for
/// unknown keys, the JSON schema, `config show` and the reference page are visitors of that one function.
namespace halfopen::config {

/// What is known about one setting beside its key and its type.
template <class T>
struct about {
  char const* help = "";
  bool required = false;
  char const* otherwise = nullptr;  // what holds where nothing is set, if that is not the default value
  std::optional<T> least{};
  std::optional<T> most{};
  char const* (*wrong)(T const&) = nullptr;  // what is expected instead, or nullptr where the value will do
};

/// The value inside an optional, else the type itself: what one setting's text is read as.
template <class T>
struct setting_of {
  using type = T;
};
template <class T>
struct setting_of<std::optional<T>> {
  using type = T;
};
template <class T>
using setting = typename setting_of<std::remove_const_t<T>>::type;

/// The spellings of an enumeration: a specialisation has `what` and `all`, pairs of a name and a value.
template <class E>
struct spellings;

template <>
struct spellings<breaker_scope> {
  static constexpr char const* what = "tool, host or both";
  static constexpr std::array<std::pair<std::string_view, breaker_scope>, 3> all{
      {{"tool", breaker_scope::tool}, {"host", breaker_scope::host}, {"both", breaker_scope::both}}};
};

template <>
struct spellings<last_host_rule> {
  static constexpr char const* what = "keep or reject";
  static constexpr std::array<std::pair<std::string_view, last_host_rule>, 2> all{
      {{"keep", last_host_rule::keep}, {"reject", last_host_rule::reject}}};
};

template <>
struct spellings<jitter> {
  static constexpr char const* what = "none, full, equal or decorrelated";
  static constexpr std::array<std::pair<std::string_view, jitter>, 4> all{
      {{"none", jitter::none},
       {"full", jitter::full},
       {"equal", jitter::equal},
       {"decorrelated", jitter::decorrelated}}};
};

template <>
struct spellings<neutral_exit> {
  static constexpr char const* what = "open or closed";
  static constexpr std::array<std::pair<std::string_view, neutral_exit>, 2> all{
      {{"open", neutral_exit::open}, {"closed", neutral_exit::closed}}};
};

/// A breaker's window as the file spells it: exactly one of time, calls and consecutive is set.
struct window_spelling {
  std::optional<duration> time{};
  std::optional<std::uint32_t> buckets{};  // with time only
  std::optional<std::uint32_t> calls{};
  std::optional<std::uint32_t> consecutive{};
};
[[nodiscard]] window_spelling spelled(window_config const& w);

template <class E>
  requires std::is_enum_v<E>
struct codec<E> {
  static constexpr char const* what = spellings<E>::what;
  static constexpr char const* pattern = nullptr;
  static constexpr char const* json_type = "string";

  static parsed<E> parse(std::string_view text) {
    for (auto const& [name, value] : spellings<E>::all)
      if (name == text) return value;
    return unexpected<misfit>{misfit{"config.value", what}};
  }
  static std::string print(E e) {
    auto const at = std::ranges::find(spellings<E>::all, e, &std::pair<std::string_view, E>::second);
    return std::string{at == spellings<E>::all.end() ? "?" : at->first};
  }
};

/// The kinds of layer that a pipeline may name. The others are recognised, and refused as not built yet.
struct layer_kind {
  std::string_view name;
  bool built;
  char const* help;
};
constexpr std::array<layer_kind, 10> layer_kinds{{
    {"timeout", true,
     "A bound on what is below: the whole call where it stands outside, an attempt where it stands inside."},
    {"circuit_breaker", true,
     "Refuses calls while what is below keeps failing, and probes until it has recovered."},
    {"retry", false, ""},
    {"rate_limiter", false, ""},
    {"bulkhead", false, ""},
    {"hedge", false, ""},
    {"fallback", false, ""},
    {"adaptive_limit", false, ""},
    {"throttle", false, ""},
    {"priority_shed", false, ""},
}};

template <class Layer>
constexpr std::string_view layer_name = "";
template <>
inline constexpr std::string_view layer_name<timeout_spec> = "timeout";
template <>
inline constexpr std::string_view layer_name<circuit_breaker_spec> = "circuit_breaker";

}  // namespace halfopen::config
