#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/tla/source.hpp>

namespace halfopen::tla {

enum class token_kind : std::uint8_t {
  identifier,
  number,   // digits; or \b, \o, \h and digits
  decimal,  // 3.14
  string,   // with its quotes and escapes
  keyword,
  symbol,      // operators and punctuation, in canonical spelling
  separator,   // ----
  end_module,  // ====
  proof_step,  // <1>2.
  end_of_text,
};

struct token {
  token_kind kind = token_kind::end_of_text;
  std::string_view text;     // canonical for symbols: "<=" where the file has "\leq"
  std::string_view written;  // as in the file
  source_position begin;
  source_position end;
  bool first_on_line = false;

  [[nodiscard]] bool is(std::string_view canonical) const noexcept {
    return text == canonical && (kind == token_kind::symbol || kind == token_kind::keyword);
  }
};

struct token_list {
  std::vector<token> tokens;  // ends with end_of_text
  std::vector<diagnostic> errors;
};

/// Splits a file's module, nested modules included, into tokens. What stands before the first module header
/// and after that module's ==== is ignored, and a `---- CONFIG` line ends the module.
[[nodiscard]] token_list lex(source_file const& file);

/// The tokens of a bare expression.
[[nodiscard]] token_list lex_expression(source_file const& file);

[[nodiscard]] bool is_reserved_word(std::string_view word) noexcept;

/// What a string token stands for: without quotes, escapes replaced.
[[nodiscard]] std::string unquoted(std::string_view written);

}  // namespace halfopen::tla
