#include <algorithm>
#include <array>
#include <string>

#include <halfopen/tla/parser_state.hpp>

namespace halfopen::tla {
namespace {

constexpr std::uint32_t nesting_max =
    400;  // expressions that stand in one another, before the stack is at risk

bool is_argument_end(token const& t) noexcept { return t.is(",") || t.is(")"); }

std::string name_of(operator_use const& use) { return std::string{use.name == "-." ? "-" : use.name}; }

}  // namespace

struct parser::nested {
  explicit nested(parser& p) : p_{p} {
    if (++p_.nesting_ <= nesting_max) return;
    --p_.nesting_;
    p_.fail_at(p_.real(), "tla.too-deep", "an expression nested " + std::to_string(nesting_max) + " deep",
               "one less deep", "give a part of it a name");
  }
  ~nested() { --p_.nesting_; }
  nested(nested const&) = delete;
  nested& operator=(nested const&) = delete;

 private:
  parser& p_;
};

/// Operands and operators in turn; waiting operators lie on a stack until a weaker one comes (Dijkstra's
/// shunting yard, with ranges for numbers).
syntax_node* parser::expression() {
  nested const guard{*this};
  std::vector<pending> stack;
  for (;;) {
    auto* n = suffixes(operand(stack), stack);
    auto const* use = real().kind == token_kind::symbol && !blocked() ? find_infix(real().text) : nullptr;
    n = reduce(stack, n, use);
    if (use == nullptr) return n;
    shift(stack, use, n);
  }
}

void parser::shift(std::vector<pending>& stack, operator_use const* use, syntax_node* left) {
  stack.push_back({use, &real(), left});
  take();
}

syntax_node* parser::operand(std::vector<pending>& stack) {
  while (real().kind == token_kind::symbol && !blocked()) {
    auto const* use = find_prefix(real().text);
    if (use == nullptr) break;
    shift(stack, use, nullptr);
  }
  if (stack.empty()) {
    refuse_new_definition("an expression");
  } else {
    refuse_new_definition("an operand of " + std::string{stack.back().where->written});
  }
  return primary();
}

/// A line that begins `Name ==` is the next definition, not an operand.
void parser::refuse_new_definition(std::string_view wanted) {
  if (!real().first_on_line || !starts_definition()) return;
  fail(std::string{wanted}, "the definition of " + std::string{real().written} + " begins here");
}

syntax_node* parser::suffixes(syntax_node* n, std::vector<pending>& stack) {
  while (!blocked()) {
    if (at("[")) {
      auto const& opened = take();
      auto* indexed = make(syntax_kind::index, n->begin);
      indexed->at = opened.begin;
      add(indexed, n);
      arguments(indexed);
      expect_closing("]", opened);
      n = close(indexed);
    } else if (at(".")) {
      take();
      auto const& field = real();
      auto* dotted = make(syntax_kind::dot, n->begin, field.text);
      dotted->at = field.begin;
      if (field.kind != token_kind::identifier && field.kind != token_kind::keyword)
        fail("the name of a field");
      take();
      n = close(add(dotted, n));
    } else if (auto const* use = real().kind == token_kind::symbol ? find_postfix(real().text) : nullptr) {
      if (!stack.empty() && stack.back().use->high >= use->low) precedence_conflict(stack.back(), *use);
      auto* applied = make(syntax_kind::postfix, n->begin, use->name);
      applied->at = take().begin;
      n = close(add(applied, n));
    } else {
      break;
    }
  }
  return n;
}

/// Applies every waiting operator that binds tighter than `next` (all of them where next is null).
syntax_node* parser::reduce(std::vector<pending>& stack, syntax_node* right, operator_use const* next) {
  while (!stack.empty()) {
    auto const& p = stack.back();
    if (next != nullptr && p.use->high < next->low) break;
    // A prefix operator comes first among equals: UNION S \cup T is (UNION S) \cup T.
    bool const prefix = p.left == nullptr;
    bool const tighter = next == nullptr || p.use->low > next->high || (prefix && p.use->low == next->high);
    bool const chains = p.use == next && next->assoc == associativity::left;
    if (!tighter && !chains) precedence_conflict(p, *next);
    right = reduce_one(p, right);
    stack.pop_back();
  }
  return right;
}

syntax_node* parser::reduce_one(pending const& p, syntax_node* right) {
  if (p.left == nullptr) {
    auto* n = make(syntax_kind::prefix, p.where->begin, p.use->name);
    return close(add(n, right));
  }
  if (p.use->name == "\\X") {
    if (p.left->kind == syntax_kind::product && !p.left->bracketed) return close(add(p.left, right));
    auto* n = make(syntax_kind::product, p.left->begin);
    n->at = p.where->begin;
    return close(add(add(n, p.left), right));
  }
  auto* n = make(syntax_kind::infix, p.left->begin, p.use->name);
  n->at = p.where->begin;
  return close(add(add(n, p.left), right));
}

void parser::precedence_conflict(pending const& left, operator_use const& right) {
  auto const l = name_of(*left.use);
  auto const r = name_of(right);
  auto const found =
      std::string{left.where->written} + " and " + std::string{real().written} + " without brackets";
  if (left.use == &right) {
    fail_at(real(), "tla.precedence", found, "one " + l + ", or brackets", l + " does not chain");
  }
  fail_at(real(), "tla.precedence", found, "brackets around one of them",
          "neither of " + l + " and " + r + " binds tighter than the other");
}

syntax_node* parser::primary() {
  auto const& t = real();
  if (blocked()) fail("an expression");
  switch (t.kind) {
    case token_kind::number: return close(make(syntax_kind::number, take().begin, t.text));
    case token_kind::decimal: return close(make(syntax_kind::decimal, take().begin, t.text));
    case token_kind::string: return close(make(syntax_kind::string, take().begin, t.text));
    case token_kind::identifier: return reference_or_label();
    case token_kind::keyword: return keyword_expression();
    case token_kind::symbol: break;
    case token_kind::separator:
    case token_kind::end_module:
    case token_kind::proof_step:
    case token_kind::end_of_text: fail("an expression");
  }
  if (t.is("/\\") || t.is("\\/")) return junction_list();
  if (t.is("(")) return round();
  if (t.is("<<")) return angle_brackets();
  if (t.is("{")) return curly();
  if (t.is("[")) return square_brackets();
  if (t.is("\\A") || t.is("\\E") || t.is("\\AA") || t.is("\\EE")) return quantifier();
  if (t.is("@")) return close(make(syntax_kind::at_sign, take().begin));
  fail("an expression",
       find_infix(t.text) != nullptr ? "the left side of " + std::string{t.written} + " is missing" : "");
}

syntax_node* parser::keyword_expression() {
  auto const& t = real();
  if (t.is("IF")) return if_then_else();
  if (t.is("CASE")) return case_of();
  if (t.is("LET")) return let();
  if (t.is("CHOOSE")) return choose();
  if (t.is("LAMBDA")) return lambda();
  if (t.is("WF_") || t.is("SF_")) return fairness();
  fail("an expression");
}

/// Bullets of one kind in one column. A bullet's expression ends at the first token that is not right of that
/// column.
syntax_node* parser::junction_list() {
  auto const& first = real();
  auto const outer = limit_;
  auto const column = first.begin.column;
  auto* list = make(syntax_kind::list, first.begin, first.text);
  while (at(first.text) && real().begin.column == column) {
    take();
    limit_ = column;
    syntax_node* bullet = nullptr;
    try {
      bullet = expression();
    } catch (failure) {
      limit_ = outer;
      throw;
    }
    limit_ = outer;
    add(list, bullet);
  }
  return close(list);
}

syntax_node* parser::reference_or_label() {
  auto* n = make(syntax_kind::reference, real().begin);
  auto const& name = take();
  auto* first = make(syntax_kind::segment, name.begin, name.text);
  if (at("(")) {
    auto const& opened = take();
    arguments(first);
    expect_closing(")", opened);
  }
  add(n, close(first));
  if (at("::")) return label(n);
  while (at("!")) add(n, segment_after_bang());
  return close(n);
}

syntax_node* parser::segment_after_bang() {
  take();
  auto const& t = real();
  auto* s = make(syntax_kind::segment, t.begin, t.text);
  if (!at("(")) {
    bool const selector = t.is("<<") || t.is(">>") || t.is("@") || t.is(":") || t.kind == token_kind::number;
    bool const known = t.kind == token_kind::identifier || !canonical_operator(t.text).empty();
    if (blocked() || (!selector && !known)) fail("a name or a part's number after !");
    take();
  } else {
    s->text = "";
  }
  if (at("(")) {
    auto const& opened = take();
    arguments(s);
    expect_closing(")", opened);
  }
  return close(s);
}

void parser::arguments(syntax_node* parent) {
  do {
    add(parent, argument());
  } while (accept(","));
}

syntax_node* parser::argument() {
  auto const& t = real();
  bool const is_operator = t.kind == token_kind::symbol && !canonical_operator(t.text).empty();
  if (is_operator && !blocked() && is_argument_end(real(1))) {
    return close(make(syntax_kind::operator_name, take().begin, t.text));
  }
  return expression();
}

syntax_node* parser::label(syntax_node* target) {
  auto* n = make(syntax_kind::label, target->begin, target->kids[0]->text);
  for (auto* a : target->kids[0]->kids) {
    if (a->kind != syntax_kind::reference || a->kids.size() != 1 || !a->kids[0]->kids.empty())
      fail("names as a label's parameters");
    auto* p = make(syntax_kind::name, a->begin, a->kids[0]->text);
    add(n, p);
  }
  take();
  return close(add(n, expression()));
}

}  // namespace halfopen::tla
