#include <algorithm>
#include <set>

#include <halfopen/tla/model.hpp>
#include <halfopen/tla/value_itf.hpp>
#include <halfopen/tla/value_legend.hpp>

namespace halfopen::tla {

model::model(spec const& s, binding const& b, std::size_t stack_bytes, bool coverage)
    : model{s, b, stack_bytes, coverage, std::make_shared<value_pool>()} {
  pool_->end_of_names();
}

model::model(spec const& s, binding const& b, std::size_t stack_bytes, bool coverage,
             std::shared_ptr<value_pool> pool)
    : spec_{s},
      binding_{b},
      pool_{std::move(pool)},
      compiler_{s, b, *pool_},
      machine_{*pool_, stack_bytes},
      splitter_{compiler_, machine_},
      width_{s.root().variables.size()},
      stack_bytes_{stack_bytes},
      coverage_{coverage},
      now_(width_),
      next_row_(width_) {
  machine_.variables = width_;
  frame_ = machine_.frame;
  machine_.next = next_row_.data();
  try {
    compiler_.count_in(coverage ? &seen_.parts : nullptr);
    compile_behaviour();
    compiler_.count_in(nullptr);
    compile_properties();
    compile_symmetry();
    compile_premises();
  } catch (compile_error const& e) {
    throw refusal{refusal::kind::evaluation, place(e.at) + "error: " + e.what};
  } catch (bad_formula const& e) {
    throw refusal{refusal::kind::config, place(e.at) + "error: " + e.what};
  } catch (value_error const& e) {
    throw refusal{refusal::kind::evaluation, located_message("", e.what)};
  }
  reset();
}

model::~model() {
  std::scoped_lock const lock{others_->mutex};
  others_->all.add(seen_);
}

std::unique_ptr<check::model> model::another() {
  if (alone_) return nullptr;
  pool_->share();
  std::unique_ptr<model> m{new model{spec_, binding_, stack_bytes_, coverage_, pool_}};
  m->others_ = others_;
  m->machine_.registers = machine_.registers;
  m->machine_.statistics = machine_.statistics;
  return m;
}

std::unique_ptr<check::word_writer> model::writes_words() { return std::make_unique<value_writer>(*pool_); }

check::word_reader model::reads_words(std::span<check::word const> legend) {
  return value_reader(*pool_, legend);
}

void model::at_rest() {
  while (pool_->crowded()) pool_->grow();
}

std::string model::place(expr const* e) const {
  return e != nullptr && e->range.known() ? to_string(e->range) + ": " : std::string{};
}

std::string model::located_message(std::string const& about, std::string const& what) const {
  return place(machine_.at) + "error: " + (about.empty() ? "" : about + ": ") + what;
}

std::pair<expr const*, scope> model::goal_formula(goal const& g) {
  if (g.what.def != nullptr && g.what.def->body != nullptr) return compiler_.body_of(g.what);
  throw bad_formula{"the configuration names " + g.name + ", which has no definition that can be evaluated"};
}

void model::reset() {
  machine_.variables = compiler_.row_size();
  machine_.frame = frame_;
  machine_.top = machine_.frame + compiler_.frame_size();
  std::ranges::fill(next_row_, value{});
}

void model::compile_behaviour() {
  if (binding_.specification) {
    auto const [e, in] = goal_formula(*binding_.specification);
    splitter_.specification(*e, in, behaviour_);
    if (behaviour_.next.size() != 1) {
      throw bad_formula{"the specification " + binding_.specification->name + " has " +
                            (behaviour_.next.empty() ? "no conjunct" : "more than one conjunct") +
                            " of the form [][Next]_vars",
                        e};
    }
    behaviour_.next[0].e =
        behaviour_.next[0].e->args[0];  // a step that changes nothing leads to no new state
  } else if (binding_.init && binding_.next) {
    auto const i = goal_formula(*binding_.init), n = goal_formula(*binding_.next);
    behaviour_.init.push_back({i.first, i.second});
    behaviour_.next.push_back({n.first, n.second});
  } else if (binding_.init || binding_.next) {
    throw bad_formula{binding_.init ? "INIT stands without NEXT" : "NEXT stands without INIT"};
  } else {
    return;
  }
  auto const found = [this](bool init) {
    return compiler_.make_act([this, init](machine& m) {
      for (auto v : next_row_) {
        if (!v.is_set_yet()) unassigned(init);
      }
      if (on_found_) on_found_();
      for (auto v : next_row_) found_.push_back(v.word());
      found_by_.push_back(m.action);
      return false;
    });
  };
  auto const* emit = found(true);
  for (auto i = behaviour_.init.size(); i-- > 0;) {
    auto in = behaviour_.init[i].in;
    in.init = in.primed = true;
    emit = compiler_.action(*behaviour_.init[i].e, in, emit);
  }
  init_ = emit;
  next_ = compiler_.labelled_action(*behaviour_.next[0].e, behaviour_.next[0].in,
                                    binding_.next ? binding_.next->name : "Next", found(false));
}

void model::unassigned(bool init) {
  std::string names;
  for (std::uint32_t i = 0; i < width_; ++i) {
    if (!next_row_[i].is_set_yet())
      names += (names.empty() ? "" : ", ") + std::string{compiler_.variable(i).name};
  }
  expr const* at = init ? behaviour_.init.front().e : behaviour_.next.front().e;
  std::string who = init ? "the initial predicate" : "the next-state relation";
  if (!init && machine_.action < compiler_.labels().size()) {
    at = compiler_.labels()[machine_.action].at;
    who = "the action " + compiler_.labels()[machine_.action].name;
  }
  machine_.at = at;
  throw value_error{who + " gives no value to " + names};
}

model::predicate model::compiled(located const& l, bool primes) {
  auto const p = compiler_.expression(*l.e, l.in);
  if (p.on.next && !primes)
    throw bad_formula{l.name + " contains a prime, and is asked of single states", l.e};
  return {l.name, p.run, l.e, l};
}

model::predicate model::compiled(goal const& g) {
  if (g.what.decl != nullptr)
    throw bad_formula{g.name + " is a constant or a variable, where a definition is wanted"};
  auto const [e, in] = goal_formula(g);
  return compiled({e, in, g.name}, true);
}

void model::compile_properties() {
  for (auto const& g : binding_.invariants) {
    auto const [e, in] = goal_formula(g);
    invariants_.push_back(compiled({e, in, g.name}, false));
  }
  for (auto const& g : binding_.properties) {
    auto const [e, in] = goal_formula(g);
    splitter_.property(*e, in, g.name, demand_);
  }
  for (auto const& l : demand_.always) invariants_.push_back(compiled(l, false));
  for (auto const& l : demand_.initial) initial_properties_.push_back(compiled(l, false));
  for (auto const& l : demand_.steps) steps_.push_back(compiled(l, true));
  for (auto const& g : binding_.constraints) constraints_.push_back(compiled(g));
  for (auto const& g : binding_.action_constraints) action_constraints_.push_back(compiled(g));
  if (binding_.view) view_ = compiled(*binding_.view).run;
  alone_ = compiler_.depends_on_history();  // what is compiled from here on is not asked during the search
  for (auto const& g : binding_.postconditions) postconditions_.push_back(compiled(g));
  if (binding_.alias) alias_ = compiled(*binding_.alias).run;
}

void model::compile_symmetry() {
  std::set<std::vector<std::pair<std::uint64_t, value>>, decltype([](auto const& a, auto const& b) {
             return std::ranges::lexicographical_compare(a, b, [](auto const& x, auto const& y) {
               return std::pair{x.first, x.second.word()} < std::pair{y.first, y.second.word()};
             });
           })>
      group;
  std::vector<std::unordered_map<std::uint64_t, value>> given;
  for (auto const& g : binding_.symmetry) {
    auto const p = compiled(g);
    reset();
    auto const set = p.run->run(machine_);
    machine_.v.each(set, [&](value f) {
      if (is_tuple(f) && items(f).empty()) return false;
      if (!is_function(f)) throw value_error{g.name + " must be a set of permutations"};
      std::unordered_map<std::uint64_t, value> map;
      auto const keys = items(machine_.v.explicit_set(machine_.v.domain(f)));
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!keys[i].is_model())
          throw value_error{g.name + " permutes " + machine_.v.text(keys[i]) +
                            ", which is not a model value"};
        map.emplace(keys[i].word(), machine_.v.results(f)[i]);
      }
      given.push_back(std::move(map));
      return false;
    });
  }
  if (given.empty()) return;
  // The group that they generate.
  auto const sorted = [](std::unordered_map<std::uint64_t, value> const& m) {
    std::vector<std::pair<std::uint64_t, value>> moved;
    for (auto const& [from, to] : m) {
      if (from != to.word()) moved.emplace_back(from, to);
    }
    std::ranges::sort(moved, {}, [](auto const& p) { return p.first; });
    return moved;
  };
  std::vector<std::unordered_map<std::uint64_t, value>> all;
  auto const add = [&](std::unordered_map<std::uint64_t, value> m) {
    auto key = sorted(m);
    if (key.empty() || !group.insert(std::move(key)).second) return;
    all.push_back(std::move(m));
    if (all.size() > 50000) throw value_error{"the symmetry group has more than 50000 permutations"};
  };
  for (auto& m : given) add(m);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (auto const& by : given) {
      auto composed = by;
      for (auto const& [from, to] : all[i]) {
        auto const on = by.find(to.word());
        composed[from] = on != by.end() ? on->second : to;
      }
      add(std::move(composed));
    }
  }
  permutations_ = std::move(all);
}

/// "; here N = 3, M = {a}": what the constants are that stand in an expression.
std::string model::constants_in(expr const& e) {
  std::set<declaration const*> met;
  auto const look = [&](auto const& self, expr const& x) -> void {
    if (x.kind == expr_kind::declared && x.decl->what == declaration::sort::constant && x.decl->arity == 0)
      met.insert(x.decl);
    for (auto const* a : x.args) self(self, *a);
    for (auto const& b : x.bounds) {
      if (b.set != nullptr) self(self, *b.set);
    }
  };
  look(look, e);
  std::string text;
  for (auto const& r : binding_.replacements) {
    if (r.constant == nullptr || !met.contains(r.constant) || !r.value) continue;
    text += (text.empty() ? "; here " : ", ") + std::string{r.constant->name} + " = " +
            machine_.v.text(compiler_.value_of(*r.value));
  }
  return text;
}

void model::check_assumptions() {
  {
    auto const* m = &spec_.root();
    for (auto const& a : m->assumptions) {
      auto const name = a.name.empty() ? "the assumption" : "the assumption " + std::string{a.name};
      try {
        auto in = compiler_.root();
        in.owner = a.def->owner;
        auto const p = compiler_.expression(*a.def->body, in);
        reset();
        if (!truth(machine_, *p.run, *a.def->body)) {
          throw refusal{refusal::kind::assumption,
                        to_string(a.range) + ": error: " + name + " is false" + constants_in(*a.def->body)};
        }
      } catch (value_error const& e) {
        throw refusal{refusal::kind::assumption,
                      located_message(name + " cannot be evaluated", e.what) + constants_in(*a.def->body)};
      } catch (compile_error const& e) {
        throw refusal{refusal::kind::assumption,
                      place(e.at) + "error: " + name + " cannot be evaluated: " + e.what};
      }
    }
  }
  reset();
}

void model::enter(check::row state, check::row next) {
  for (std::size_t i = 0; i < state.size(); ++i) now_[i] = value::from_word(state[i]);
  for (std::size_t i = 0; i < next.size(); ++i) next_row_[i] = value::from_word(next[i]);
  machine_.now = now_.data();
  machine_.next = next_row_.data();
  machine_.top = machine_.frame + compiler_.frame_size();
  machine_.variables = compiler_.row_size();
  ++machine_.state_number;
}

void model::at_level(std::uint32_t n) { level_ = n; }

/// What was found goes to the sink only when the action has run: what the sink asks must not disturb what is
/// bound there.
void model::deliver(check::sink& to) {
  auto const rows = std::exchange(found_, {});
  auto const actions = std::exchange(found_by_, {});
  for (std::size_t i = 0; i < actions.size(); ++i) to({rows.data() + i * width_, width_}, actions[i]);
  found_ = rows.capacity() > found_.capacity() ? std::vector<check::word>{} : found_;
}

void model::initial(check::sink& to) {
  reset();
  machine_.next = next_row_.data();
  machine_.level = 1;
  machine_.action = check::no_action;
  try {
    (void)init_->run(machine_);
  } catch (value_error const& e) {
    reset();
    throw check::cannot_evaluate{located_message("", e.what)};
  }
  deliver(to);
}

void model::next(check::row from, check::sink& to) {
  enter(from, {});
  std::ranges::fill(next_row_, value{});
  machine_.level = level_;
  try {
    (void)next_->run(machine_);
  } catch (value_error const& e) {
    found_.clear();
    found_by_.clear();
    machine_.frame = frame_;
    throw check::cannot_evaluate{located_message("", e.what)};
  }
  if (!on_found_) note_changes();
  deliver(to);
}

bool model::holds(predicate const& p, char const* what) {
  try {
    auto const v = p.run->run(machine_);
    if (!v.is_boolean()) {
      machine_.at = p.at;
      throw value_error{"its value is " + machine_.v.described(v) + ", not a boolean"};
    }
    return v.truth();
  } catch (value_error const& e) {
    machine_.frame = frame_;
    throw check::cannot_evaluate{located_message(std::string{what} + " " + p.name, e.what)};
  }
}

int model::broken_invariant(check::row state) {
  enter(state, {});
  machine_.level = level_ + 1;
  for (std::size_t i = 0; i < invariants_.size(); ++i) {
    if (!holds(invariants_[i], "the invariant")) return static_cast<int>(i);
  }
  for (std::size_t i = 0; level_ == 0 && i < initial_properties_.size(); ++i) {
    if (!holds(initial_properties_[i], "the property")) return static_cast<int>(invariants_.size() + i);
  }
  if (!false_yet_.empty()) note_premises();
  return nothing_broken;
}

int model::broken_step(check::row from, check::row to) {
  if (steps_.empty()) return nothing_broken;
  enter(from, to);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!holds(steps_[i], "the property")) return static_cast<int>(i);
  }
  return nothing_broken;
}

bool model::within(check::row state) {
  if (constraints_.empty()) return true;
  enter(state, {});
  machine_.level = level_ + 1;
  return std::ranges::all_of(constraints_, [&](predicate const& p) { return holds(p, "the constraint"); });
}

bool model::within(check::row from, check::row to) {
  if (action_constraints_.empty()) return true;
  enter(from, to);
  return std::ranges::all_of(action_constraints_,
                             [&](predicate const& p) { return holds(p, "the action constraint"); });
}

/// What becomes of a value under each permutation: a place in `orbits_`, or `unmoved`.
std::uint32_t model::orbit(value v) {
  if (!v.is_model() && !v.is_node()) return unmoved;
  if (auto const k = orbit_of_.find(v.word()); k != orbit_of_.end()) return k->second;
  auto const count = permutations_.size();
  std::vector<value> images(count);
  bool moves = false;
  if (v.is_model()) {
    for (std::size_t p = 0; p < count; ++p) {
      auto const to = permutations_[p].find(v.word());
      images[p] = to == permutations_[p].end() ? v : to->second;
    }
  } else {
    std::vector<std::uint32_t> orbits;
    for (auto i : items(v)) orbits.push_back(orbit(i));
    std::vector<value> parts(orbits.size());
    auto const stays = [](auto o) { return o == unmoved; };
    bool still = std::ranges::all_of(orbits, stays);
    if (is_kind(v, node_kind::function)) {  // a domain may stay as it is while its elements change places
      for (auto key : items(items(v)[0])) still = stays(orbit(key)) && still;
    }
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = orbits[i] == unmoved ? items(v)[i] : orbits_[orbits[i] + p];
      images[p] = still ? v : rebuilt(v, parts, p);
    }
  }
  for (auto image : images) moves = moves || image != v;
  auto const place = moves ? static_cast<std::uint32_t>(orbits_.size()) : unmoved;
  if (moves) orbits_.insert(orbits_.end(), images.begin(), images.end());
  orbit_of_.emplace(v.word(), place);
  return place;
}

value model::rebuilt(value v, std::vector<value> parts, std::size_t permutation) {
  switch (v.as_node()->kind) {
    case node_kind::tuple: return machine_.v.tuple(parts);
    case node_kind::set: return machine_.v.set(parts);
    case node_kind::function: {  // the keys have changed places
      auto const old = items(items(v)[0]);
      std::vector<std::pair<value, value>> pairs;
      for (std::size_t i = 0; i < old.size(); ++i) {
        auto const key = orbit(old[i]);
        pairs.emplace_back(key == unmoved ? old[i] : orbits_[key + permutation], parts[i + 1]);
      }
      std::ranges::sort(
          pairs, [&](auto const& a, auto const& b) { return machine_.v.compare(a.first, b.first) < 0; });
      std::vector<value> results;
      for (auto const& [key, result] : pairs) results.push_back(result);
      return machine_.v.function(parts[0], results);
    }
    default: return machine_.v.lazy(v.as_node()->kind, parts);
  }
}

void model::key(check::row state, std::span<check::word> into) {
  if (view_ != nullptr) {
    enter(state, {});
    try {
      into[0] = machine_.v.normal(view_->run(machine_)).word();
    } catch (value_error const& e) {
      machine_.frame = frame_;
      throw check::cannot_evaluate{located_message("the view", e.what)};
    }
    return;
  }
  // The least of the orbit, word by word: any order does, as long as it is one.
  std::ranges::copy(state, into.begin());
  std::vector<std::uint32_t> orbits(width_);
  for (std::size_t i = 0; i < width_; ++i) orbits[i] = orbit(value::from_word(state[i]));
  auto const image = [&](std::size_t i, std::size_t p) {
    return orbits[i] == unmoved ? state[i] : orbits_[orbits[i] + p].word();
  };
  for (std::size_t p = 0; p < permutations_.size(); ++p) {
    std::size_t i = 0;
    while (i < width_ && image(i, p) == into[i]) ++i;
    if (i == width_ || image(i, p) > into[i]) continue;
    for (; i < width_; ++i) into[i] = image(i, p);
  }
}

std::string model::action_name(check::action_id a) const {
  if (a >= compiler_.labels().size()) return "Next";
  auto const& l = compiler_.labels()[a];
  return l.name + " " + to_string(l.at->range);
}

std::string model::step_name(check::row from, check::row to, check::action_id by) {
  auto const s = step(from, to, by);
  return s.place.empty() ? s.name : s.name + " " + s.place;
}

model::labelled_step model::step(check::row from, check::row to, check::action_id by) {
  if (by >= compiler_.labels().size()) return {"Next", ""};
  struct finder final : check::sink {
    void operator()(check::row, check::action_id) override {}
  } nobody;
  auto const& l = compiler_.labels()[by];
  std::string text;
  on_found_ = [&] {
    bool same = text.empty() && machine_.action == by;
    for (std::size_t i = 0; same && i < width_; ++i) same = next_row_[i].word() == to[i];
    if (!same) return;
    text = l.name;
    for (std::size_t i = 0; i < l.args.size(); ++i) {
      text += (i == 0 ? "(" : ", ") + machine_.v.text(machine_.v.normal(l.args[i]->run(machine_)));
    }
    if (!l.args.empty()) text += ")";
  };
  try {
    next(from, nobody);
  } catch (...) {  // it has been told already
  }
  on_found_ = nullptr;
  return {text.empty() ? l.name : text, to_string(l.at->range)};
}

std::string model::invariant_name(int i) const {
  auto const n = static_cast<std::size_t>(i);
  return n < invariants_.size() ? invariants_[n].name : initial_properties_[n - invariants_.size()].name;
}

std::string model::step_property_name(int i) const { return steps_[static_cast<std::size_t>(i)].name; }

std::string model::show(check::row state) const {
  std::string text;
  for (std::uint32_t i = 0; i < width_; ++i) {
    text += "/\\ " + std::string{compiler_.variable(i).name} + " = " +
            machine_.v.text(value::from_word(state[i])) + "\n";
  }
  return text;
}

std::string model::show_in_trace(check::row state, check::row next) {
  std::string text;
  for (auto const& v : shown(state, next)) text += "/\\ " + v.name + " = " + v.value + "\n";
  return text;
}

std::vector<trace_variable> model::shown(check::row state, check::row next) {
  std::vector<trace_variable> all;
  auto const add = [&](std::string_view name, value v) {
    all.push_back({std::string{name}, machine_.v.text(v), to_itf(machine_.v, v)});
  };
  if (alias_ != nullptr) {
    enter(state, next);
    try {
      auto const v = machine_.v.normal(alias_->run(machine_));
      bool const record = is_function(v) && !is_tuple(v) && items(items(v)[0])[0].is_string();
      if (!record) add(binding_.alias->name, v);
      for (std::size_t i = 0; record && i < items(items(v)[0]).size(); ++i)
        add(machine_.v.name(items(items(v)[0])[i]), machine_.v.results(v)[i]);
      return all;
    } catch (value_error const& e) {
      machine_.frame = frame_;
      all.clear();
      all.push_back({binding_.alias->name, "(no value here: " + e.what + ")", ""});
    }
  }
  auto rest = variables(state);
  all.insert(all.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  return all;
}

std::vector<trace_variable> model::variables(check::row state) const {
  std::vector<trace_variable> all;
  for (std::uint32_t i = 0; i < width_; ++i) {
    auto const v = value::from_word(state[i]);
    all.push_back({std::string{compiler_.variable(i).name}, machine_.v.text(v), to_itf(machine_.v, v)});
  }
  return all;
}

std::string model::broken_postcondition() {
  reset();
  for (auto const& p : postconditions_) {
    if (!holds(p, "the postcondition")) return p.name;
  }
  return {};
}

}  // namespace halfopen::tla
