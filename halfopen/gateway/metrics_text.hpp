#pragma once

#include <concepts>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

#include <halfopen/base/json_text.hpp>

namespace halfopen::gateway {

/// Writes Prometheus' text form, version 0.0.4.
class metrics_text {
 public:
  struct label {
    std::string_view name;
    std::string_view value;
  };

  /// Begins a family; its samples follow.
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    ((text_ += "# HELP ") += name) += ' ';
    ((text_ += help) += "\n# TYPE ") += name;
    ((text_ += ' ') += type) += '\n';
  }

  template <std::integral T>
  void sample(std::initializer_list<label> labels, T value, std::string_view suffix = {}) {
    begin(labels, suffix);
    append_number(text_, value);
    text_ += '\n';
  }
  void sample(std::initializer_list<label> labels, double value, std::string_view suffix = {}) {
    begin(labels, suffix);
    char digits[32];
    auto const n = std::snprintf(digits, sizeof digits, "%.9g", value);
    text_.append(digits, static_cast<std::size_t>(n)) += '\n';
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void begin(std::initializer_list<label> labels, std::string_view suffix) {
    (text_ += name_) += suffix;
    if (labels.size() != 0) {
      char separator = '{';
      for (auto const& l : labels) {
        ((text_ += separator) += l.name) += "=\"";
        escape(l.value);
        text_ += '"';
        separator = ',';
      }
      text_ += '}';
    }
    text_ += ' ';
  }
  void escape(std::string_view value) {
    for (char const c : value) {
      if (c == '\\' || c == '"') text_ += '\\';
      if (c == '\n')
        text_ += "\\n";
      else
        text_ += c;
    }
  }

  std::string text_;
  std::string name_;
};

}  // namespace halfopen::gateway
