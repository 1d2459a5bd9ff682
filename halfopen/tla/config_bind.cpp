#include <algorithm>

#include <halfopen/tla/config.hpp>

namespace halfopen::tla {
namespace {

using sort = declaration::sort;

std::size_t arity_of(symbol const& s) noexcept {
  if (s.decl != nullptr) return s.decl->arity;
  return s.def == nullptr ? 0 : s.def->arity();
}

std::string parameters(std::size_t n) {
  if (n == 0) return "no parameter";
  return std::to_string(n) + (n == 1 ? " parameter" : " parameters");
}

std::string place(symbol const& s) {
  auto const range = s.def != nullptr    ? s.def->name_range
                     : s.decl != nullptr ? s.decl->range
                                         : source_range{};
  return range.known() ? "it is defined at " + to_string(range) : "";
}

class binder_of_names {
 public:
  binder_of_names(config const& c, spec const& s) : c_{c}, s_{s} {}

  expected<binding, std::vector<diagnostic>> run() {
    behaviour();
    all(c_.invariants, out_.invariants, "an invariant", level::state);
    all(c_.properties, out_.properties, "a property", level::temporal);
    all(c_.constraints, out_.constraints, "a constraint", level::state);
    all(c_.action_constraints, out_.action_constraints, "an action constraint", level::action);
    all(c_.symmetry, out_.symmetry, "a symmetry set", level::constant);
    all(c_.postconditions, out_.postconditions, "a postcondition", level::state);
    if (c_.view) out_.view = resolved(*c_.view, "a view", level::state);
    if (c_.alias) out_.alias = resolved(*c_.alias, "an alias", level::action);
    out_.check_deadlock = c_.check_deadlock;
    for (auto const& p : out_.properties) property(p);
    for (auto const& entry : c_.constants) constant(entry);
    missing_values();
    if (!errors_.empty()) return unexpected<std::vector<diagnostic>>{std::move(errors_)};
    return std::move(out_);
  }

 private:
  void behaviour() {
    auto const parts = {&c_.init, &c_.next};
    for (auto const* part : parts) {
      if (!c_.specification || !*part) continue;
      report((*part)->at, "cfg.behaviour",
             part == &c_.init ? "INIT beside SPECIFICATION" : "NEXT beside SPECIFICATION",
             "either SPECIFICATION, or INIT and NEXT", "they exclude one another: leave out one");
      return;
    }
    if (c_.init.has_value() != c_.next.has_value() && !c_.specification) {
      report(c_.init ? c_.init->at : c_.next->at, "cfg.behaviour",
             c_.init ? "INIT without NEXT" : "NEXT without INIT", "both, or SPECIFICATION",
             add_this(c_.init ? "NEXT" : "INIT", c_.init ? "Next" : "Init"));
      return;
    }
    if (c_.specification) specification();
    if (c_.init) out_.init = resolved(*c_.init, "an initial predicate", level::state);
    if (c_.next) out_.next = resolved(*c_.next, "a next-state action", level::action);
    if (!c_.specification && !c_.init) without_behaviour();
  }

  void without_behaviour() {
    if (!c_.invariants.empty() || !c_.properties.empty()) {
      auto const& first = c_.invariants.empty() ? c_.properties[0] : c_.invariants[0];
      report(first.at, "cfg.behaviour", first.text + " to check, but no behaviour",
             "SPECIFICATION, or INIT and NEXT", usual_behaviour());
    } else if (!s_.root().variables.empty()) {
      warn({}, "cfg.no-behaviour", "neither SPECIFICATION nor INIT and NEXT",
           "one of them, where states shall be checked", "only the assumptions are checked");
    }
  }

  void specification() {
    auto const& n = *c_.specification;
    out_.specification = resolved(n, "a specification", level::temporal);
    if (!out_.specification || out_.specification->what.def == nullptr) return;
    auto const is = out_.specification->what.def->level;
    if (is == level::temporal) return;
    report(n.at, "cfg.level", n.text + (is == level::action ? ", an action" : ", a state predicate"),
           "a specification: Init /\\ [][Next]_vars",
           usual_behaviour().empty() ? "an initial predicate and an action go to INIT and NEXT"
                                     : usual_behaviour());
  }

  /// "add SPECIFICATION Spec", if the module defines what is usually called so.
  std::string usual_behaviour() const {
    if (auto const spec = add_this("SPECIFICATION", "Spec"); !spec.empty()) return spec;
    auto const init = add_this("INIT", "Init");
    return init.empty() || !s_.find("Next") ? "" : init + " and NEXT Next";
  }
  std::string add_this(std::string const& statement, std::string const& name) const {
    return s_.find(name).def != nullptr ? "add " + statement + " " + name : "";
  }

  void all(std::vector<config_name> const& names, std::vector<goal>& into, char const* what, level most) {
    for (auto const& n : names) {
      if (auto g = resolved(n, what, most)) into.push_back(std::move(*g));
    }
  }

  /// A definition without parameters whose level is not above what its use allows.
  std::optional<goal> resolved(config_name const& n, std::string const& what, level most) {
    auto found = s_.find(n.text);
    if (!found) {
      undefined(n, what);
      return std::nullopt;
    }
    if (auto const arity = arity_of(found); arity != 0) {
      report(n.at, "cfg.arity", n.text + " with " + parameters(arity), what + " with no parameter",
             place(found));
      return std::nullopt;
    }
    auto const is = found.def != nullptr                 ? found.def->level
                    : found.decl->what == sort::variable ? level::state
                                                         : level::constant;
    if (is > most) {
      auto const why = is == level::action     ? ", which has a prime"
                       : is == level::temporal ? ", a temporal formula"
                                               : ", which has variables";
      auto const asked = what == "an invariant" && is == level::temporal ? "write it under PROPERTY; "
                         : what == "an invariant" && is == level::action
                             ? "an action is checked of every step under PROPERTY, as [][A]_vars; "
                             : "";
      report(n.at, "cfg.level", n.text + why, what, asked + place(found));
      return std::nullopt;
    }
    return goal{n.text, n.at, std::move(found)};
  }

  void property(goal const& g) {
    if (g.what.def == nullptr || g.what.def->level != level::action) return;
    report(g.at, "cfg.level", g.name + ", an action", "a property: a state predicate or a temporal formula",
           "an action is checked of every step as [][" + g.name + "]_v");
  }

  void undefined(config_name const& n, std::string const& what) {
    auto near = nearest(n.text, s_.names());
    report(n.at, "cfg.undefined",
           n.text + ", which the module " + std::string{s_.root().name} + " does not define", what,
           near.empty() ? "" : "did you mean " + near + "?");
  }

  // Constants
  void constant(config_constant const& entry) {
    if (!entry.in_module.text.empty()) return in_module(entry);
    auto const found = s_.find(entry.name.text);
    if (!found) {
      auto const near = nearest(entry.name.text, s_.names());
      warn(entry.name.at, "cfg.unknown-constant",
           entry.name.text + ", which the module " + std::string{s_.root().name} + " does not declare",
           "one of its constants or definitions",
           near.empty() ? "it is ignored" : "did you mean " + near + "?");
      return;
    }
    if (found.decl != nullptr && found.decl->what == sort::variable) {
      report(entry.name.at, "cfg.constant", "the variable " + entry.name.text, "a constant or a definition");
      return;
    }
    replacement r;
    r.constant = found.decl;
    r.defined = found.def;
    add(entry, std::move(r), arity_of(found));
  }

  void in_module(config_constant const& entry) {
    replacement r;
    r.only_in = s_.find_module(entry.in_module.text);
    if (r.only_in == nullptr) {
      report(entry.in_module.at, "cfg.undefined", "the module " + entry.in_module.text,
             "a module that the spec uses");
      return;
    }
    auto const found = s_.find_in(*r.only_in, entry.name.text);
    r.defined = found.def;
    r.constant = found.decl;
    if (!found || (found.decl != nullptr && found.decl->what == sort::variable)) {
      report(entry.name.at, "cfg.undefined",
             entry.name.text + ", which the module " + entry.in_module.text + " does not define",
             "one of its definitions or constants");
      return;
    }
    auto const arity = arity_of(found);
    add(entry, std::move(r), arity);
  }

  void add(config_constant const& entry, replacement r, std::size_t arity) {
    if (entry.value) {
      if (entry.args.size() != arity) {
        report(entry.name.at, "cfg.arity",
               entry.name.text + " with " + std::to_string(entry.args.size()) + " arguments",
               parameters(arity),
               arity > 0 ? "an operator takes its meaning from a definition: " + entry.name.text + " <- Name"
                         : "");
        return;
      }
      if (arity > 0) return add_row(entry, std::move(r));
      r.value = entry.value;
    } else {
      r.by = s_.find(entry.replacement.text);
      if (!r.by) {
        auto const near = nearest(entry.replacement.text, s_.names());
        report(
            entry.replacement.at, "cfg.undefined",
            entry.replacement.text + ", which the module " + std::string{s_.root().name} + " does not define",
            "a definition to stand for " + entry.name.text,
            (near.empty() ? "" : "did you mean " + near + "? ") + "to give it a value, write " +
                entry.name.text + " = " + entry.replacement.text);
        return;
      }
      if (arity_of(r.by) != arity) {
        report(entry.replacement.at, "cfg.arity",
               entry.replacement.text + " with " + parameters(arity_of(r.by)),
               parameters(arity) + ", as " + entry.name.text + " has", place(r.by));
        return;
      }
    }
    if (auto* before = same(r)) {
      warn(entry.name.at, "cfg.twice", "a second value for " + entry.name.text, "one", "this one counts");
      *before = std::move(r);
    } else {
      out_.replacements.push_back(std::move(r));
    }
  }

  void add_row(config_constant const& entry, replacement r) {
    auto* known = same(r);
    if (known == nullptr) known = &out_.replacements.emplace_back(std::move(r));
    known->table.emplace_back(entry.args, *entry.value);
  }

  replacement* same(replacement const& r) {
    auto const it = std::ranges::find_if(out_.replacements, [&](replacement const& x) {
      return x.constant == r.constant && x.defined == r.defined && x.only_in == r.only_in;
    });
    return it == out_.replacements.end() ? nullptr : &*it;
  }

  void missing_values() {
    for (auto const* d : s_.root().constants) {
      auto const given = [&](replacement const& r) { return r.constant == d; };
      if (std::ranges::any_of(out_.replacements, given)) continue;
      if (std::ranges::any_of(c_.constants, [&](auto const& e) { return e.name.text == d->name; })) continue;
      report({}, "cfg.no-value", "no value for the constant " + std::string{d->name},
             std::string{d->name} + (d->arity == 0 ? " = value or " + std::string{d->name} : "") +
                 " <- Definition after CONSTANTS",
             misspelt(d->name) + "declared at " + to_string(d->range));
    }
  }

  /// A constant of the configuration that nobody declares, and that was meant for this one.
  std::string misspelt(std::string_view name) const {
    std::vector<std::string> unknown;
    for (auto const& e : c_.constants) {
      if (e.in_module.text.empty() && !s_.find(e.name.text)) unknown.push_back(e.name.text);
    }
    auto const near = nearest(std::string{name}, unknown);
    return near.empty() ? "" : "the configuration gives one to " + near + ", which is not declared; ";
  }

  void report(source_position at, std::string code, std::string found, std::string wanted,
              std::string hint = "") {
    errors_.push_back({c_.path, at, severity::error, std::move(code), std::move(found), std::move(wanted),
                       std::move(hint)});
  }

  void warn(source_position at, std::string code, std::string found, std::string wanted, std::string hint) {
    out_.warnings.push_back({c_.path, at, severity::warning, std::move(code), std::move(found),
                             std::move(wanted), std::move(hint)});
  }

  config const& c_;
  spec const& s_;
  binding out_;
  std::vector<diagnostic> errors_;
};

}  // namespace

expected<binding, std::vector<diagnostic>> bind(config const& c, spec const& s) {
  return binder_of_names{c, s}.run();
}

}  // namespace halfopen::tla
