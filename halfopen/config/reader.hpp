#pragma once

#include <map>
#include <string>
#include <vector>

#include <halfopen/config/sections.hpp>
#include <halfopen/config/tree.hpp>

namespace halfopen::config {

/// The visitor that reads: takes each setting of the table from a tree, and notes all that does not fit.
class reader {
 public:
  reader(std::string const& file, std::vector<diagnostic>& problems) : file_{file}, problems_{problems} {}

  /// Reads a section from `n`; what is wrong keeps its default and is reported.
  template <class S>
  void section_from(node const& n, S& out);

  /// Where a setting stands: its value, or the nearest thing around it that is in the text.
  /// Paths are spelled "policies.careful[2].circuit_breaker.window".
  [[nodiscard]] source_position place(std::string path) const;
  [[nodiscard]] bool is_set(std::string const& path) const { return places_.contains(path); }

  // What the table calls.
  template <class T>
  void value(char const* key, T& member, about<setting<T>> const& a);
  template <class T>
  void values(char const* key, std::vector<T>& member, std::type_identity_t<about<T>> const& a);
  template <class S>
  void section(char const* key, S& member, char const* help);
  template <class S>
  void named(char const* key, std::vector<S>& member, std::type_identity_t<about<std::string>> const& a);
  template <class S>
  void sequence(char const* key, std::vector<S>& member, std::type_identity_t<about<std::string>> const& a);
  void match(char const* key, route_config& route, char const* help);
  void window(char const* key, window_config& member, char const* help);
  void outcomes(char const* key, classification& member, char const* help);

 private:
  struct scope;  // one more step of the path, while it lives

  void report(source_position at, std::string code, std::string found, std::string expected,
              std::string hint = "");
  void misread(node const& n, misfit const& why, char const* what);
  void report_unknown_keys(node const& map);
  void report_type(node const& n, std::string expected, std::string hint = "");
  node const* look_up(char const* key, bool required);
  bool is_map(node const& n, char const* what);

  template <class Fields>
  void with_map(node const& n, char const* what, Fields const& read_fields);
  template <class T>
  bool scalar(node const& n, T& out, about<T> const& a);

  void named_from(node const& n, policy_config& out);
  template <class S>
  void named_from(node const& n, S& out) {
    section_from(n, out);
  }
  void layer_from(node const& n, std::vector<layer_spec>& out);
  void layer_named(std::string const& kind, source_position at, node const& n, std::vector<layer_spec>& out);
  void outcomes_from(node const& n, classification& out);

  std::string const& file_;
  std::vector<diagnostic>& problems_;
  std::map<std::string, source_position> places_;
  std::string path_;
  node const* here_ = nullptr;      // the map whose keys are being read
  std::vector<std::string> known_;  // the keys of that map's section
};

}  // namespace halfopen::config
