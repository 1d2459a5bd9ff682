#include <algorithm>
#include <bit>
#include <map>

#include <halfopen/base/assert.hpp>
#include <halfopen/check/fair_cycle.hpp>
#include <halfopen/check/ltl.hpp>
#include <halfopen/tla/liveness.hpp>

namespace halfopen::tla {

namespace {

using check::state_id;

/// The steps of a graph, each target once, and the step that changes nothing at every state.
struct step_table {
  std::vector<std::size_t> first;
  std::vector<state_id> to;

  explicit step_table(check::graph const& g) {
    for (state_id s = 0; s < g.size(); ++s) {
      first.push_back(to.size());
      to.push_back(s);
      for (auto const& step : g.steps(s)) to.push_back(step.to);
      auto const begin = to.begin() + static_cast<std::ptrdiff_t>(first.back());
      std::sort(begin, to.end());
      to.erase(std::unique(begin, to.end()), to.end());
    }
    first.push_back(to.size());
  }
};

bool is(expr const& e, primitive p) { return e.kind == expr_kind::apply && e.def->primitive == p; }

/// Temporal formulas over atoms: predicates of states and of steps.
class translator {
 public:
  struct atom {
    code const* run;
    expr const* at;
    bool of_step;
    std::string name;
  };

  explicit translator(model& m) : m_{m} {}

  check::ltl logic;
  std::vector<atom> atoms;

  check::ltl::formula formula(expr const& e, scope const& in, std::string const& name) {
    auto& split = m_.splitter();
    auto const part = [&](std::size_t i) { return formula(*e.args[i], in, name); };
    if (e.kind == expr_kind::let && split.is_temporal(e, in))
      return formula(*e.args[0], split.with_lets(e, in), name);
    if (is(e, primitive::always)) {
      if (e.args[0]->kind == expr_kind::square) return logic.always(step_atom(*e.args[0], in, name));
      return logic.always(part(0));
    }
    if (is(e, primitive::eventually)) {
      if (e.args[0]->kind == expr_kind::angle) return logic.eventually(step_atom(*e.args[0], in, name));
      return logic.eventually(part(0));
    }
    if (is(e, primitive::leads_to))
      return logic.always(logic.either(logic.negated(part(0)), logic.eventually(part(1))));
    if (e.kind == expr_kind::weak_fair || e.kind == expr_kind::strong_fair) return fair(e, in, name);
    if (!split.is_temporal(e, in)) return state_atom(e, in, name);
    if (is(e, primitive::conjunction) || is(e, primitive::disjunction)) {
      auto f = part(0);
      for (std::size_t i = 1; i < e.args.size(); ++i) {
        f = is(e, primitive::conjunction) ? logic.both(f, part(i)) : logic.either(f, part(i));
      }
      return f;
    }
    if (is(e, primitive::negation)) return logic.negated(part(0));
    if (is(e, primitive::implication)) return logic.either(logic.negated(part(0)), part(1));
    if (is(e, primitive::equivalence)) {
      auto const a = part(0), b = part(1);
      return logic.either(logic.both(a, b), logic.both(logic.negated(a), logic.negated(b)));
    }
    if (e.kind == expr_kind::if_then_else) {
      auto const c = part(0);
      return logic.either(logic.both(c, part(1)), logic.both(logic.negated(c), part(2)));
    }
    if (e.kind == expr_kind::forall || e.kind == expr_kind::exists) {
      bool const all = e.kind == expr_kind::forall;
      auto f = logic.constant(all);
      for (auto const& l : split.instances(e, in)) {
        auto const g = formula(*l.e, l.in, name);
        f = all ? logic.both(f, g) : logic.either(f, g);
      }
      return f;
    }
    if (auto const [body, inside] = split.seen(e, in); body != &e) return formula(*body, inside, name);
    throw bad_formula{
        "the property " + name +
            " has a temporal formula here that is not supported: it may be made of state "
            "predicates, [A]_v, <<A>>_v, WF_v(A), SF_v(A), [], <>, ~> and logic, with quantifiers "
            "over constant sets",
        &e};
  }

 private:
  /// WF: infinitely often not enabled, or taken. SF: in the end never enabled, or infinitely often taken.
  check::ltl::formula fair(expr const& e, scope const& in, std::string const& name) {
    auto const can = added({m_.compiled_by().enabled_step(e, in).run, &e, false, name});
    auto const done = added({m_.compiled_by().taken_step(e, in).run, &e, true, name});
    auto const often = logic.always(logic.eventually(logic.atom(done)));
    auto const never = logic.negated(logic.atom(can));
    if (e.kind == expr_kind::weak_fair) return logic.either(logic.always(logic.eventually(never)), often);
    return logic.either(logic.eventually(logic.always(never)), often);
  }

  check::ltl::formula step_atom(expr const& e, scope const& in, std::string const& name) {
    return logic.atom(added({m_.compiled_by().expression(e, in).run, &e, true, name}));
  }

  check::ltl::formula state_atom(expr const& e, scope const& in, std::string const& name) {
    auto const p = m_.compiled_by().expression(e, in);
    if (p.on.next)
      throw bad_formula{"the property " + name + " has an action outside of [][A]_v and <><<A>>_v", &e};
    return logic.atom(added({p.run, &e, false, name}));
  }

  std::uint32_t added(atom a) {
    for (std::uint32_t i = 0; i < atoms.size(); ++i) {
      if (atoms[i].run == a.run && atoms[i].of_step == a.of_step) return i;
    }
    atoms.push_back(std::move(a));
    return static_cast<std::uint32_t>(atoms.size() - 1);
  }

  model& m_;
};

/// More things to keep apart than there are marks.
struct too_many_marks {};

/// The fairness that the specification assumes, as marks of states and steps.
template <class Marks>
class fairness_marks {
 public:
  fairness_marks(model& m, check::graph const& g, step_table const& steps) : m_{m}, g_{g}, steps_{steps} {
    of_state.assign(g.size(), 0);
    of_step.assign(steps.to.size(), 0);
    for (auto const& f : m.assumed().fair) add(f);
  }

  std::vector<Marks> of_state, of_step;
  check::basic_fairness<Marks> wanted;
  std::uint32_t used = 0;

  static Marks next_mark(std::uint32_t& used) {
    if (used == check::marks_max<Marks>) throw too_many_marks{};
    return Marks{1} << used++;
  }

 private:
  /// Running <<A>>_v from a state gives both: whether it is enabled, and which steps are such steps.
  void add(fair_action const& f) {
    auto const taken = next_mark(used);
    auto const can = f.strong ? next_mark(used) : Marks{0};
    if (f.strong) {
      wanted.pairs.emplace_back(can, taken);
    } else {
      wanted.must |= taken;
    }
    bool enabled = false;
    state_id at = 0;
    std::vector<std::vector<value>> reached;
    auto const* seen = m_.compiled_by().make_act([&](machine& m) {
      enabled = true;
      std::span<value const> const next{m.next, g_.rows().width()};
      if (m_.has_key()) reached.emplace_back(next.begin(), next.end());  // a key is asked for afterwards
      for (auto i = steps_.first[at]; i < steps_.first[at + 1]; ++i) {
        if (leads_to(next, g_.state(steps_.to[i]))) of_step[i] |= taken;
      }
      return false;
    });
    auto const* run = m_.compiled_by().step_of(*f.a.e, f.a.in, seen);
    if (run == nullptr) return add_by_asking(f, can, taken);
    for (at = 0; at < g_.size(); ++at) {
      enabled = false;
      m_.asked("a fairness condition", g_.state(at), {}, [&] {
        m_.clear_next();
        return run->run(m_.on());
      });
      for (auto const& next : std::exchange(reached, {})) {
        for (auto i = steps_.first[at]; i < steps_.first[at + 1]; ++i) {
          if (leads_to_key(next, g_.state(steps_.to[i]))) of_step[i] |= taken;
        }
      }
      if (f.strong && enabled) of_state[at] |= can;
      if (!f.strong && !enabled) of_state[at] |= taken;
    }
  }

  /// The same where the action speaks of next values that no run could assign.
  void add_by_asking(fair_action const& f, Marks can, Marks taken) {
    auto const may = m_.compiled_by().enabled_step(*f.a.e, f.a.in),
               does = m_.compiled_by().taken_step(*f.a.e, f.a.in);
    auto const ask = [&](piece const& p, state_id s, check::row next) {
      return m_.asked("a fairness condition", g_.state(s), next,
                      [&] { return truth(m_.on(), *p.run, *f.a.e); });
    };
    for (state_id s = 0; s < g_.size(); ++s) {
      bool const enabled = ask(may, s, {});
      if (f.strong && enabled) of_state[s] |= can;
      if (!f.strong && !enabled) of_state[s] |= taken;
      for (auto i = steps_.first[s]; i < steps_.first[s + 1]; ++i) {
        if (ask(does, s, g_.state(steps_.to[i]))) of_step[i] |= taken;
      }
    }
  }

  static bool leads_to(std::span<value const> next, check::row to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (next[i].is_set_yet() && next[i].word() != to[i]) return false;
    }
    return true;
  }

  /// With SYMMETRY or VIEW (forced), a state stands for every state of its key.
  bool leads_to_key(std::span<value const> next, check::row to) {
    std::vector<check::word> given, a(m_.key_width()), b(m_.key_width());
    for (std::size_t i = 0; i < to.size(); ++i)
      given.push_back(next[i].is_set_yet() ? next[i].word() : to[i]);
    m_.key(given, a);
    m_.key(to, b);
    return a == b;
  }

  model& m_;
  check::graph const& g_;
  step_table const& steps_;
};

/// The graph beside an automaton of what must not be.
template <class Marks>
class product {
 public:
  product(model& m, check::graph const& g, step_table const& steps, fairness_marks<Marks> fair,
          translator const& t)
      : m_{m}, g_{g}, steps_{steps}, fair_{std::move(fair)}, t_{t} {}

  std::optional<lasso> fair_run(check::ltl::formula f, std::string const& name) {
    auto const a = check::automaton_of(t_.logic, f);
    auto wanted = fair_.wanted;
    auto used = fair_.used;
    std::vector<Marks> sets(a.states.size(), 0);
    for (std::uint32_t i = 0; i < a.sets; ++i) {
      auto const mark = fairness_marks<Marks>::next_mark(used);
      wanted.must |= mark;
      for (std::size_t q = 0; q < a.states.size(); ++q) {
        if ((a.states[q].sets >> i & 1) != 0) sets[q] |= mark;
      }
    }
    build(a, sets);
    auto const found = check::find_fair_cycle(pairs_, starts_, wanted);
    if (!found) return std::nullopt;
    return unrolled(*found, f, name);
  }

 private:
  void build(check::automaton const& a, std::vector<Marks> const& sets) {
    auto const width = a.states.size();
    numbers_.assign(g_.size() * width, none);
    of_.clear();
    starts_.clear();
    pairs_ = {};
    pairs_.to.reserve(steps_.to.size());  // a guess; what is not used is only addresses
    pairs_.of_step.reserve(steps_.to.size());
    auto const number = [&](state_id s, std::uint32_t q) -> std::uint32_t {
      auto& n = numbers_[s * width + q];
      if (n == none) {
        n = static_cast<std::uint32_t>(of_.size());
        of_.push_back({s, q});
      }
      return n;
    };
    for (state_id s = 0; s < g_.initial_count(); ++s) {
      for (auto q : a.initial) {
        if (fits(s, a.states[q])) starts_.push_back(number(s, q));
      }
    }
    for (std::uint32_t n = 0; n < of_.size(); ++n) {  // numbered as they are found
      auto const [s, q] = of_[n];
      pairs_.first.push_back(pairs_.to.size());
      pairs_.of_state.push_back(fair_.of_state[s] | sets[q]);
      for (auto i = steps_.first[s]; i < steps_.first[s + 1]; ++i) {
        auto const t = steps_.to[i];
        if (!step_fits(s, t, i, a.states[q])) continue;
        for (auto next : a.states[q].next) {
          if (!fits(t, a.states[next])) continue;
          pairs_.to.push_back(number(t, next));
          pairs_.of_step.push_back(fair_.of_step[i]);
        }
      }
    }
    pairs_.first.push_back(pairs_.to.size());
  }

  bool value_of(std::uint32_t atom, state_id s, state_id t) {
    auto const& a = t_.atoms[atom];
    return m_.asked("the property " + a.name, g_.state(s), a.of_step ? g_.state(t) : check::row{},
                    [&] { return truth(m_.on(), *a.run, *a.at); });
  }

  bool state_value(std::uint32_t atom, state_id s) {
    auto& known = state_values_[atom];
    if (known.empty()) known.assign(g_.size(), unknown);
    if (known[s] == unknown) known[s] = value_of(atom, s, s) ? 1 : 0;
    return known[s] == 1;
  }

  bool step_value(std::uint32_t atom, state_id s, state_id t, std::size_t step) {
    auto& known = step_values_[atom];
    if (known.empty()) known.assign(steps_.to.size(), unknown);
    if (known[step] == unknown) known[step] = value_of(atom, s, t) ? 1 : 0;
    return known[step] == 1;
  }

  bool fits(state_id s, check::automaton::state const& q) {
    auto const is_true = [&](std::uint32_t a) { return t_.atoms[a].of_step || state_value(a, s); };
    auto const is_false = [&](std::uint32_t a) { return t_.atoms[a].of_step || !state_value(a, s); };
    return std::ranges::all_of(q.wanted, is_true) && std::ranges::all_of(q.unwanted, is_false);
  }

  bool step_fits(state_id s, state_id t, std::size_t i, check::automaton::state const& q) {
    auto const is_true = [&](std::uint32_t a) { return !t_.atoms[a].of_step || step_value(a, s, t, i); };
    auto const is_false = [&](std::uint32_t a) { return !t_.atoms[a].of_step || !step_value(a, s, t, i); };
    return std::ranges::all_of(q.wanted, is_true) && std::ranges::all_of(q.unwanted, is_false);
  }

  lasso unrolled(check::cycle const& c, check::ltl::formula f, std::string const& name) {
    auto const stem = check::shortest_path(pairs_.first, pairs_.to, starts_, c.front());
    lasso l{name, {}, stem.size() - 1};
    for (auto n : stem) l.states.push_back(of_[n].first);
    for (std::size_t i = 1; i < c.size(); ++i) l.states.push_back(of_[c[i]].first);
    validate(l, f);
    return l;
  }

  /// Nothing is shown that has not been held against the formula itself.
  void validate(lasso const& l, check::ltl::formula f) {
    auto const n = static_cast<std::uint32_t>(l.states.size());
    auto const after = [&](std::uint32_t i) { return l.states[i + 1 == n ? l.back : i + 1]; };
    bool const broken = t_.logic.holds(
        f, n, static_cast<std::uint32_t>(l.back),
        [&](std::uint32_t i, std::uint32_t atom) { return value_of(atom, l.states[i], after(i)); });
    invariant(broken, "a counterexample breaks the property that it is shown for");
    Marks seen = 0;
    for (auto i = static_cast<std::uint32_t>(l.back); i < n; ++i) {
      seen |= fair_.of_state[l.states[i]];
      for (auto k = steps_.first[l.states[i]]; k < steps_.first[l.states[i] + 1]; ++k) {
        if (steps_.to[k] == after(i)) seen |= fair_.of_step[k];
      }
    }
    invariant((seen & fair_.wanted.must) == fair_.wanted.must, "a counterexample is weakly fair");
    for (auto const& [can, taken] : fair_.wanted.pairs) {
      invariant((seen & can) == 0 || (seen & taken) != 0, "a counterexample is strongly fair");
    }
  }

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr char unknown = 2;

  model& m_;
  check::graph const& g_;
  step_table const& steps_;
  fairness_marks<Marks> fair_;
  translator const& t_;
  std::map<std::uint32_t, std::vector<char>> state_values_, step_values_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::pair<state_id, std::uint32_t>> of_;
  std::vector<std::uint32_t> starts_;
  check::basic_marked_graph<Marks> pairs_;
};

/// What must not be: a formula, and the property that it breaks.
using forbidden = std::pair<check::ltl::formula, std::string>;

template <class Marks>
std::optional<lasso> first_broken(model& m, check::graph const& g, step_table const& steps,
                                  translator const& t, std::vector<forbidden> const& all) {
  product<Marks> p{m, g, steps, fairness_marks<Marks>{m, g, steps}, t};
  for (auto const& [f, name] : all) {
    if (auto found = p.fair_run(f, name)) return found;
  }
  return std::nullopt;
}

/// Few marks take little memory; more are for models that need them.
std::optional<lasso> first_broken(model& m, check::graph const& g, translator const& t,
                                  std::vector<forbidden> const& all) {
  step_table const steps{g};
  try {
    return first_broken<check::marks>(m, g, steps, t, all);
  } catch (too_many_marks) {
  }
  try {
    return first_broken<check::wide_marks>(m, g, steps, t, all);
  } catch (too_many_marks) {
    throw refusal{
        refusal::kind::config,
        "error: more than 1024 fairness conditions and promises at once are not supported (a strong "
        "fairness counts twice)"};
  }
}

}  // namespace

std::optional<lasso> broken_temporal_property(model& m, check::graph const& g) {
  if (m.temporal_properties().empty()) return std::nullopt;
  try {
    translator t{m};
    auto assumed = t.logic.constant(true);
    for (auto const& l : m.assumed().assumed)
      assumed = t.logic.both(assumed, t.formula(*l.e, l.in, "of the specification"));
    std::vector<forbidden> all;
    for (auto const& l : m.temporal_properties()) {
      auto const f = t.formula(*l.e, l.in, l.name);
      for (auto d : t.logic.disjuncts(t.logic.negated(f))) all.emplace_back(t.logic.both(assumed, d), l.name);
    }
    return first_broken(m, g, t, all);
  } catch (compile_error const& e) {
    throw refusal{refusal::kind::config, m.place(e.at) + "error: " + e.what};
  } catch (bad_formula const& e) {
    throw refusal{refusal::kind::config, m.place(e.at) + "error: " + e.what};
  }
}

namespace {

/// Whether some choice of its atoms at each moment makes an automaton accept.
bool accepts_something(check::automaton const& a) {
  check::marked_graph g;
  for (auto const& q : a.states) {
    g.first.push_back(g.to.size());
    g.to.insert(g.to.end(), q.next.begin(), q.next.end());
    g.of_step.resize(g.to.size(), 0);
    g.of_state.push_back(q.sets);
  }
  g.first.push_back(g.to.size());
  check::fairness const wanted{.must = (check::marks{1} << a.sets) - 1};
  return check::find_fair_cycle(g, std::span<std::uint32_t const>{a.initial}, wanted).has_value();
}

}  // namespace

bool is_tautology(model& m, located const& property) {
  translator t{m};
  auto const wrong = t.logic.negated(t.formula(*property.e, property.in, property.name));
  return std::ranges::none_of(t.logic.disjuncts(wrong),
                              [&](auto d) { return accepts_something(check::automaton_of(t.logic, d)); });
}

}  // namespace halfopen::tla
