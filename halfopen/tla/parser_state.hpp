#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/tla/lexer.hpp>
#include <halfopen/tla/operators.hpp>
#include <halfopen/tla/parser.hpp>

/// The parser, for the parse_*.cpp files only.
namespace halfopen::tla {

class parser {
 public:
  parser(source_file const& file, syntax_arena& arena, token_list tokens);

  parse_result run_module();
  parse_result run_expression();

 private:
  struct failure {};  // thrown by `fail`, caught where the parser knows how to go on; never leaves this class

  // Where we are. A token at or left of a bulleted list's column ends the list, whatever is open inside of
  // it, so it is "blocked" for everything that the list contains.
  [[nodiscard]] token const& real(std::size_t ahead = 0) const noexcept;
  [[nodiscard]] bool blocked(std::size_t ahead = 0) const noexcept;
  [[nodiscard]] bool at(std::string_view symbol, std::size_t ahead = 0) const noexcept;
  [[nodiscard]] bool at_kind(token_kind kind, std::size_t ahead = 0) const noexcept;
  bool accept(std::string_view symbol);
  token const& take();
  token const& expect(std::string_view symbol, std::string_view why = {});
  token const& expect_name(std::string_view what);
  void expect_closing(std::string_view symbol, token const& opened);

  // What went wrong
  [[noreturn]] void fail(std::string expected, std::string hint = {});
  [[noreturn]] void fail_at(token const& where, std::string code, std::string found, std::string expected,
                            std::string hint);
  void report(diagnostic d);
  [[nodiscard]] std::string in_definition() const;
  [[nodiscard]] diagnostic missing_end() const;

  // Nodes
  syntax_node* make(syntax_kind kind, source_position begin, std::string_view text = {});
  syntax_node* close(syntax_node* n);
  syntax_node* add(syntax_node* parent, syntax_node* kid);
  syntax_node* named(token const& t);

  // Expressions (parse_expression.cpp)
  struct pending {
    operator_use const* use;
    token const* where;
    syntax_node* left;  // null for a prefix operator
  };
  syntax_node* expression();
  syntax_node* operand(std::vector<pending>& stack);
  syntax_node* suffixes(syntax_node* n, std::vector<pending>& stack);
  void shift(std::vector<pending>& stack, operator_use const* use, syntax_node* left);
  syntax_node* reduce(std::vector<pending>& stack, syntax_node* right, operator_use const* next);
  syntax_node* reduce_one(pending const& p, syntax_node* right);
  [[noreturn]] void precedence_conflict(pending const& left, operator_use const& right);
  syntax_node* primary();
  syntax_node* keyword_expression();
  syntax_node* junction_list();
  syntax_node* reference_or_label();
  syntax_node* segment_after_bang();
  void arguments(syntax_node* parent);
  syntax_node* argument();
  syntax_node* label(syntax_node* target);
  void refuse_new_definition(std::string_view wanted);

  // Expressions in brackets and with binders (parse_brackets.cpp)
  syntax_node* round();
  syntax_node* angle_brackets();
  syntax_node* curly();
  syntax_node* square_brackets();
  syntax_node* record(syntax_kind kind, std::string_view separator, source_position begin);
  syntax_node* function_literal(syntax_node* first, source_position begin);
  syntax_node* except_expression(syntax_node* function, source_position begin, token const& opened);
  syntax_node* update();
  syntax_node* subscript();
  syntax_node* fairness();
  syntax_node* bound(bool set_required, std::string_view what);
  void bounds(syntax_node* parent, bool may_lack_set, std::string_view what);
  syntax_node* to_bound(syntax_node* element) const;
  syntax_node* quantifier();
  syntax_node* choose();
  syntax_node* if_then_else();
  syntax_node* case_of();
  syntax_node* let();
  syntax_node* lambda();

  // Units (parse_units.cpp)
  syntax_node* module_unit();
  void units_until_end(syntax_node* module, token const& header);
  void guarded_unit(syntax_node* parent);
  syntax_node* unit();
  syntax_node* declarations(syntax_kind kind);
  syntax_node* parameter(std::string_view what);
  syntax_node* definition();
  syntax_node* definition_head(syntax_node* n);
  syntax_node* instance();
  syntax_node* assumption();
  syntax_node* theorem();
  syntax_node* statement();
  void assume_prove();
  void skip_proof();
  void skip_structured_proof();
  void skip_leaf_proof();
  void skip_to_unit(source_position unit_begin);
  [[nodiscard]] bool starts_unit(std::size_t ahead = 0) const noexcept;
  [[nodiscard]] bool starts_definition(std::size_t ahead = 0) const noexcept;
  [[nodiscard]] std::size_t after_brackets(std::size_t ahead) const noexcept;

  struct nested;  // counts how deep expressions stand in one another

  source_file const& file_;
  syntax_arena& arena_;
  std::vector<token> tokens_;
  std::vector<diagnostic> errors_;
  std::size_t pos_ = 0;
  std::uint32_t limit_ = 0;  // column of the innermost bulleted list; 0 outside of lists
  std::uint32_t nesting_ = 0;
  std::string_view definition_;  // the unit that is being read, for messages
};

}  // namespace halfopen::tla
