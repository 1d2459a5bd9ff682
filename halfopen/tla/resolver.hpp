#pragma once

#include <optional>
#include <string>
#include <string_view>
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

  void module(node const& n);  // resolve_module.cpp
  definition const* bare_expression(node const& n);

 private:
  // Units (resolve_module.cpp)
  void extend(node const& name);
  void unit(node const& n);
  void inner_module(node const& n);
  void declare(node const& list, declaration::sort sort);
  void recursive(node const& n);
  definition const* define(node const& n);
  void define_parameters(node const& n, definition& d);
  definition& definition_for(node const& n, std::size_t arity);
  void check_recursive_defined(std::size_t from);
  instance const* named_instance(node const& n);
  void unnamed_instance(node const& n);
  instance& make_instance(node const& n, source_range range);
  void substitute(instance& i, node const& n);
  expr const* substitution_by(declaration const& what, node const& by);
  expr const* implicit_substitution(declaration const& what, instance const& i);
  void already_there(std::string_view name, entry const& here, instance const& i);
  void assume(node const& n);
  void theorem(node const& n);
  definition const& formula(node const& n);
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
  binder const* bind(node const& name, std::uint32_t arity = 0);
  [[nodiscard]] source_range range(node const& n) const noexcept { return {&file_, n.begin, n.end}; }
  [[nodiscard]] source_range name_range(node const& n) const noexcept;
  void report(source_range const& where, std::string code, std::string found, std::string expected,
              std::string hint = {});
  [[nodiscard]] std::string in_definition() const;

  // Expressions (resolve_expression.cpp)
  expr const* expression(node const& n);
  expr const* expression_kind(node const& n);
  expr& make(expr_kind kind, node const& n);
  expr const* invalid(node const& n) { return &make(expr_kind::invalid, n); }
  void all(expr& e, node const& n, std::size_t from = 0);
  expr const* number(node const& n);
  expr const* text(node const& n, std::string value);
  expr const* language(std::string_view op, node const& n);
  expr const* operation(node const& n);
  expr const* with_bounds(expr_kind kind, node const& n, std::size_t bounds_from, std::size_t bounds_to,
                          std::size_t body);
  void resolve_bounds(expr& e, node const& n, std::size_t from, std::size_t to);
  expr const* quantifier(node const& n);
  expr const* record(expr_kind kind, node const& n);
  expr const* index_of(node const& n, std::size_t from);
  expr const* except(node const& n);
  except_update update(node const& n);
  expr const* case_of(node const& n);
  expr const* let(node const& n);
  expr const* lambda(node const& n);
  expr const* label(node const& n);

  // Names (resolve_reference.cpp)
  struct target {
    entry what;
    node const* segment = nullptr;  // whose arguments are the operator's
    std::size_t next = 0;           // the first segment that is not yet used
  };
  expr const* reference(node const& n);
  [[nodiscard]] std::optional<target> follow(node const& n);
  bool step_into(target& t, node const& segment, node const& whole);
  expr const* applied(entry const& e, std::vector<node*> const& args, std::string_view name, node const& n);
  void arguments(expr& e, std::vector<binder const*> const& params, std::vector<node*> const& args,
                 std::string_view name, node const& n);
  expr const* operator_argument(node const& n, std::uint32_t arity, std::string const& wanted);
  expr const* operator_entry(entry const& e, std::uint32_t arity, std::string_view name,
                             std::string const& wanted, node const& n);

  // Parts of definitions, `Def!2` (resolve_part.cpp)
  struct part {
    expr const* at = nullptr;
    std::vector<binder const*> params;
    std::vector<node*> args;
    std::vector<definition const*> lets;
  };
  expr const* part_of(target const& t, node const& n);
  bool select(part& p, node const& segment);
  bool select_label(part& p, node const& segment);
  bool select_let(part& p, node const& segment);
  bool select_body(part& p, node const& segment);

  loader& loader_;
  spec::storage& s_;
  module_scope& scope_;
  source_file const& file_;
  node const* tree_ = nullptr;  // the module, for "it is defined later"
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

}  // namespace halfopen::tla
