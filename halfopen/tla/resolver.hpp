#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <halfopen/tla/loader.hpp>
#include <halfopen/tla/storage.hpp>
#include <halfopen/tla/syntax.hpp>

namespace halfopen::tla {

/// Gives every name of one module its meaning: syntax nodes go in, the tree of ast.hpp comes out. An error
/// leaves an `invalid` node and the work goes on, so that one run finds several.
class resolver {
 public:
  resolver(loader& l, module_scope& scope, source_file const& file);

  void module(syntax_node const& n);  // resolve_module.cpp
  definition const* bare_expression(syntax_node const& n);

 private:
  // Units (resolve_module.cpp)
  void extend(syntax_node const& name);
  void unit(syntax_node const& n);
  void inner_module(syntax_node const& n);
  void declare(syntax_node const& list, declaration::sort sort);
  void recursive(syntax_node const& n);
  definition const* define(syntax_node const& n);
  void define_parameters(syntax_node const& n, definition& d);
  definition& definition_for(syntax_node const& n, std::size_t arity);
  void check_recursive_defined(std::size_t from);
  instance const* named_instance(syntax_node const& n);
  void unnamed_instance(syntax_node const& n);
  instance& make_instance(syntax_node const& n, source_range range);
  void substitute(instance& i, syntax_node const& n);
  expr const* substitution_by(declaration const& what, syntax_node const& by);
  expr const* implicit_substitution(declaration const& what, instance const& i);
  void already_there(std::string_view name, entry const& here, instance const& i);
  void assume(syntax_node const& n);
  void theorem(syntax_node const& n);
  definition const& formula(syntax_node const& n);
  void name_formula(definition const& d);
  template <class Body>
  std::uint32_t own_frame(definition const* d, Body body);

  // Scope (resolve_scope.cpp)
  [[nodiscard]] entry const* lookup(std::string_view name) const;
  void introduce(std::string_view name, entry e);
  void introduce_in_module(std::string_view name, entry e);
  bool refuse_duplicate(std::string_view name, entry const& e);
  void undefined(std::string_view name, source_range const& where);
  [[nodiscard]] std::vector<std::string> visible_names() const;
  binder const* bind(syntax_node const& name, std::uint32_t arity = 0);
  [[nodiscard]] source_range range(syntax_node const& n) const noexcept { return {&file_, n.begin, n.end}; }
  [[nodiscard]] source_range name_range(syntax_node const& n) const noexcept;
  void report(source_range const& where, std::string code, std::string found, std::string expected,
              std::string hint = {});
  [[nodiscard]] std::string in_definition() const;

  // Expressions (resolve_expression.cpp)
  expr const* expression(syntax_node const& n);
  expr const* expression_kind(syntax_node const& n);
  expr& make(expr_kind kind, syntax_node const& n);
  expr const* invalid(syntax_node const& n) { return &make(expr_kind::invalid, n); }
  void all(expr& e, syntax_node const& n, std::size_t from = 0);
  expr const* number(syntax_node const& n);
  expr const* text(syntax_node const& n, std::string value);
  expr const* language(std::string_view op, syntax_node const& n);
  expr const* operation(syntax_node const& n);
  expr const* with_bounds(expr_kind kind, syntax_node const& n, std::size_t bounds_from,
                          std::size_t bounds_to, std::size_t body);
  void resolve_bounds(expr& e, syntax_node const& n, std::size_t from, std::size_t to);
  expr const* quantifier(syntax_node const& n);
  expr const* record(expr_kind kind, syntax_node const& n);
  expr const* index_of(syntax_node const& n, std::size_t from);
  expr const* except(syntax_node const& n);
  except_update update(syntax_node const& n);
  expr const* case_of(syntax_node const& n);
  expr const* let(syntax_node const& n);
  expr const* lambda(syntax_node const& n);
  expr const* label(syntax_node const& n);

  // Names (resolve_reference.cpp)
  struct target {
    entry what;
    syntax_node const* segment = nullptr;  // whose arguments are the operator's
    std::size_t next = 0;                  // the first segment that is not yet used
  };
  expr const* reference(syntax_node const& n);
  [[nodiscard]] std::optional<target> follow(syntax_node const& n);
  bool step_into(target& t, syntax_node const& segment, syntax_node const& whole);
  expr const* applied(entry const& e, std::vector<syntax_node*> const& args, std::string_view name,
                      syntax_node const& n);
  void arguments(expr& e, std::vector<binder const*> const& params, std::vector<syntax_node*> const& args,
                 std::string_view name, syntax_node const& n);
  expr const* operator_argument(syntax_node const& n, std::uint32_t arity, std::string const& wanted);
  expr const* operator_entry(entry const& e, std::uint32_t arity, std::string_view name,
                             std::string const& wanted, syntax_node const& n);

  // Parts of definitions, `Def!2` (resolve_part.cpp)
  struct part {
    expr const* at = nullptr;
    std::vector<binder const*> params;
    std::vector<syntax_node*> args;
    std::vector<definition const*> lets;
  };
  expr const* part_of(target const& t, syntax_node const& n);
  bool select(part& p, syntax_node const& segment);
  bool select_label(part& p, syntax_node const& segment);
  bool select_let(part& p, syntax_node const& segment);
  bool select_body(part& p, syntax_node const& segment);

  loader& loader_;
  spec::storage& s_;
  module_scope& scope_;
  source_file const& file_;
  syntax_node const* tree_ = nullptr;  // the module, for "it is defined later"
  std::vector<std::pair<std::string_view, entry>> local_;
  std::vector<definition*> recursive_;  // declared RECURSIVE, not yet defined
  std::vector<definition*> functions_;  // being defined, to see whether they use themselves
  definition const* outer_ = nullptr;   // the definition a LET stands in
  std::uint32_t frame_ = 0;
  binder const* at_ = nullptr;  // what @ means here
  bool at_used_ = false;
  std::string_view defining_;
  bool incomplete_ = false;  // a module that brings in names is missing: undefined names say nothing
};

/// Resolves what stands in a frame of its own: a definition at the top, an assumption, an instance. Returns
/// the frame's size.
template <class Body>
std::uint32_t resolver::own_frame(definition const* d, Body body) {
  auto const frame = std::exchange(frame_, 0);
  auto const* outer = std::exchange(outer_, d);
  body();
  outer_ = outer;
  return std::exchange(frame_, frame);
}

}  // namespace halfopen::tla
