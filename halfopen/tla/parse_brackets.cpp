#include <algorithm>
#include <string>

#include <halfopen/tla/parser_state.hpp>

namespace halfopen::tla {
namespace {

bool is_plain_name(syntax_node const& n) noexcept {
  return n.kind == syntax_kind::reference && !n.bracketed && n.kids.size() == 1 && n.kids[0]->kids.empty();
}

bool is_pattern(syntax_node const& n) noexcept {
  return is_plain_name(n) ||
         (n.kind == syntax_kind::tuple && !n.bracketed && !n.kids.empty() &&
          std::ranges::all_of(n.kids, [](syntax_node const* k) { return is_plain_name(*k); }));
}

/// `x \in S` or `<<x, y>> \in S`, which in front of a colon or |-> binds names.
bool is_membership(syntax_node const& n) noexcept {
  return n.kind == syntax_kind::infix && !n.bracketed && n.text == "\\in" && is_pattern(*n.kids[0]);
}

}  // namespace

syntax_node* parser::round() {
  auto const& opened = take();
  auto* n = expression();
  expect_closing(")", opened);
  n->bracketed = true;
  return n;
}

syntax_node* parser::angle_brackets() {
  auto const& opened = take();
  auto* n = make(syntax_kind::tuple, opened.begin);
  if (accept(">>")) return close(n);
  arguments(n);
  if (at(">>_")) {
    if (n->kids.size() != 1) fail(">>", "an action <<A>>_v holds one expression");
    take();
    n->kind = syntax_kind::angle;
    return close(add(n, subscript()));
  }
  expect_closing(">>", opened);
  return close(n);
}

syntax_node* parser::curly() {
  auto const& opened = take();
  auto* n = make(syntax_kind::set_of, opened.begin);
  if (accept("}")) return close(n);
  auto* first = expression();
  if (accept(":")) {
    if (is_membership(*first)) {
      n->kind = syntax_kind::set_filter;
      add(n, to_bound(first));
      add(n, expression());
    } else {
      n->kind = syntax_kind::set_map;
      add(n, first);
      bounds(n, false, "a name to range over a set, after the colon");
    }
  } else {
    add(n, first);
    while (accept(",")) add(n, expression());
  }
  expect_closing("}", opened);
  return close(n);
}

syntax_node* parser::square_brackets() {
  auto const& opened = take();
  if (at_kind(token_kind::identifier) || (real().kind == token_kind::keyword && !blocked())) {
    if (at("|->", 1)) return record(syntax_kind::record, "|->", opened.begin);
    if (at(":", 1)) return record(syntax_kind::record_set, ":", opened.begin);
  }
  auto* first = expression();
  if (at("|->") || at(",")) return function_literal(first, opened.begin);
  if (at("EXCEPT")) return except_expression(first, opened.begin, opened);
  if (accept("->")) {
    auto* n = make(syntax_kind::function_set, opened.begin);
    add(add(n, first), expression());
    expect_closing("]", opened);
    return close(n);
  }
  if (accept("]_")) {
    auto* n = make(syntax_kind::square, opened.begin);
    return close(add(add(n, first), subscript()));
  }
  if (at("]")) fail("]_ and a subscript, |->, -> or EXCEPT", "an expression alone in [ ] means nothing");
  expect_closing("]", opened);
  return first;
}

syntax_node* parser::record(syntax_kind kind, std::string_view separator, source_position begin) {
  auto* n = make(kind, begin);
  do {
    auto const& name = real();
    if (name.kind != token_kind::identifier && name.kind != token_kind::keyword) fail("the name of a field");
    auto* field = make(syntax_kind::field, take().begin, name.text);
    expect(separator);
    add(n, close(add(field, expression())));
  } while (accept(","));
  if (!accept("]")) fail("] or ,", "the record is not closed");
  return close(n);
}

/// The first part has been read as an expression: `x \in S`, or `x` of `x, y \in S`.
syntax_node* parser::function_literal(syntax_node* first, source_position begin) {
  auto* n = make(syntax_kind::function, begin);
  std::vector<syntax_node*> names;
  auto const finish = [&](syntax_node* part) {
    if (is_membership(*part)) {
      auto* b = to_bound(part);
      if (!names.empty() && b->text == "<<") fail("a set for the names before the tuple");
      b->kids.insert(b->kids.begin(), names.begin(), names.end());
      names.clear();
      add(n, b);
    } else if (is_plain_name(*part)) {
      auto* name = make(syntax_kind::name, part->begin, part->kids[0]->text);
      name->end = part->end;
      names.push_back(name);
    } else {
      fail("x \\in S before |->", "a function is written [x \\in S |-> e], a record [field |-> e]");
    }
  };
  finish(first);
  while (accept(",")) finish(expression());
  if (!names.empty()) fail("\\in and a set");
  expect("|->");
  add(n, expression());
  if (!accept("]"))
    fail("]",
         "the [ at " + std::to_string(begin.line) + ":" + std::to_string(begin.column) + " is not closed");
  return close(n);
}

syntax_node* parser::except_expression(syntax_node* function, source_position begin, token const& opened) {
  take();
  auto* n = make(syntax_kind::except, begin);
  add(n, function);
  do {
    add(n, update());
  } while (accept(","));
  expect_closing("]", opened);
  return close(n);
}

syntax_node* parser::update() {
  auto* n = make(syntax_kind::update, real().begin);
  expect("!", "an update is written ![x] = e or !.field = e");
  while (at("[") || at(".")) {
    auto* selector = make(syntax_kind::index, real().begin);
    if (at("[")) {
      auto const& opened = take();
      arguments(selector);
      expect_closing("]", opened);
    } else {
      take();
      auto const& field = real();
      if (field.kind != token_kind::identifier && field.kind != token_kind::keyword)
        fail("the name of a field");
      take();
      selector->kind = syntax_kind::dot;
      selector->text = field.text;
    }
    add(n, close(selector));
  }
  if (n->kids.empty()) fail("[ or . after !");
  expect("=");
  return close(add(n, expression()));
}

/// What follows ]_, >>_, WF_ or SF_: a name without arguments, or something in brackets.
syntax_node* parser::subscript() {
  if (at_kind(token_kind::identifier)) {
    auto* n = make(syntax_kind::reference, real().begin);
    auto const& name = take();
    add(n, close(make(syntax_kind::segment, name.begin, name.text)));
    while (at("!")) {
      take();
      auto const& part = expect_name("a name after !");
      add(n, close(make(syntax_kind::segment, part.begin, part.text)));
    }
    return close(n);
  }
  if (at("<<")) return angle_brackets();
  if (at("(")) return round();
  if (at("{")) return curly();
  if (at("[")) return square_brackets();
  fail("a subscript: a name, a tuple, or something in brackets");
}

syntax_node* parser::fairness() {
  auto const& t = take();
  auto* n = make(syntax_kind::fair, t.begin, t.text);
  auto* v = subscript();
  auto const& opened = expect("(", "fairness is written WF_v(Action)");
  auto* action = expression();
  expect_closing(")", opened);
  return close(add(add(n, action), v));
}

/// `x, y \in S`, `<<x, y>> \in S`; or only `x, y` where a set is not required.
syntax_node* parser::bound(bool set_required, std::string_view what) {
  auto* b = make(syntax_kind::bound, real().begin);
  if (at("<<")) {
    auto const& opened = take();
    b->text = "<<";
    do {
      add(b, named(expect_name("a name in the tuple pattern")));
    } while (accept(","));
    expect_closing(">>", opened);
    set_required = true;
  } else {
    do {
      add(b, named(expect_name(what)));
    } while (accept(",") && !at("<<"));
  }
  if (!set_required && !at("\\in")) return close(b);
  expect("\\in");
  b->has_set = true;
  return close(add(b, expression()));
}

void parser::bounds(syntax_node* parent, bool may_lack_set, std::string_view what) {
  do {
    auto* b = bound(!may_lack_set, what);
    add(parent, b);
    if (!b->has_set) return;
    may_lack_set = false;
  } while (accept(","));
}

syntax_node* parser::to_bound(syntax_node* element) const {
  auto* b = element;
  auto* pattern = b->kids[0];
  auto* set = b->kids[1];
  b->kind = syntax_kind::bound;
  b->text = pattern->kind == syntax_kind::tuple ? "<<" : "";
  b->has_set = true;
  b->kids.clear();
  auto const add_name = [&](syntax_node* n) {
    n->kind = syntax_kind::name;
    n->text = n->kids[0]->text;
    n->kids.clear();
    b->kids.push_back(n);
  };
  if (pattern->kind == syntax_kind::tuple) {
    for (auto* k : pattern->kids) add_name(k);
  } else {
    add_name(pattern);
  }
  b->kids.push_back(set);
  return b;
}

syntax_node* parser::quantifier() {
  auto const& t = take();
  auto* n = make(syntax_kind::quantifier, t.begin, t.text);
  bounds(n, true, "a name after " + std::string{t.written});
  expect(":", "a quantifier is written " + std::string{t.written} + " x \\in S : body");
  return close(add(n, expression()));
}

syntax_node* parser::choose() {
  auto* n = make(syntax_kind::choose, take().begin);
  auto* b = bound(false, "a name after CHOOSE");
  add(n, b);
  expect(":", "CHOOSE is written CHOOSE x \\in S : predicate");
  return close(add(n, expression()));
}

syntax_node* parser::if_then_else() {
  auto const& t = take();
  auto* n = make(syntax_kind::if_then_else, t.begin);
  auto const of = "of the IF at " + std::to_string(t.begin.line) + ":" + std::to_string(t.begin.column);
  add(n, expression());
  expect("THEN", of);
  add(n, expression());
  expect("ELSE", "an IF needs its ELSE: " + of);
  return close(add(n, expression()));
}

syntax_node* parser::case_of() {
  auto* n = make(syntax_kind::case_of, take().begin);
  do {
    auto* arm = make(syntax_kind::arm, real().begin);
    bool const other = accept("OTHER");
    if (!other) add(arm, expression());
    expect("->", "an arm of CASE is written test -> value");
    add(n, close(add(arm, expression())));
    if (other) break;
  } while (accept("[]"));
  return close(n);
}

syntax_node* parser::let() {
  auto const& t = take();
  auto* n = make(syntax_kind::let, t.begin);
  auto const outer = definition_;
  while (!at("IN")) {
    bool const known = at("RECURSIVE") || (!blocked() && starts_definition());
    if (!known) {
      fail(n->kids.empty() ? "a definition after LET" : "IN, or another definition",
           "of the LET at " + std::to_string(t.begin.line) + ":" + std::to_string(t.begin.column));
    }
    add(n, unit());
    definition_ = outer;
  }
  if (n->kids.empty()) fail("a definition after LET");
  take();
  return close(add(n, expression()));
}

syntax_node* parser::lambda() {
  auto* n = make(syntax_kind::lambda, take().begin);
  do {
    add(n, named(expect_name("a parameter of LAMBDA")));
  } while (accept(","));
  expect(":", "LAMBDA is written LAMBDA x, y : body");
  return close(add(n, expression()));
}

}  // namespace halfopen::tla
