#include <halfopen/config/describe.hpp>
#include <halfopen/config/outcomes.hpp>
#include <halfopen/config/sections.hpp>

namespace halfopen::config {
namespace {

constexpr char const* introduction =
    "# Configuration\n"
    "\n"
    "Everything that a gateway's file may say. This page is written by `halfopen config reference` from the "
    "table that\n"
    "also reads the file; a test holds the two together.\n"
    "\n"
    "- Write a file to start from with `halfopen init`, check one with `halfopen serve --config FILE "
    "--check-config`.\n"
    "- See every value that is in force with `halfopen config show --effective FILE`.\n"
    "- `halfopen config schema > halfopen.schema.json` gives your editor completion; put\n"
    "  `# yaml-language-server: $schema=halfopen.schema.json` on the file's first line.\n"
    "- Relative paths start from the folder in which the file stands.\n"
    "- A number that could be misread carries its unit: `200ms`, `5s`, `30d`; `4kB` (4000 bytes), `4KiB` "
    "(4096);\n"
    "  `50%`; `200/s`.\n"
    "- Every problem of a file is reported at once, as `file:line:column`, with a code that stays the "
    "same.\n";

// The visitor that writes the reference page: a table of keys a section, sections within sections after it.
class reference_writer {
 public:
  template <class S>
  static std::string section_of(std::string const& path, std::string const& help) {
    S const defaults{};
    reference_writer v{path};
    fields(v, defaults);
    return v.done(help);
  }

  explicit reference_writer(std::string path) : path_{std::move(path)} {}

  std::string done(std::string const& help) const {
    std::string const title = path_.empty() ? "\n## The file\n" : "\n## `" + path_ + "`\n";
    return title + "\n" + help + "\n\n| key | value | default | |\n|---|---|---|---|\n" + rows_ + sections_;
  }

  template <class T, class A = about<setting<T>>>
  void value(char const* key, T const& member, std::type_identity_t<A> const& a) {
    std::string shown;
    if constexpr (std::is_same_v<T, setting<T>>) shown = codec<T>::print(member);
    if (!shown.empty()) shown = "`" + shown + "`";
    if (a.otherwise != nullptr) shown = a.otherwise;
    row(key, codec<setting<T>>::what + range(a), a.required ? "**required**" : shown, a.help);
  }
  template <class T>
  void values(char const* key, std::vector<T> const& member, std::type_identity_t<about<T>> const& a) {
    std::string shown;
    for (auto const& m : member) shown += (shown.empty() ? "" : ", ") + codec<T>::print(m);
    row(key, std::string{"a list: "} + codec<T>::what, a.required ? "**required**" : "`[" + shown + "]`",
        a.help);
  }
  template <class S>
  void section(char const* key, S const&, char const* help) {
    row(key, "see [" + below(key) + "](#" + anchor(below(key)) + ")", "", help);
    sections_ += section_of<S>(below(key), help);
  }
  template <class S>
  void named(char const* key, std::vector<S> const&, about<std::string> const& a) {
    auto const each = below(key) + ".NAME";
    row(key, "see [" + each + "](#" + anchor(each) + ")", a.required ? "**required**" : "", a.help);
    if constexpr (is<S, policy_config>)
      sections_ += layers(each);
    else
      sections_ += section_of<S>(each, a.help);
  }
  template <class S>
  void sequence(char const* key, std::vector<S> const&, about<std::string> const& a) {
    auto const each = below(key) + "[]";
    row(key, "see [" + each + "](#" + anchor(each) + ")", "", a.help);
    sections_ += section_of<S>(each, a.help);
  }
  void match(char const* key, route_config const& defaults, char const* help) {
    row(key, "see [" + below(key) + "](#" + anchor(below(key)) + ")", "**required**", help);
    reference_writer v{below(key)};
    fields_of_match(v, defaults);
    sections_ += v.done(help);
  }
  void window(char const* key, window_config const& member, char const* help) {
    auto const w = spelled(member);
    auto const shown = "`{time: " + codec<duration>::print(*w.time) +
                       ", buckets: " + codec<std::uint32_t>::print(*w.buckets) + "}`";
    row(key, "see [" + below(key) + "](#" + anchor(below(key)) + ")", shown, help);
    sections_ += section_of<window_spelling>(below(key), help);
  }
  void outcomes(char const* key, classification const&, char const* help) {
    row(key, "see [" + below(key) + "](#" + anchor(below(key)) + ")", "", help);
    reference_writer v{below(key)};
    auto const defaults = default_classification();
    for (auto const& l : outcome_lists) v.values(l.key, outcomes_of(defaults, l.gives), {.help = l.help});
    sections_ += v.done(help);
  }

 private:
  template <class T>
  static std::string range(about<T> const& a) {
    if constexpr (requires { *a.least < *a.most; }) {
      if (a.least && a.most) return ", " + codec<T>::print(*a.least) + " to " + codec<T>::print(*a.most);
      if (a.least) return ", at least " + codec<T>::print(*a.least);
      if (a.most) return ", at most " + codec<T>::print(*a.most);
    }
    return "";
  }
  // As Markdown viewers derive a heading's anchor.
  static std::string anchor(std::string const& title) {
    std::string out;
    for (char const c : title) {
      if (c >= 'A' && c <= 'Z')
        out += static_cast<char>(c + 32);
      else if ((c >= 'a' && c <= 'z') || c == '_' || c == '-')
        out += c;
    }
    return out;
  }
  static std::string layers(std::string const& path) {
    std::string out = "\n## `" + path +
                      "`\n\nA list of at most six layers, the outermost first; each item has one key.\n\n| "
                      "layer | |\n|---|---|\n";
    std::string not_built;
    for (auto const& k : layer_kinds) {
      auto const name = "`" + std::string{k.name} + "`";
      if (k.built)
        out += "| " + name + " | " + k.help + " |\n";
      else
        not_built += (not_built.empty() ? "" : ", ") + name;
    }
    out += "\nRecognised, and refused because they are not built yet: " + not_built + ".\n";
    out += "\n### `timeout`\n\n`timeout: 2s`: " + std::string{codec<duration>::what} + ", 1ms to 1d.\n";
    return out + section_of<circuit_breaker_spec>("circuit_breaker", layer_kinds[1].help);
  }
  std::string below(char const* key) const { return path_.empty() ? key : path_ + "." + key; }
  void row(char const* key, std::string const& value, std::string const& shown, char const* help) {
    rows_ += std::string{"| `"} + key + "` | " + value + " | " + shown + " | " + help + " |\n";
  }

  std::string path_;
  std::string rows_;
  std::string sections_;
};

}  // namespace

std::string reference() {
  return introduction +
         reference_writer::section_of<gateway_config>("", "The sections and settings at the top.");
}

}  // namespace halfopen::config
