#include <halfopen/tla/parser_state.hpp>

/// Assumptions are kept. Of a theorem its statement is read, and its proof is passed over without being read.
namespace halfopen::tla {
namespace {

bool begins_proof(token const& t) noexcept {
  return t.kind == token_kind::proof_step || t.is("PROOF") || t.is("BY") || t.is("OBVIOUS") ||
         t.is("OMITTED");
}

int step_level(token const& t) noexcept {
  int level = 0;
  for (auto c : t.text.substr(1)) {
    if (c < '0' || c > '9') break;
    if (level < 1000000) level = level * 10 + (c - '0');
  }
  return level;  // 0 for <*> and <+>
}

}  // namespace

syntax_node* parser::assumption() {
  auto const& word = take();
  auto* n = make(syntax_kind::assumption, word.begin);
  if (at_kind(token_kind::identifier) && at("==", 1)) {
    n->at = real().begin;
    n->text = definition_ = take().text;
    take();
  }
  if (at("ASSUME")) {  // an assumption of the form ASSUME ... PROVE has no value to check
    assume_prove();
    n->kind = syntax_kind::theorem;
    return close(n);
  }
  close(add(n, expression()));
  if (word.is("AXIOM")) n->kind = syntax_kind::theorem;  // TLC does not check axioms either
  if (begins_proof(real())) skip_proof();
  return n;
}

syntax_node* parser::theorem() {
  auto* n = make(syntax_kind::theorem, take().begin);
  if (at_kind(token_kind::identifier) && at("==", 1)) {
    n->at = real().begin;
    n->text = definition_ = take().text;
    take();
  }
  auto* claim = statement();
  if (claim != nullptr) add(n, claim);
  close(n);
  if (begins_proof(real())) skip_proof();
  return n;
}

/// What a theorem states; null where it is no formula but ASSUME ... PROVE.
syntax_node* parser::statement() {
  if (at_kind(token_kind::identifier) && at("::", 1)) {
    take();
    take();
  }
  if (at("[]") && at("ASSUME", 1)) take();
  if (!at("ASSUME")) return expression();
  assume_prove();
  return nullptr;
}

void parser::assume_prove() {
  expect("ASSUME");
  do {
    bool declares = accept("NEW");
    for (auto const* word : {"CONSTANT", "VARIABLE", "STATE", "ACTION", "TEMPORAL"})
      declares = accept(word) || declares;
    if (declares) {
      parameter("a name after NEW");
      if (accept("\\in")) expression();
    } else {
      statement();
    }
  } while (accept(","));
  if (!accept("PROVE")) {
    expect("[]", "ASSUME needs its PROVE");
    expect("PROVE");
  }
  expression();
}

void parser::skip_proof() {
  accept("PROOF");
  if (real().kind == token_kind::proof_step) {
    skip_structured_proof();
  } else {
    skip_leaf_proof();
  }
}

/// Steps of one level, up to its QED and the proof of that.
void parser::skip_structured_proof() {
  for (auto level = step_level(real());;) {
    while (real().kind != token_kind::end_of_text && real().kind != token_kind::end_module) {
      auto const& t = take();
      if (t.kind == token_kind::proof_step && step_level(t) <= level && real().is("QED")) break;
    }
    if (!real().is("QED")) return;
    take();
    accept("PROOF");
    if (real().kind != token_kind::proof_step) break;
    level = step_level(real());  // the QED has steps of its own
  }
  if (begins_proof(real())) skip_leaf_proof();
}

void parser::skip_leaf_proof() {
  for (;;) {
    auto const& t = take();
    bool const step_is_fact = t.is(",") || t.is("BY") || t.is("ONLY") || t.is("USE") || t.is("HIDE");
    auto const& next = real();
    if (next.kind == token_kind::end_of_text || starts_unit()) return;
    if (next.kind == token_kind::proof_step && !step_is_fact) return;
  }
}

}  // namespace halfopen::tla
