#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <halfopen/tla/levels.hpp>

namespace halfopen::tla {
namespace {

constexpr auto constant = level::constant;
constexpr auto state = level::state;
constexpr auto action = level::action;
constexpr auto temporal = level::temporal;

char const* article(level l) noexcept {
  switch (l) {
    case level::constant: return "a constant";
    case level::state: return "a state function or predicate";
    case level::action: return "an action";
    case level::temporal: return "a temporal formula";
  }
  return "";
}

/// The way through instances under which an expression is looked at. Null for the module's own view.
struct context {
  context const* parent = nullptr;
  instance const* of = nullptr;
  friend auto operator<=>(context const&, context const&) = default;
};

/// One walk finds the level of an expression from below and, from above, the highest level each name may
/// have.
class checker {
 public:
  explicit checker(loader& l) : loader_{l}, s_{l.storage()} {}

  void run(module& m) {
    bool const recursive =
        std::ranges::any_of(s_.definitions, [&](auto const& d) { return d.owner == &m && d.recursive; });
    quiet_ = recursive;
    do {
      changed_ = false;
      seen_.clear();
      visit(m);
    } while (quiet_ && changed_);
    if (!std::exchange(quiet_, false)) return;
    seen_.clear();
    visit(m);
  }

  void run(definition const& d) { of_definition(d, nullptr); }

 private:
  void visit(module& m) {
    for (auto const* d : m.definitions) {
      if (d->owner == &m) of_definition(*d, nullptr);
    }
    for (auto const* i : m.instances) {
      if (i->owner == &m) visit(*i);
    }
    for (auto const& a : m.assumptions) {
      if (a.def->owner != &m || of_definition(*a.def, nullptr) == constant) continue;
      report(a.range, "an assumption about variables", "a formula about constants",
             "an assumption is checked once, before there is any state");
    }
  }

  void visit(instance const& i) {
    for (auto const& w : i.with) {
      if (w.by == nullptr) continue;
      auto const l = walk(*w.by, temporal, nullptr);
      bool const to_variable = w.what->what == declaration::sort::variable;
      auto const most = to_variable ? state : i.of->variables.empty() ? temporal : constant;
      if (l > most) {
        report(w.by->range,
               std::string{article(l)} + " for the " + (to_variable ? "variable " : "constant ") +
                   std::string{w.what->name},
               article(most));
      }
    }
  }

  level of_definition(definition const& d, context const* c) {
    if (d.body == nullptr) return constant;
    auto const key = std::pair{&d, c};
    auto const known = levels_[key];
    if (!seen_.insert(key).second) return known;
    auto const l = walk(*d.body, temporal, c);
    auto& now = levels_[key];
    if (l > now) {
      now = l;
      changed_ = true;
    }
    if (c == nullptr) const_cast<definition&>(d).level = now;  // ours: it lies in storage
    return now;
  }

  /// The level of `e`, whose surroundings allow at most `most`.
  level walk(expr const& e, level most, context const* c) {
    auto const l = walk_kind(e, most, c);
    if (c == nullptr) const_cast<expr&>(e).level = l;  // ours: it lies in storage
    return l;
  }

  level walk_kind(expr const& e, level most, context const* c) {
    switch (e.kind) {
      case expr_kind::bound_name: return bound(e, most, c);
      case expr_kind::declared: return declared(e, most, c);
      case expr_kind::apply:
        return e.def->primitive == primitive::none ? applied(e, c) : primitive_level(e, most, c);
      case expr_kind::operator_name: return operator_level(e, c);
      case expr_kind::forall:
      case expr_kind::exists:
      case expr_kind::if_then_else:
      case expr_kind::case_of:
      case expr_kind::let:
      case expr_kind::lambda: return std::max(bounds(e, c), logical(e, most, c));
      case expr_kind::temporal_forall:
      case expr_kind::temporal_exists: walk(*e.args[0], temporal, c); return temporal;
      case expr_kind::square:
      case expr_kind::angle: subscripted(e, c); return action;
      case expr_kind::weak_fair:
      case expr_kind::strong_fair: subscripted(e, c); return temporal;
      default: return data(e, c);
    }
  }

  level bound(expr const& e, level most, context const* c) {
    auto const at = s_.level_max.try_emplace(e.bind, temporal).first;
    at->second = std::min(at->second, most);
    auto l = constant;
    for (auto const* a : e.args) l = std::max(l, walk(*a, temporal, c));
    return l;
  }

  level declared(expr const& e, level most, context const* c) {
    auto l = e.decl->what == declaration::sort::variable ? state : constant;
    for (auto const* in = c; in != nullptr; in = in->parent) {
      auto const w = std::ranges::find(in->of->with, e.decl, &instance::substitution::what);
      if (w == in->of->with.end() || w->by == nullptr) continue;
      l = walk(*w->by, most, in->parent);
      break;
    }
    for (auto const* a : e.args) l = std::max(l, walk(*a, temporal, c));
    return l;
  }

  level applied(expr const& e, context const* c) {
    auto l = of_definition(*e.def, enter(e, c));
    for (auto const& step : e.through) {
      for (auto const* a : step.args) l = std::max(l, walk(*a, temporal, c));
    }
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      auto const found = i < e.def->params.size() ? s_.level_max.find(e.def->params[i]) : s_.level_max.end();
      auto const most = found == s_.level_max.end() ? temporal : found->second;
      auto const a = walk(*e.args[i], most, c);
      if (a > most && c == nullptr) {
        report(e.args[i]->range,
               std::string{article(a)} + " as argument " + std::to_string(i + 1) + " of " +
                   std::string{e.def->name},
               article(most), "its definition primes the argument, or uses it as a value");
      }
      l = std::max(l, a);
    }
    return l;
  }

  context const* enter(expr const& e, context const* c) {
    for (auto const& step : e.through) c = &*contexts_.insert(context{c, step.of}).first;
    return c;
  }

  level operator_level(expr const& e, context const* c) {
    if (e.def != nullptr) return of_definition(*e.def, enter(e, c));
    return e.decl != nullptr ? declared(e, temporal, c) : constant;
  }

  level bounds(expr const& e, context const* c) {
    auto l = constant;
    for (auto const& b : e.bounds) {
      if (b.set != nullptr) l = std::max(l, at_most(*b.set, action, "the set that a name ranges over", c));
    }
    return l;
  }

  /// Parts that may be temporal formulas.
  level logical(expr const& e, level most, context const* c) {
    auto l = constant;
    bool some_action = false;
    for (auto const* a : e.args) {
      auto const k = walk(*a, most, c);
      some_action = some_action || k == action;
      l = std::max(l, k);
    }
    bool const joins = e.kind == expr_kind::apply;
    if (joins && l == temporal && some_action && c == nullptr) {
      auto const a = std::ranges::find(e.args, action, &expr::level);
      report((*a)->range, "an action beside a temporal formula", "a state predicate or a temporal formula",
             "an action belongs into [A]_v or <<A>>_v under [] or <>");
    }
    return l;
  }

  level data(expr const& e, context const* c) {
    auto l = bounds(e, c);
    for (auto const* a : e.args) l = std::max(l, at_most(*a, action, "a value", c));
    for (auto const& u : e.updates) {
      for (auto const* p : u.path) l = std::max(l, at_most(*p, action, "a value", c));
      l = std::max(l, at_most(*u.value, action, "a value", c));
    }
    return l;
  }

  void subscripted(expr const& e, context const* c) {
    at_most(*e.args[0], action, "the action", c);
    at_most(*e.args[1], state, "the subscript", c);
  }

  level primitive_level(expr const& e, level most, context const* c) {
    switch (e.def->primitive) {
      case primitive::conjunction:
      case primitive::disjunction:
      case primitive::negation:
      case primitive::implication:
      case primitive::equivalence: return logical(e, most, c);
      case primitive::prime:
      case primitive::unchanged:
        at_most(*e.args[0], state,
                e.def->primitive == primitive::prime ? "what is primed" : "what is UNCHANGED", c);
        return action;
      case primitive::enabled: at_most(*e.args[0], action, "what is ENABLED", c); return state;
      case primitive::compose:
        for (auto const* a : e.args) at_most(*a, action, "a step of \\cdot", c);
        return action;
      case primitive::always: return box(e, expr_kind::square, "[][A]_v", c);
      case primitive::eventually: return box(e, expr_kind::angle, "<><<A>>_v", c);
      case primitive::leads_to:
      case primitive::guarantee:
        for (auto const* a : e.args) no_action(*a, std::string{e.def->name}, c);
        return temporal;
      default: return data(e, c);
    }
  }

  level box(expr const& e, expr_kind form, char const* wanted, context const* c) {
    auto const& inside = *e.args[0];
    auto const l = walk(inside, temporal, c);
    if (l == action && inside.kind != form && c == nullptr) {
      report(e.range, std::string{e.def->name} + " of an action", wanted,
             "a step that changes nothing must be allowed");
    }
    return temporal;
  }

  void no_action(expr const& e, std::string const& op, context const* c) {
    if (walk(e, temporal, c) == action && c == nullptr) {
      report(e.range, "an action beside " + op, "a state predicate or a temporal formula");
    }
  }

  level at_most(expr const& e, level most, char const* what, context const* c) {
    auto const l = walk(e, most, c);
    if (l > most && c == nullptr) {
      auto const again = l == action && most == state ? ", which has a prime already" : "";
      report(e.range, std::string{article(l)} + " as " + what + again, article(most));
    }
    return l;
  }

  void report(source_range const& where, std::string found, std::string expected, std::string hint = {}) {
    if (!quiet_) loader_.report(where, "tla.level", std::move(found), std::move(expected), std::move(hint));
  }

  loader& loader_;
  spec::storage& s_;
  std::map<std::pair<definition const*, context const*>, level> levels_;
  std::set<std::pair<definition const*, context const*>> seen_;
  std::set<context> contexts_;
  bool quiet_ = false;
  bool changed_ = false;
};

}  // namespace

void check_levels(loader& l, module& m) { checker{l}.run(m); }

void check_levels(loader& l, definition const& d) { checker{l}.run(d); }

}  // namespace halfopen::tla
