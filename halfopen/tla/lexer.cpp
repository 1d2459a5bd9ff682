#include <algorithm>
#include <array>

#include <halfopen/tla/lexer.hpp>
#include <halfopen/tla/operators.hpp>

namespace halfopen::tla {
namespace {

constexpr auto reserved_words = std::to_array<std::string_view>(
    {"ACTION",    "ASSUME",    "ASSUMPTION", "AXIOM",       "BY",       "CASE",    "CHOOSE",    "CONSTANT",
     "CONSTANTS", "COROLLARY", "DEF",        "DEFINE",      "DEFS",     "DOMAIN",  "ELSE",      "ENABLED",
     "EXCEPT",    "EXTENDS",   "HAVE",       "HIDE",        "IF",       "IN",      "INSTANCE",  "LAMBDA",
     "LEMMA",     "LET",       "LOCAL",      "MODULE",      "NEW",      "OBVIOUS", "OMITTED",   "ONLY",
     "OTHER",     "PICK",      "PROOF",      "PROPOSITION", "PROVE",    "QED",     "RECURSIVE", "SF_",
     "STATE",     "SUBSET",    "SUFFICES",   "TAKE",        "TEMPORAL", "THEN",    "THEOREM",   "UNCHANGED",
     "UNION",     "USE",       "VARIABLE",   "VARIABLES",   "WF_",      "WITH",    "WITNESS"});

struct mark {
  std::string_view written;
  std::string_view name;
};

// Longest first where one begins another. Operator symbols come from their own table.
constexpr auto marks = std::to_array<mark>({
    // clang-format off
    {"\\forall", "\\A"}, {"\\exists", "\\E"}, {"|->", "|->"}, {">>_", ">>_"}, {"\\AA", "\\AA"}, {"\\EE", "\\EE"},
    {"::", "::"}, {"]_", "]_"}, {"<<", "<<"}, {">>", ">>"}, {"->", "->"}, {"<-", "<-"}, {"==", "=="}, {"\\A", "\\A"},
    {"\\E", "\\E"}, {"(", "("}, {")", ")"}, {"[", "["}, {"]", "]"}, {"{", "{"}, {"}", "}"}, {",", ","}, {":", ":"},
    {"!", "!"}, {".", "."}, {"@", "@"},
    // clang-format on
});

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) noexcept { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_octal(char c) noexcept { return c >= '0' && c <= '7'; }
bool is_binary(char c) noexcept { return c == '0' || c == '1'; }
bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::size_t character_length(unsigned char lead) noexcept {
  if (lead < 0xC0) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

class lexer {
 public:
  explicit lexer(source_file const& file) : file_{file}, text_{file.text} {}

  token_list run(bool whole_module) {
    if (whole_module) skip_to_module();
    while (!stopped_) next(whole_module);
    finish();
    return std::move(out_);
  }

 private:
  [[nodiscard]] char at(std::size_t offset = 0) const noexcept {
    return pos_ + offset < text_.size() ? text_[pos_ + offset] : '\0';
  }
  [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(pos_); }

  void advance(std::size_t bytes) {
    for (auto const stop = std::min(pos_ + bytes, text_.size()); pos_ < stop;) {
      char const c = text_[pos_];
      if (c == '\n') {
        here_ = {here_.line + 1, 1};
        fresh_line_ = true;
      } else if (c == '\t') {
        here_.column = (here_.column - 1) / 8 * 8 + 9;
      } else {
        ++here_.column;
      }
      last_ = here_;
      pos_ += character_length(static_cast<unsigned char>(c));
    }
    pos_ = std::min(pos_, text_.size());
  }

  void skip_to_module() {
    for (auto found = text_.find("----"); found != std::string_view::npos;
         found = text_.find("----", found)) {
      auto const after = text_.find_first_not_of('-', found);
      auto const word = text_.find_first_not_of(" \t", after);
      if (word != std::string_view::npos && text_.substr(word, 6) == "MODULE") {
        advance(found);
        return;
      }
      if (after == std::string_view::npos) break;
      found = after;
    }
    advance(text_.size());
  }

  void next(bool whole_module) {
    skip_blanks();
    if (pos_ >= text_.size()) {
      stopped_ = true;
      return;
    }
    if (whole_module && dashes_or_equals()) return;
    if (number_with_base() || proof_step() || word() || quoted() || symbol()) return;
    bad_character();
  }

  void skip_blanks() {
    while (pos_ < text_.size()) {
      char const c = at();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
        advance(1);
      } else if (c == '\\' && at(1) == '*') {
        auto const end = text_.find('\n', pos_);
        advance((end == std::string_view::npos ? text_.size() : end) - pos_);
      } else if (c == '(' && at(1) == '*') {
        block_comment();
      } else {
        return;
      }
    }
  }

  void block_comment() {
    auto const begin = here_;
    std::size_t depth = 0;
    do {
      if (at() == '(' && at(1) == '*') {
        ++depth;
        advance(2);
      } else if (at() == '*' && at(1) == ')') {
        --depth;
        advance(2);
      } else {
        advance(1);
      }
    } while (depth > 0 && pos_ < text_.size());
    if (depth > 0) {
      report(begin, "tla.open-comment", "a comment (* that is not closed", "*) before the end of the file",
             depth > 1 ? "comments nest: each (* inside needs a *) of its own" : "");
    }
  }

  bool dashes_or_equals() {
    char const c = at();
    if (c != '-' && c != '=') return false;
    auto const end = std::min(text_.find_first_not_of(c, pos_), text_.size());
    if (end - pos_ < 4) return false;
    push(c == '-' ? token_kind::separator : token_kind::end_module, end - pos_);
    if (c == '-') {
      after_separator();
    } else if (--depth_ <= 0) {
      stopped_ = true;
    }
    return true;
  }

  void after_separator() {
    skip_blanks();
    if (rest().starts_with("MODULE") && !is_word(at(6))) ++depth_;
    if (rest().starts_with("CONFIG") && !is_word(at(6))) {
      out_.tokens.back().kind = token_kind::end_module;
      stopped_ = true;
    }
  }

  bool number_with_base() {
    if (at() != '\\') return false;
    auto const is_base_digit = [&]() -> bool (*)(char) {
      switch (at(1)) {
        case 'b':
        case 'B': return is_binary;
        case 'o':
        case 'O': return is_octal;
        case 'h':
        case 'H': return is_hex;
        default: return nullptr;
      }
    }();
    if (is_base_digit == nullptr || !is_base_digit(at(2))) return false;
    std::size_t n = 2;
    while (is_base_digit(at(n))) ++n;
    push(token_kind::number, n);
    return true;
  }

  bool proof_step() {
    if (at() != '<') return false;
    std::size_t n = 1;
    if (at(1) == '*' || at(1) == '+') {
      n = 2;
    } else {
      while (is_digit(at(n))) ++n;
    }
    if (n == 1 || at(n) != '>' || at(n + 1) == '>') return false;
    ++n;
    while (is_word(at(n))) ++n;
    while (at(n) == '.') ++n;
    push(token_kind::proof_step, n);
    return true;
  }

  bool word() {
    std::size_t n = 0;
    bool letter = false;
    while (is_word(at(n))) {
      letter = letter || is_letter(at(n));
      ++n;
    }
    if (n == 0) return false;
    if (!letter) return digits_or_underscores(n);
    auto const name = rest().substr(0, n);
    if (name.starts_with("WF_") || name.starts_with("SF_")) {
      push(token_kind::keyword, 3);
    } else if (!is_reserved_word(name)) {
      push(token_kind::identifier, n);
    } else {
      push(canonical_operator(name).empty() ? token_kind::keyword : token_kind::symbol, n);
    }
    return true;
  }

  bool digits_or_underscores(std::size_t n) {
    if (at() == '_') {
      push(token_kind::symbol, 1);
      return true;
    }
    n = 0;
    while (is_digit(at(n))) ++n;
    if (at(n) == '.' && is_digit(at(n + 1))) {
      ++n;
      while (is_digit(at(n))) ++n;
      push(token_kind::decimal, n);
    } else {
      push(token_kind::number, n);
    }
    return true;
  }

  bool quoted() {
    if (at() != '"') return false;
    std::size_t n = 1;
    while (pos_ + n < text_.size() && at(n) != '"' && at(n) != '\n') n += at(n) == '\\' ? 2 : 1;
    if (at(n) != '"') {
      report(here_, "tla.open-string", "a string that is not closed", "\" before the end of the line");
      auto const end = text_.find('\n', pos_);
      push(token_kind::string, (end == std::string_view::npos ? text_.size() : end) - pos_);
      return true;
    }
    push(token_kind::string, n + 1);
    return true;
  }

  bool symbol() {
    auto const op = operator_prefix(rest());
    auto const* m = std::ranges::find_if(marks, [&](auto const& x) { return rest().starts_with(x.written); });
    auto const mark_size = m == marks.end() ? 0 : m->written.size();
    if (op.empty() && mark_size == 0) return unicode_mark();
    if (op.size() > mark_size) return push_symbol(op.size(), canonical_operator(op));
    return push_symbol(mark_size, m->name);
  }

  bool unicode_mark() {
    auto const n = character_length(static_cast<unsigned char>(at()));
    if (n == 1) return false;
    if (auto const closing = canonical_punctuation(rest().substr(0, n + 1)); !closing.empty())
      return push_symbol(n + 1, closing);
    auto const name = canonical_punctuation(rest().substr(0, n));
    return !name.empty() && push_symbol(n, name);
  }

  void bad_character() {
    auto const n = std::min(character_length(static_cast<unsigned char>(at())), text_.size() - pos_);
    std::string const hint =
        at() == ';' ? "definitions end where the next one begins; no semicolon is needed" : "";
    report(here_, "tla.character", "the character " + std::string{rest().substr(0, n)},
           "something that begins a name, number, string or operator", hint);
    advance(n);
  }

  bool push_symbol(std::size_t bytes, std::string_view canonical) {
    push(token_kind::symbol, bytes);
    out_.tokens.back().text = canonical;
    return true;
  }

  void push(token_kind kind, std::size_t bytes) {
    token t;
    t.kind = kind;
    t.text = t.written = rest().substr(0, bytes);
    t.begin = here_;
    t.first_on_line = fresh_line_;
    fresh_line_ = false;
    advance(bytes);
    t.end = {last_.line, last_.column - 1};
    out_.tokens.push_back(t);
  }

  void finish() {
    token t;
    t.begin = t.end = here_;
    t.text = t.written = "";
    t.first_on_line = true;
    out_.tokens.push_back(t);
  }

  void report(source_position where, std::string code, std::string found, std::string expected,
              std::string hint = "") {
    out_.errors.push_back({file_.path, where, severity::error, std::move(code), std::move(found),
                           std::move(expected), std::move(hint)});
  }

  source_file const& file_;
  std::string_view text_;
  std::size_t pos_ = 0;
  source_position here_{1, 1};
  source_position last_{1, 1};
  int depth_ = 0;  // of nested modules
  bool fresh_line_ = true;
  bool stopped_ = false;
  token_list out_;
};

}  // namespace

token_list lex(source_file const& file) { return lexer{file}.run(true); }

token_list lex_expression(source_file const& file) { return lexer{file}.run(false); }

bool is_reserved_word(std::string_view word) noexcept {
  return std::ranges::binary_search(reserved_words, word);
}

std::string unquoted(std::string_view written) {
  std::string out;
  auto const inside = written.substr(1, written.size() < 2 ? 0 : written.size() - 2);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      out += inside[i];
      continue;
    }
    switch (char const c = inside[++i]) {
      case 't': out += '\t'; break;
      case 'n': out += '\n'; break;
      case 'f': out += '\f'; break;
      case 'r': out += '\r'; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace halfopen::tla
