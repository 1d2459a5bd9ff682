#include <halfopen/config/describe.hpp>
#include <halfopen/config/outcomes.hpp>
#include <halfopen/config/sections.hpp>

namespace halfopen::config {
namespace {

template <class T>
node_ptr printed(T const& value) {
  using c = codec<T>;
  constexpr bool is_text = std::string_view{c::json_type} == "string";
  return is_text ? text(c::print(value)) : plain(c::print(value));
}

// The visitor that shows: a tree of all that is set, defaults included.
class shower {
 public:
  template <class S>
  static node_ptr section_of(S const& s) {
    shower v;
    fields(v, s);
    return v.done();
  }
  node_ptr done() { return map(std::move(entries_)); }

  template <class T, class A = about<setting<T>>>
  void value(char const* key, T const& member, std::type_identity_t<A> const&) {
    if constexpr (std::is_same_v<T, setting<T>>) {
      // A text that is not set has no spelling: an empty one would be refused.
      if constexpr (std::is_same_v<T, std::string>)
        if (member.empty()) return;
      entries_.emplace_back(key, printed(member));
    } else if (member) {
      entries_.emplace_back(key, printed(*member));
    }
  }
  template <class T>
  void values(char const* key, std::vector<T> const& member, std::type_identity_t<about<T>> const&) {
    std::vector<node_ptr> items;
    for (auto const& m : member) items.push_back(printed(m));
    entries_.emplace_back(key, list(std::move(items)));
  }
  template <class S>
  void section(char const* key, S const& member, char const*) {
    entries_.emplace_back(key, section_of(member));
  }
  template <class S>
  void named(char const* key, std::vector<S> const& member, about<std::string> const&) {
    std::vector<std::pair<std::string, node_ptr>> out;
    for (auto const& m : member) {
      if constexpr (is<S, assumption>)
        out.emplace_back(m.tool, section_of(m));
      else if constexpr (is<S, policy_config>)
        out.emplace_back(m.name, layers_of(m));
      else
        out.emplace_back(m.name, section_of(m));
    }
    entries_.emplace_back(key, map(std::move(out)));
  }
  template <class S>
  void sequence(char const* key, std::vector<S> const& member, about<std::string> const&) {
    std::vector<node_ptr> items;
    for (auto const& m : member) items.push_back(section_of(m));
    entries_.emplace_back(key, list(std::move(items)));
  }
  void match(char const* key, route_config const& route, char const*) {
    shower v;
    fields_of_match(v, route);
    entries_.emplace_back(key, v.done());
  }
  void window(char const* key, window_config const& member, char const*) {
    entries_.emplace_back(key, section_of(spelled(member)));
  }
  void outcomes(char const* key, classification const& member, char const*) {
    shower v;
    for (auto const& l : outcome_lists) v.values(l.key, outcomes_of(member, l.gives), {});
    entries_.emplace_back(key, v.done());
  }

 private:
  static node_ptr layers_of(policy_config const& p) {
    std::vector<node_ptr> items;
    for (auto const& l : p.layers)
      items.push_back(std::visit([](auto const& spec) { return layer(spec); }, l));
    return list(std::move(items));
  }
  static node_ptr layer(timeout_spec const& t) {
    return map({{std::string{layer_name<timeout_spec>}, printed(t.length)}});
  }
  static node_ptr layer(circuit_breaker_spec const& b) {
    return map({{std::string{layer_name<circuit_breaker_spec>}, section_of(b)}});
  }

  std::vector<std::pair<std::string, node_ptr>> entries_;
};

}  // namespace

node_ptr effective(gateway_config const& c) { return shower::section_of(c); }

}  // namespace halfopen::config
