#include <algorithm>
#include <charconv>
#include <utility>

#include <halfopen/tla/lexer.hpp>
#include <halfopen/tla/resolver.hpp>

namespace halfopen::tla {
namespace {

int base_of(std::string_view digits) noexcept {
  if (digits.size() < 2 || digits[0] != '\\') return 10;
  switch (digits[1]) {
    case 'b':
    case 'B': return 2;
    case 'o':
    case 'O': return 8;
    default: return 16;
  }
}

expr_kind quantifier_kind(std::string_view symbol) noexcept {
  if (symbol == "\\A") return expr_kind::forall;
  if (symbol == "\\E") return expr_kind::exists;
  return symbol == "\\AA" ? expr_kind::temporal_forall : expr_kind::temporal_exists;
}

}  // namespace

expr& resolver::make(expr_kind kind, syntax_node const& n) {
  auto& e = s_.exprs.emplace_back();
  e.kind = kind;
  e.range = range(n);
  return e;
}

void resolver::all(expr& e, syntax_node const& n, std::size_t from) {
  e.args.reserve(n.kids.size() - from);
  for (std::size_t i = from; i < n.kids.size(); ++i) e.args.push_back(expression(*n.kids[i]));
}

expr const* resolver::expression(syntax_node const& n) {
  auto const scope = local_.size();
  auto const* e = expression_kind(n);
  local_.resize(scope);
  return e;
}

expr const* resolver::expression_kind(syntax_node const& n) {
  auto const plain = [&](expr_kind kind) {
    auto& e = make(kind, n);
    all(e, n);
    return &e;
  };
  switch (n.kind) {
    case syntax_kind::number: return number(n);
    case syntax_kind::decimal: {
      auto& e = make(expr_kind::decimal, n);
      e.text = n.text;
      return &e;
    }
    case syntax_kind::string: return text(n, unquoted(n.text));
    case syntax_kind::at_sign:
    case syntax_kind::reference: return reference(n);
    case syntax_kind::prefix:
    case syntax_kind::infix:
    case syntax_kind::postfix:
    case syntax_kind::list: return operation(n);
    case syntax_kind::tuple: return plain(expr_kind::tuple);
    case syntax_kind::set_of: return plain(expr_kind::set_of);
    case syntax_kind::set_filter: return with_bounds(expr_kind::set_filter, n, 0, 1, 1);
    case syntax_kind::set_map: return with_bounds(expr_kind::set_map, n, 1, n.kids.size(), 0);
    case syntax_kind::function:
      return with_bounds(expr_kind::function, n, 0, n.kids.size() - 1, n.kids.size() - 1);
    case syntax_kind::function_set: return plain(expr_kind::function_set);
    case syntax_kind::record: return record(expr_kind::record, n);
    case syntax_kind::record_set: return record(expr_kind::record_set, n);
    case syntax_kind::product: return plain(expr_kind::product);
    case syntax_kind::except: return except(n);
    case syntax_kind::index: {
      auto& e = make(expr_kind::index, n);
      auto const* function = expression(*n.kids[0]);
      e.args = {function, index_of(n, 1)};
      return &e;
    }
    case syntax_kind::dot: {
      auto& e = make(expr_kind::index, n);
      auto const* record = expression(*n.kids[0]);
      e.args = {record, text(n, std::string{n.text})};
      return &e;
    }
    case syntax_kind::square: return plain(expr_kind::square);
    case syntax_kind::angle: return plain(expr_kind::angle);
    case syntax_kind::fair: return plain(n.text == "WF_" ? expr_kind::weak_fair : expr_kind::strong_fair);
    case syntax_kind::quantifier:
      return with_bounds(quantifier_kind(n.text), n, 0, n.kids.size() - 1, n.kids.size() - 1);
    case syntax_kind::choose: return with_bounds(expr_kind::choose, n, 0, 1, 1);
    case syntax_kind::if_then_else: return plain(expr_kind::if_then_else);
    case syntax_kind::case_of: return case_of(n);
    case syntax_kind::let: return let(n);
    case syntax_kind::label: return label(n);
    case syntax_kind::lambda:
    case syntax_kind::operator_name:
      report(range(n), "tla.operator-argument",
             n.kind == syntax_kind::lambda ? "a LAMBDA" : "the operator " + std::string{n.text}, "a value",
             "an operator can only be an argument where the definition takes an operator, such as F(_)");
      return invalid(n);
    default: return invalid(n);  // units and parts of expressions: the parser puts none here
  }
}

expr const* resolver::number(syntax_node const& n) {
  auto& e = make(expr_kind::number, n);
  auto const base = base_of(n.text);
  auto const digits = base == 10 ? n.text : n.text.substr(2);
  auto const r = std::from_chars(digits.data(), digits.data() + digits.size(), e.number, base);
  if (r.ec != std::errc{})
    report(range(n), "tla.number", "the number " + std::string{n.text}, "one that fits in 63 bits");
  return &e;
}

expr const* resolver::text(syntax_node const& n, std::string value) {
  auto& e = make(expr_kind::string, n);
  e.text = s_.keep(std::move(value));
  return &e;
}

/// An operator symbol with its operands, or a list of bullets.
expr const* resolver::operation(syntax_node const& n) {
  if (n.kind == syntax_kind::list || n.text == "/\\" || n.text == "\\/") {
    auto& e = make(expr_kind::apply, n);
    e.def = s_.language.at(n.text).def;
    all(e, n);
    return &e;
  }
  auto const* known = lookup(n.text);
  if (known == nullptr) {
    for (auto const* k : n.kids) expression(*k);
    undefined(n.text == "-." ? "-." : n.text, name_range(n));
    return invalid(n);
  }
  auto const copy = *known;
  return applied(copy, n.kids, n.text, n);
}

/// Kids from..to are bounds; their sets do not see the names.
expr const* resolver::with_bounds(expr_kind kind, syntax_node const& n, std::size_t from, std::size_t to,
                                  std::size_t body) {
  auto& e = make(kind, n);
  auto const scope = local_.size();
  resolve_bounds(e, n, from, to);
  e.args.push_back(expression(*n.kids[body]));
  local_.resize(scope);
  return &e;
}

void resolver::resolve_bounds(expr& e, syntax_node const& n, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    auto const& b = *n.kids[i];
    e.bounds.push_back({{}, !b.text.empty(), b.has_set ? expression(*b.kids.back()) : nullptr});
  }
  for (std::size_t i = from; i < to; ++i) {
    auto const& b = *n.kids[i];
    auto const names = b.kids.size() - (b.has_set ? 1 : 0);
    for (std::size_t k = 0; k < names; ++k) e.bounds[i - from].names.push_back(bind(*b.kids[k]));
  }
}

expr const* resolver::record(expr_kind kind, syntax_node const& n) {
  auto& e = make(kind, n);
  for (auto const* field : n.kids) {
    if (std::ranges::find(e.names, field->text) != e.names.end()) {
      report(range(*field), "tla.duplicate", "the field " + std::string{field->text} + " for the second time",
             "each field once");
    }
    e.names.push_back(field->text);
    e.args.push_back(expression(*field->kids[0]));
  }
  return &e;
}

/// The argument of f[a] or, as a tuple, of f[a, b].
expr const* resolver::index_of(syntax_node const& n, std::size_t from) {
  if (n.kids.size() == from + 1) return expression(*n.kids[from]);
  auto& tuple = make(expr_kind::tuple, n);
  all(tuple, n, from);
  return &tuple;
}

expr const* resolver::except(syntax_node const& n) {
  auto& e = make(expr_kind::except, n);
  e.args.push_back(expression(*n.kids[0]));
  for (std::size_t i = 1; i < n.kids.size(); ++i) e.updates.push_back(update(*n.kids[i]));
  return &e;
}

except_update resolver::update(syntax_node const& n) {
  except_update u;
  u.range = range(n);
  for (std::size_t i = 0; i + 1 < n.kids.size(); ++i) {
    auto const& selector = *n.kids[i];
    u.path.push_back(selector.kind == syntax_kind::dot ? text(selector, std::string{selector.text})
                                                       : index_of(selector, 0));
  }
  auto const slot = frame_;
  auto& at = s_.binders.emplace_back(binder{"@", 0, frame_++, range(n)});
  auto const* outer_at = std::exchange(at_, &at);
  auto const outer_used = std::exchange(at_used_, false);
  u.value = expression(*n.kids.back());
  if (at_used_) u.at = &at;
  if (!at_used_ && frame_ == slot + 1) --frame_;
  at_ = outer_at;
  at_used_ = outer_used;
  return u;
}

expr const* resolver::case_of(syntax_node const& n) {
  auto& e = make(expr_kind::case_of, n);
  for (auto const* arm : n.kids) all(e, *arm);
  return &e;
}

expr const* resolver::let(syntax_node const& n) {
  auto& e = make(expr_kind::let, n);
  auto const scope = local_.size();
  auto const announced = recursive_.size();
  for (std::size_t i = 0; i + 1 < n.kids.size(); ++i) {
    auto const& unit = *n.kids[i];
    if (unit.kind == syntax_kind::recursive) {
      recursive(unit);
    } else if (unit.kind == syntax_kind::instance_definition) {
      named_instance(unit);
    } else {
      e.lets.push_back(define(unit));
    }
  }
  check_recursive_defined(announced);
  e.args.push_back(expression(*n.kids.back()));
  local_.resize(scope);
  return &e;
}

expr const* resolver::lambda(syntax_node const& n) {
  auto& e = make(expr_kind::lambda, n);
  auto const scope = local_.size();
  auto& b = e.bounds.emplace_back();
  for (std::size_t i = 0; i + 1 < n.kids.size(); ++i) b.names.push_back(bind(*n.kids[i]));
  e.args.push_back(expression(*n.kids.back()));
  local_.resize(scope);
  return &e;
}

expr const* resolver::label(syntax_node const& n) {
  auto const* e = expression(*n.kids.back());
  label_info info;
  info.name = n.text;
  for (std::size_t i = 0; i + 1 < n.kids.size(); ++i) info.params.push_back(n.kids[i]->text);
  s_.labels.emplace(e, std::move(info));
  return e;
}

}  // namespace halfopen::tla
