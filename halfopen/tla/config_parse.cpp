#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <halfopen/tla/config.hpp>
#include <halfopen/tla/lexer.hpp>
#include <halfopen/tla/operators.hpp>

namespace halfopen::tla {
namespace {

enum class section : std::uint8_t {
  specification,
  init,
  next,
  view,
  alias,
  invariants,
  properties,
  constraints,
  action_constraints,
  symmetry,
  postconditions,
  constants,
  check_deadlock
};

struct keyword {
  std::string_view word;
  section opens;
};

// clang-format off
constexpr auto keywords = std::to_array<keyword>({
    {"SPECIFICATION", section::specification}, {"INIT", section::init}, {"NEXT", section::next},
    {"VIEW", section::view}, {"ALIAS", section::alias}, {"INVARIANT", section::invariants},
    {"INVARIANTS", section::invariants}, {"PROPERTY", section::properties}, {"PROPERTIES", section::properties},
    {"CONSTRAINT", section::constraints}, {"CONSTRAINTS", section::constraints},
    {"ACTION_CONSTRAINT", section::action_constraints}, {"ACTION_CONSTRAINTS", section::action_constraints},
    {"SYMMETRY", section::symmetry}, {"POSTCONDITION", section::postconditions},
    {"POSTCONDITIONS", section::postconditions}, {"CONSTANT", section::constants}, {"CONSTANTS", section::constants},
    {"CHECK_DEADLOCK", section::check_deadlock},
});
// clang-format on

keyword const* find_keyword(std::string_view word) noexcept {
  auto const* it = std::ranges::find(keywords, word, &keyword::word);
  return it == keywords.end() ? nullptr : it;
}

std::string nearest_keyword(std::string const& word) {
  std::vector<std::string> words;
  for (auto const& k : keywords) words.emplace_back(k.word);
  return nearest(word, words);
}

struct word {
  enum class sort : std::uint8_t { name, number, string, symbol, end };
  sort what = sort::end;
  std::string_view text;
  source_position at;
};

bool is_word_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '!';
}

bool is_number(std::string_view t) noexcept {
  if (t.starts_with('-')) t.remove_prefix(1);
  return !t.empty() && std::ranges::all_of(t, [](char c) { return c >= '0' && c <= '9'; });
}

class reader {
 public:
  reader(std::string_view text, std::string path) : text_{text} { out_.path = std::move(path); }

  expected<config, std::vector<diagnostic>> run() {
    next();
    while (here_.what != word::sort::end && errors_.size() < errors_max) statement();
    if (!errors_.empty()) return unexpected<std::vector<diagnostic>>{std::move(errors_)};
    return std::move(out_);
  }

 private:
  static constexpr std::size_t errors_max = 25;
  static constexpr int sets_deepest = 50;

  // Words
  char peek(std::size_t ahead = 0) const noexcept {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }

  void step() {
    if (peek() == '\n') {
      at_ = {at_.line + 1, 1};
    } else {
      ++at_.column;
    }
    ++pos_;
  }

  void skip_blanks() {
    while (pos_ < text_.size()) {
      if (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n' || peek() == '\f') {
        step();
      } else if (peek() == '\\' && peek(1) == '*') {
        while (pos_ < text_.size() && peek() != '\n') step();
      } else if (peek() == '(' && peek(1) == '*') {
        skip_block();
      } else {
        return;
      }
    }
  }

  void skip_block() {
    auto const begin = at_;
    int depth = 0;
    do {
      bool const opens = peek() == '(' && peek(1) == '*';
      bool const closes = peek() == '*' && peek(1) == ')';
      depth += opens ? 1 : closes ? -1 : 0;
      if (opens || closes) step();
      step();
    } while (depth > 0 && pos_ < text_.size());
    if (depth > 0) report(begin, "a comment (* that is not closed", "*)");
  }

  void next() {
    skip_blanks();
    here_ = {word::sort::end, "the end of the file", at_};
    if (pos_ >= text_.size()) return;
    auto const begin = pos_;
    if (is_word_character(peek()) || (peek() == '-' && peek(1) >= '0' && peek(1) <= '9')) {
      do {
        step();
      } while (is_word_character(peek()));
      auto const t = text_.substr(begin, pos_ - begin);
      here_ = {is_number(t) ? word::sort::number : word::sort::name, t, here_.at};
    } else if (peek() == '"') {
      quoted(begin);
    } else {
      symbol(begin);
    }
  }

  void quoted(std::size_t begin) {
    step();
    while (pos_ < text_.size() && peek() != '"' && peek() != '\n') {
      if (peek() == '\\' && pos_ + 1 < text_.size()) step();
      step();
    }
    if (peek() != '"') report(here_.at, "a string that is not closed", "\" before the end of the line");
    if (pos_ < text_.size() && peek() == '"') step();
    here_ = {word::sort::string, text_.substr(begin, pos_ - begin), here_.at};
  }

  void symbol(std::size_t begin) {
    auto const rest = text_.substr(begin);
    auto const op = operator_prefix(rest);
    auto const size = rest.starts_with("<-") ? 2 : std::max<std::size_t>(op.size(), 1);
    for (std::size_t i = 0; i < size; ++i) step();
    here_ = {word::sort::symbol, text_.substr(begin, size), here_.at};
  }

  bool accept(std::string_view symbol) {
    if (here_.what != word::sort::symbol || here_.text != symbol) return false;
    next();
    return true;
  }

  // Statements
  [[nodiscard]] bool at_keyword() const noexcept {
    return here_.what == word::sort::name && find_keyword(here_.text) != nullptr;
  }
  [[nodiscard]] bool at_name() const noexcept { return here_.what == word::sort::name && !at_keyword(); }

  void statement() {
    auto const opener = here_;
    auto const* k = opener.what == word::sort::name ? find_keyword(opener.text) : nullptr;
    next();
    if (k == nullptr) {
      auto const near = nearest_keyword(std::string{opener.text});
      report(opener.at, std::string{opener.text}, "a statement such as INIT, NEXT, INVARIANT or CONSTANT",
             near.empty() ? "" : "did you mean " + near + "?");
      while (here_.what != word::sort::end && !at_keyword()) next();
      return;
    }
    switch (k->opens) {
      case section::specification: return one(out_.specification, *k);
      case section::init: return one(out_.init, *k);
      case section::next: return one(out_.next, *k);
      case section::view: return one(out_.view, *k);
      case section::alias: return one(out_.alias, *k);
      case section::invariants: return many(out_.invariants);
      case section::properties: return many(out_.properties);
      case section::constraints: return many(out_.constraints);
      case section::action_constraints: return many(out_.action_constraints);
      case section::symmetry: return many(out_.symmetry);
      case section::postconditions: return many(out_.postconditions);
      case section::constants: return constants();
      case section::check_deadlock: return deadlock();
    }
  }

  void one(std::optional<config_name>& into, keyword const& k) {
    if (!at_name()) return report(here_.at, std::string{here_.text}, "a name after " + std::string{k.word});
    if (into) report(here_.at, "a second " + std::string{k.word}, "one " + std::string{k.word});
    into = config_name{std::string{here_.text}, here_.at};
    next();
  }

  void many(std::vector<config_name>& into) {
    while (at_name()) {
      into.push_back({std::string{here_.text}, here_.at});
      next();
      accept(",");
    }
  }

  void deadlock() {
    bool const yes = here_.text == "TRUE";
    if (!yes && here_.text != "FALSE")
      return report(here_.at, std::string{here_.text}, "TRUE or FALSE after CHECK_DEADLOCK");
    out_.check_deadlock = yes;
    next();
  }

  void constants() {
    while (here_.what != word::sort::end && !at_keyword()) {
      auto const before = pos_;
      auto const errors = errors_.size();
      constant();
      accept(",");
      if (errors_.size() == errors) continue;
      if (pos_ == before) next();
      while (here_.what != word::sort::end && !at_keyword()) next();
    }
  }

  void constant() {
    config_constant c;
    bool const op =
        here_.what == word::sort::symbol && !canonical_operator(here_.text).empty() && here_.text != "=";
    if (!at_name() && !op) return report(here_.at, std::string{here_.text}, "the name of a constant");
    c.name = {std::string{op ? canonical_operator(here_.text) : here_.text}, here_.at};
    next();
    if (accept("(")) {
      do {
        c.args.push_back(value(0));
      } while (accept(","));
      if (!accept(")")) return report(here_.at, std::string{here_.text}, ") or ,");
    }
    if (accept("<-")) {
      replacement(c);
    } else if (accept("=")) {
      if (accept("[") && !module_name(c)) return;
      c.value = value(0);
    } else {
      auto const near = nearest_keyword(c.name.text);
      report(here_.at, std::string{here_.text}, "= and a value, or <- and a definition, after " + c.name.text,
             near.empty() ? "" : "did you mean " + near + "?");
    }
    out_.constants.push_back(std::move(c));
  }

  /// The rest of `[Module]`: what follows counts only inside of that module.
  bool module_name(config_constant& c) {
    c.in_module = {std::string{here_.text}, here_.at};
    bool const named = at_name();
    if (named) next();
    bool const closed = accept("]");
    if (!named || !closed) report(here_.at, std::string{here_.text}, named ? "]" : "the name of a module");
    return named && closed;
  }

  void replacement(config_constant& c) {
    if (accept("[") && !module_name(c)) return;
    bool const op = here_.what == word::sort::symbol && !canonical_operator(here_.text).empty();
    if (!at_name() && !op)
      return report(here_.at, std::string{here_.text}, "the name of a definition after <-");
    c.replacement = {std::string{op ? canonical_operator(here_.text) : here_.text}, here_.at};
    next();
  }

  config_value value(int depth) {
    config_value v;
    if (here_.what == word::sort::number) return number();
    if (here_.what == word::sort::string) {
      v.what = config_value::sort::string;
      v.text = unquoted(here_.text);
      next();
    } else if (at_name()) {
      bool const truth = here_.text == "TRUE" || here_.text == "FALSE";
      v.what = truth ? config_value::sort::boolean : config_value::sort::model_value;
      v.number = here_.text == "TRUE" ? 1 : 0;
      if (!truth) v.text = here_.text;
      next();
    } else if (depth < sets_deepest && accept("{")) {
      set(v, depth);
    } else {
      report(here_.at, std::string{here_.text},
             "a value: a number, a string, TRUE, FALSE, a name or a set of these");
    }
    return v;
  }

  config_value number() {
    config_value v;
    auto const *first = std::to_address(here_.text.begin()), *last = std::to_address(here_.text.end());
    if (std::from_chars(first, last, v.number).ec != std::errc{}) {
      report(here_.at, "the number " + std::string{here_.text}, "one that fits in 63 bits");
    }
    next();
    return v;
  }

  void set(config_value& v, int depth) {
    v.what = config_value::sort::set;
    if (accept("}")) return;
    do {
      auto const errors = errors_.size();
      v.elements.push_back(value(depth + 1));
      if (errors_.size() > errors) return;
    } while (accept(","));
    if (!accept("}")) report(here_.at, std::string{here_.text}, "} or ,");
  }

  void report(source_position at, std::string found, std::string wanted, std::string hint = "") {
    errors_.push_back(
        {out_.path, at, severity::error, "cfg.syntax", std::move(found), std::move(wanted), std::move(hint)});
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  source_position at_{1, 1};
  word here_;
  config out_;
  std::vector<diagnostic> errors_;
};

}  // namespace

expected<config, std::vector<diagnostic>> parse_config(std::string_view text, std::string path) {
  return reader{text, std::move(path)}.run();
}

expected<config, std::vector<diagnostic>> read_config(std::string const& path) {
  std::error_code ignored;
  std::ifstream in{path, std::ios::binary};
  if (!in || std::filesystem::is_directory(path, ignored)) {
    return unexpected<std::vector<diagnostic>>{
        std::vector<diagnostic>{{path,
                                 {},
                                 severity::error,
                                 "cfg.no-file",
                                 "no file that can be read",
                                 "a configuration",
                                 "name one with --config, or put one beside the spec"}}};
  }
  std::ostringstream text;
  text << in.rdbuf();
  return parse_config(std::move(text).str(), path);
}

}  // namespace halfopen::tla
