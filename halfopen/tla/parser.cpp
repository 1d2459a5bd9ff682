#include <algorithm>
#include <tuple>
#include <utility>

#include <halfopen/tla/parser.hpp>
#include <halfopen/tla/parser_state.hpp>

namespace halfopen::tla {
namespace {

constexpr std::uint32_t tree_depth_max = 1000;
constexpr std::size_t errors_max = 25;

std::string describe(token const& t) {
  switch (t.kind) {
    case token_kind::end_of_text: return "the end of the file";
    case token_kind::end_module: return "the end of the module (" + std::string{t.written.substr(0, 4)} + ")";
    case token_kind::separator: return "a line ----";
    case token_kind::keyword: return "the reserved word " + std::string{t.written};
    case token_kind::proof_step: return "the proof step " + std::string{t.written};
    case token_kind::string: return "the string " + std::string{t.written};
    case token_kind::identifier:
    case token_kind::number:
    case token_kind::decimal:
    case token_kind::symbol: break;
  }
  return std::string{t.written};
}

}  // namespace

parser::parser(source_file const& file, syntax_arena& arena, token_list tokens)
    : file_{file}, arena_{arena}, tokens_{std::move(tokens.tokens)}, errors_{std::move(tokens.errors)} {}

parse_result parser::run_module() {
  parse_result r;
  if (at_kind(token_kind::end_of_text)) {
    if (errors_.empty()) {
      report({file_.path,
              {1, 1},
              severity::error,
              "tla.no-module",
              "no module",
              "a line ---- MODULE Name ----",
              ""});
    }
  } else {
    try {
      r.tree = module_unit();
    } catch (failure) {
      r.tree = nullptr;
    }
  }
  std::ranges::sort(errors_, {},
                    [](diagnostic const& d) { return std::tuple{d.at.line, d.at.column, d.code}; });
  r.errors = std::move(errors_);
  return r;
}

parse_result parser::run_expression() {
  parse_result r;
  try {
    r.tree = expression();
    if (!at_kind(token_kind::end_of_text)) fail("the end of the expression");
  } catch (failure) {
    r.tree = nullptr;
  }
  r.errors = std::move(errors_);
  return r;
}

token const& parser::real(std::size_t ahead) const noexcept {
  return tokens_[std::min(pos_ + ahead, tokens_.size() - 1)];
}

bool parser::blocked(std::size_t ahead) const noexcept { return real(ahead).begin.column <= limit_; }

bool parser::at(std::string_view symbol, std::size_t ahead) const noexcept {
  return real(ahead).is(symbol) && !blocked(ahead);
}

bool parser::at_kind(token_kind kind, std::size_t ahead) const noexcept {
  return real(ahead).kind == kind && !blocked(ahead);
}

token const& parser::take() {
  auto const& t = real();
  if (pos_ + 1 < tokens_.size()) ++pos_;
  return t;
}

bool parser::accept(std::string_view symbol) {
  if (!at(symbol)) return false;
  take();
  return true;
}

token const& parser::expect(std::string_view symbol, std::string_view why) {
  if (!at(symbol)) fail(std::string{symbol}, std::string{why});
  return take();
}

token const& parser::expect_name(std::string_view what) {
  if (at_kind(token_kind::identifier)) return take();
  std::string hint;
  if (real().kind == token_kind::keyword) hint = "a reserved word cannot be a name";
  if (at("<<")) hint = "tuple patterns do not nest; bind the part to a name and take it apart in the body";
  fail(std::string{what}, hint);
}

void parser::expect_closing(std::string_view symbol, token const& opened) {
  if (accept(symbol)) return;
  fail(std::string{symbol}, "the " + std::string{opened.written} + " at " +
                                std::to_string(opened.begin.line) + ":" +
                                std::to_string(opened.begin.column) + " is not closed");
}

void parser::fail(std::string expected, std::string hint) {
  auto const& t = real();
  if (blocked() && t.kind != token_kind::end_of_text && t.kind != token_kind::end_module && !starts_unit()) {
    if (!hint.empty()) hint += "; ";
    hint += "it stands at or left of the bullets of the list around it (column " + std::to_string(limit_) +
            "), which ends the list";
  }
  fail_at(t, "tla.syntax", describe(t), std::move(expected), std::move(hint));
}

void parser::fail_at(token const& where, std::string code, std::string found, std::string expected,
                     std::string hint) {
  auto const in = in_definition();
  if (!hint.empty() && !in.empty()) hint += "; ";
  report({file_.path, where.begin, severity::error, std::move(code), std::move(found), std::move(expected),
          hint + in});
  throw failure{};
}

void parser::report(diagnostic d) {
  if (errors_.size() < errors_max) errors_.push_back(std::move(d));
}

std::string parser::in_definition() const {
  return definition_.empty() ? "" : "in the definition of " + std::string{definition_};
}

syntax_node* parser::make(syntax_kind kind, source_position begin, std::string_view text) {
  auto& n = arena_.emplace_back();
  n.kind = kind;
  n.text = text;
  n.begin = n.at = begin;
  return &n;
}

syntax_node* parser::close(syntax_node* n) {
  n->end = pos_ == 0 ? n->begin : tokens_[pos_ - 1].end;
  return n;
}

syntax_node* parser::add(syntax_node* parent, syntax_node* kid) {
  parent->kids.push_back(kid);
  parent->depth = std::max(parent->depth, kid->depth + 1);
  if (parent->depth > tree_depth_max) {
    fail_at(real(), "tla.too-deep", "an expression nested " + std::to_string(tree_depth_max) + " deep",
            "one less deep", "give a part of it a name");
  }
  return parent;
}

syntax_node* parser::named(token const& t) {
  auto* n = make(syntax_kind::name, t.begin, t.text);
  n->end = t.end;
  return n;
}

parse_result parse_module(source_file const& file, syntax_arena& arena) {
  return parser{file, arena, lex(file)}.run_module();
}

parse_result parse_expression(source_file const& file, syntax_arena& arena) {
  return parser{file, arena, lex_expression(file)}.run_expression();
}

}  // namespace halfopen::tla
