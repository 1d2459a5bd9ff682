#include <algorithm>
#include <array>
#include <string>

#include <halfopen/tla/parser_state.hpp>

namespace halfopen::tla {
namespace {

constexpr std::size_t head_longest = 200;  // tokens looked at to find the == of `Op(a, b, ...) ==`

constexpr auto unit_words = std::to_array<std::string_view>(
    {"CONSTANT", "CONSTANTS", "VARIABLE", "VARIABLES", "ASSUME", "ASSUMPTION", "AXIOM", "THEOREM", "LEMMA",
     "PROPOSITION", "COROLLARY", "LOCAL", "RECURSIVE", "INSTANCE", "USE", "HIDE"});

constexpr auto theorem_words =
    std::to_array<std::string_view>({"THEOREM", "LEMMA", "PROPOSITION", "COROLLARY"});

bool is_one_of(token const& t, auto const& words) noexcept {
  return t.kind == token_kind::keyword && std::ranges::find(words, t.text) != words.end();
}

}  // namespace

diagnostic parser::missing_end() const {
  return {file_.path,
          real().begin,
          severity::error,
          "tla.no-end",
          "the end of the file",
          "the module's closing line ====",
          "every ---- MODULE needs a ==== of its own"};
}

syntax_node* parser::module_unit() {
  auto const& header = take();  // ----
  expect("MODULE");
  auto const& name = expect_name("the module's name");
  auto* m = make(syntax_kind::module, header.begin, name.text);
  m->at = name.begin;
  if (!at_kind(token_kind::separator)) fail("---- after the module's name");
  take();
  if (accept("EXTENDS")) {
    do {
      add(m, named(expect_name("the name of a module after EXTENDS")));
      ++m->count;
    } while (accept(","));
  }
  units_until_end(m, header);
  return close(m);
}

void parser::units_until_end(syntax_node* module, token const&) {
  for (;;) {
    if (at_kind(token_kind::end_module)) {
      take();
      return;
    }
    if (at_kind(token_kind::end_of_text)) {
      report(missing_end());
      return;
    }
    if (at_kind(token_kind::separator) && !at("MODULE", 1)) {
      take();
      continue;
    }
    guarded_unit(module);
  }
}

void parser::guarded_unit(syntax_node* parent) {
  auto const begin = real().begin;
  auto const before = pos_;
  limit_ = 0;
  nesting_ = 0;
  try {
    if (auto* n = unit()) parent->kids.push_back(n);
  } catch (failure) {
    limit_ = 0;
    if (pos_ == before) take();
    skip_to_unit(begin);
  }
  definition_ = {};
}

/// After an error: on to the next line that begins a unit and is not indented deeper than the broken one.
void parser::skip_to_unit(source_position unit_begin) {
  while (real().kind != token_kind::end_of_text && real().kind != token_kind::end_module) {
    auto const& t = real();
    if (t.first_on_line && t.begin.column <= unit_begin.column && starts_unit()) return;
    take();
  }
}

syntax_node* parser::unit() {
  auto const& t = real();
  if (t.kind == token_kind::separator) return module_unit();
  if (at("CONSTANT") || at("CONSTANTS")) return declarations(syntax_kind::constants);
  if (at("VARIABLE") || at("VARIABLES")) return declarations(syntax_kind::variables);
  if (at("RECURSIVE")) return declarations(syntax_kind::recursive);
  if (at("ASSUME") || at("ASSUMPTION") || at("AXIOM")) return assumption();
  if (is_one_of(t, theorem_words)) return theorem();
  if (at("USE") || at("HIDE")) {
    skip_leaf_proof();
    return nullptr;
  }
  bool const local = accept("LOCAL");
  auto* n = at("INSTANCE") ? instance() : definition();
  n->local = local;
  return n;
}

syntax_node* parser::declarations(syntax_kind kind) {
  auto const& word = take();
  auto* n = make(kind, word.begin);
  auto const what = "a name after " + std::string{word.text};
  do {
    if (kind == syntax_kind::variables) {
      add(n, named(expect_name(what)));
    } else {
      add(n, parameter(what));
    }
  } while (accept(","));
  return close(n);
}

/// `x`, `F(_, _)`, `_ + _`, `-. _`, `_ ^+`
syntax_node* parser::parameter(std::string_view what) {
  auto* p = make(syntax_kind::parameter, real().begin);
  if (accept("_")) {
    p->text = real().text;
    p->at = real().begin;
    p->count = find_infix(p->text) != nullptr ? 2 : 1;
    if (p->count == 1 && find_postfix(p->text) == nullptr) fail("an operator symbol after _");
    take();
    if (p->count == 2) expect("_");
    return close(p);
  }
  if (at("-.")) {
    p->text = take().text;
    p->count = 1;
    expect("_");
    return close(p);
  }
  p->text = expect_name(what).text;
  if (accept("(")) {
    do {
      expect("_", "a parameter that is an operator is written F(_, _)");
      ++p->count;
    } while (accept(","));
    expect(")");
  }
  return close(p);
}

syntax_node* parser::definition() {
  auto* n = definition_head(make(syntax_kind::definition, real().begin));
  if (!at("==")) {
    bool const single = at("=");
    fail("==", single ? "a definition is written with ==" : "");
  }
  take();
  if (at("INSTANCE")) {
    if (n->kind == syntax_kind::function_definition)
      fail("an expression", "an instance has parameters in round brackets");
    n->kind = syntax_kind::instance_definition;
    return close(add(n, instance()));
  }
  return close(add(n, expression()));
}

/// Everything left of ==.
syntax_node* parser::definition_head(syntax_node* n) {
  auto const parameter_named = [&](token const& t) {
    auto* p = make(syntax_kind::parameter, t.begin, t.text);
    p->end = t.end;
    add(n, p);
  };
  if (at("-.")) {
    n->text = definition_ = take().text;
    parameter_named(expect_name("the operand of -."));
    return n;
  }
  if (!at_kind(token_kind::identifier)) fail("a definition or declaration");
  auto const& name = take();
  auto const& next = real();
  bool const infix = next.kind == token_kind::symbol && find_infix(next.text) != nullptr;
  bool const postfix = next.kind == token_kind::symbol && find_postfix(next.text) != nullptr;
  if ((infix && at_kind(token_kind::identifier, 1) && at("==", 2)) || (postfix && at("==", 1))) {
    parameter_named(name);
    n->at = next.begin;
    n->text = definition_ = take().text;
    if (infix) parameter_named(take());
    if (!is_user_definable(n->text)) {
      fail_at(next, "tla.syntax", "a definition of " + std::string{next.written}, "another operator",
              "it belongs to the language and cannot be defined");
    }
    return n;
  }
  n->text = definition_ = name.text;
  if (at("(")) {
    auto const& opened = take();
    do {
      add(n, parameter("a parameter"));
    } while (accept(","));
    expect_closing(")", opened);
  } else if (at("[")) {
    auto const& opened = take();
    n->kind = syntax_kind::function_definition;
    bounds(n, false, "a name to range over the function's domain");
    expect_closing("]", opened);
  }
  return n;
}

syntax_node* parser::instance() {
  auto* n = make(syntax_kind::instance, take().begin);
  auto const& name = expect_name("the name of a module after INSTANCE");
  n->text = name.text;
  n->at = name.begin;
  if (!accept("WITH")) return close(n);
  do {
    auto const& what = real();
    bool const symbol = what.kind == token_kind::symbol && !canonical_operator(what.text).empty();
    if (!symbol && !at_kind(token_kind::identifier)) fail("a constant or variable of the module after WITH");
    auto* s = make(syntax_kind::substitution, take().begin, what.text);
    expect("<-", "a substitution is written name <- expression");
    auto const& by = real();
    bool const is_operator = by.kind == token_kind::symbol && !canonical_operator(by.text).empty();
    bool const alone = is_operator && (real(1).is(",") || starts_unit(1) || real(1).is("IN"));
    add(s, alone ? close(make(syntax_kind::operator_name, take().begin, by.text)) : expression());
    add(n, close(s));
  } while (accept(","));
  return close(n);
}

bool parser::starts_unit(std::size_t ahead) const noexcept {
  auto const& t = real(ahead);
  if (t.kind == token_kind::separator || t.kind == token_kind::end_module) return true;
  return is_one_of(t, unit_words) || starts_definition(ahead);
}

bool parser::starts_definition(std::size_t ahead) const noexcept {
  auto const& t = real(ahead);
  if (t.is("-.")) return real(ahead + 1).kind == token_kind::identifier && real(ahead + 2).is("==");
  if (t.kind != token_kind::identifier) return false;
  auto const& next = real(ahead + 1);
  if (next.is("==")) return true;
  if (next.is("(") || next.is("[")) return real(after_brackets(ahead + 1)).is("==");
  if (next.kind != token_kind::symbol) return false;
  if (find_infix(next.text) != nullptr && real(ahead + 2).kind == token_kind::identifier)
    return real(ahead + 3).is("==");
  return find_postfix(next.text) != nullptr && real(ahead + 2).is("==");
}

/// The place after the bracket that closes the one at `ahead`; the end of the text if there is none nearby.
std::size_t parser::after_brackets(std::size_t ahead) const noexcept {
  int depth = 0;
  for (std::size_t i = ahead; i < ahead + head_longest; ++i) {
    auto const& t = real(i);
    if (t.is("(") || t.is("[") || t.is("{")) ++depth;
    if (t.is(")") || t.is("]") || t.is("}")) --depth;
    if (depth == 0) return i + 1;
    if (t.is("==") || t.kind == token_kind::end_of_text) break;
  }
  return tokens_.size();
}

}  // namespace halfopen::tla
