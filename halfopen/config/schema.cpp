#include <halfopen/config/describe.hpp>
#include <halfopen/config/outcomes.hpp>
#include <halfopen/config/sections.hpp>

namespace halfopen::config {
namespace {

using entries = std::vector<std::pair<std::string, node_ptr>>;

entries object_of(entries properties, std::vector<node_ptr> required) {
  entries out{{"type", text("object")},
              {"additionalProperties", plain("false")},
              {"properties", map(std::move(properties))}};
  if (!required.empty()) out.emplace_back("required", list(std::move(required)));
  return out;
}

template <class T>
entries type_of() {
  using c = codec<T>;
  entries out{{"type", text(c::json_type)}};
  // A status without quotes is a number to YAML.
  if constexpr (std::is_same_v<T, outcome>) out[0].second = list({text("string"), text("integer")});
  if (c::pattern != nullptr) out.emplace_back("pattern", text(c::pattern));
  if constexpr (std::is_enum_v<T>) {
    std::vector<node_ptr> names;
    for (auto const& s : spellings<T>::all) names.push_back(text(std::string{s.first}));
    out.emplace_back("enum", list(std::move(names)));
  }
  return out;
}

template <class T>
entries type_of(about<T> const& a) {
  entries out = type_of<T>();
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    out.emplace_back("minimum", plain(std::to_string(a.least.value_or(0))));
    if (a.most) out.emplace_back("maximum", plain(std::to_string(*a.most)));
  }
  return out;
}

// The visitor that writes the schema: what each section's table allows, and the defaults of `S{}`.
class schema_writer {
 public:
  template <class S>
  static entries section_of() {
    schema_writer v;
    S const defaults{};
    fields(v, defaults);
    return v.done();
  }
  entries done() { return object_of(std::move(properties_), std::move(required_)); }

  template <class T, class A = about<setting<T>>>
  void value(char const* key, T const& member, std::type_identity_t<A> const& a) {
    entries e = type_of(a);
    if constexpr (std::is_same_v<T, setting<T>>) add_default(e, member, a.required || a.otherwise != nullptr);
    add(key, std::move(e), a.help, a.required);
  }
  template <class T>
  void values(char const* key, std::vector<T> const&, std::type_identity_t<about<T>> const& a) {
    add(key, list_of(type_of(a), a.required), a.help, a.required);
  }
  template <class S>
  void section(char const* key, S const&, char const* help) {
    add(key, section_of<S>(), help, false);
  }
  template <class S>
  void named(char const* key, std::vector<S> const&, about<std::string> const& a) {
    entries e{{"type", text("object")}, {"additionalProperties", map(named_of<S>())}};
    add(key, std::move(e), a.help, a.required);
  }
  template <class S>
  void sequence(char const* key, std::vector<S> const&, about<std::string> const& a) {
    add(key, list_of(section_of<S>(), false), a.help, a.required);
  }
  void match(char const* key, route_config const& route, char const* help) {
    schema_writer v;
    fields_of_match(v, route);
    add(key, v.done(), help, true);
  }
  void window(char const* key, window_config const& member, char const* help) {
    entries e = section_of<window_spelling>();
    std::vector<node_ptr> kinds;
    for (char const* kind : {"time", "calls", "consecutive"})
      kinds.push_back(map({{"required", list({text(kind)})}}));
    e.emplace_back("oneOf", list(std::move(kinds)));
    e.emplace_back("default", map({{"time", text(codec<duration>::print(member.length))}}));
    add(key, std::move(e), help, false);
  }
  void outcomes(char const* key, classification const&, char const* help) {
    schema_writer v;
    for (auto const& l : outcome_lists) v.values(l.key, std::vector<outcome>{}, {.help = l.help});
    add(key, v.done(), help, false);
  }

 private:
  template <class T>
  static void add_default(entries& e, T const& value, bool none) {
    if constexpr (std::is_same_v<T, std::string>)
      if (value.empty()) return;
    auto const shown = codec<T>::print(value);
    bool const is_text = std::string_view{codec<T>::json_type} == "string";
    if (!none) e.emplace_back("default", is_text ? text(shown) : plain(shown));
  }
  static entries list_of(entries items, bool not_empty) {
    entries e{{"type", text("array")}, {"items", map(std::move(items))}};
    if (not_empty) e.emplace_back("minItems", plain("1"));
    return e;
  }
  template <class S>
  static entries named_of() {
    if constexpr (is<S, policy_config>) {
      auto layers = list_of(layer(), true);
      layers.emplace_back("maxItems", plain(std::to_string(layers_max)));
      return layers;
    } else
      return section_of<S>();
  }
  static entries layer() {
    entries kinds{{std::string{layer_name<timeout_spec>}, map(type_of<duration>())},
                  {std::string{layer_name<circuit_breaker_spec>}, map(section_of<circuit_breaker_spec>())}};
    entries e = object_of(std::move(kinds), {});
    e.emplace_back("minProperties", plain("1"));
    e.emplace_back("maxProperties", plain("1"));
    return e;
  }
  void add(char const* key, entries e, char const* help, bool required) {
    e.insert(e.begin(), {"description", text(help)});
    properties_.emplace_back(key, map(std::move(e)));
    if (required) required_.push_back(text(key));
  }

  entries properties_;
  std::vector<node_ptr> required_;
};

}  // namespace

node_ptr schema() {
  entries e = schema_writer::section_of<gateway_config>();
  e.insert(e.begin(), {"title", text("HalfOpen gateway configuration")});
  e.insert(e.begin(), {"$schema", text("https://json-schema.org/draft/2020-12/schema")});
  return map(std::move(e));
}

}  // namespace halfopen::config
