#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include <halfopen/tla/compiler.hpp>
#include <halfopen/tla/spec.hpp>

/// A second evaluator, written to be obvious: it walks the tree, builds every set and copies every value. The
/// compiled one must agree with it wherever it has a value.
namespace halfopen::tla::naive_evaluator {

struct thing {
  enum class sort : std::uint8_t { truth, number, text, set, function } what = sort::truth;
  std::int64_t number = 0;
  std::string text;
  std::vector<thing> keys;     // a set's elements, or a function's domain; sorted, each once
  std::vector<thing> results;  // a function's, in the order of its keys

  friend std::strong_ordering operator<=>(thing const& a, thing const& b) {
    if (auto c = a.what <=> b.what; c != 0) return c;
    if (auto c = a.number <=> b.number; c != 0) return c;
    if (auto c = a.text <=> b.text; c != 0) return c;
    auto const list = [](auto const& x, auto const& y) {
      return std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
    };
    if (auto c = list(a.keys, b.keys); c != 0) return c;
    return list(a.results, b.results);
  }
  friend bool operator==(thing const& a, thing const& b) { return (a <=> b) == 0; }
};

struct no_value {};
struct too_long {};

inline thing truth(bool b) { return {thing::sort::truth, b ? 1 : 0, "", {}, {}}; }
inline thing number(std::int64_t n) {
  if (n > 2147483647 || n < -2147483648LL) throw no_value{};
  return {thing::sort::number, n, "", {}, {}};
}
inline thing set(std::vector<thing> all) {
  std::ranges::sort(all);
  auto const [first, last] = std::ranges::unique(all);
  all.erase(first, last);
  return {thing::sort::set, 0, "", std::move(all), {}};
}
inline thing function(std::vector<std::pair<thing, thing>> pairs) {
  std::ranges::sort(pairs, {}, &std::pair<thing, thing>::first);
  thing f{thing::sort::function, 0, "", {}, {}};
  for (auto& [k, v] : pairs) {
    f.keys.push_back(std::move(k));
    f.results.push_back(std::move(v));
  }
  return f;
}
inline thing tuple(std::vector<thing> const& all) {
  std::vector<std::pair<thing, thing>> pairs;
  for (std::size_t i = 0; i < all.size(); ++i)
    pairs.emplace_back(number(static_cast<std::int64_t>(i) + 1), all[i]);
  return function(std::move(pairs));
}

inline void need(bool holds) {
  if (!holds) throw no_value{};
}
inline std::vector<thing> const& elements(thing const& s) {
  need(s.what == thing::sort::set);
  return s.keys;
}
inline std::int64_t count(thing const& x) {
  need(x.what == thing::sort::number);
  return x.number;
}
inline std::vector<thing> const& sequence(thing const& f) {
  need(f.what == thing::sort::function);
  for (std::size_t i = 0; i < f.keys.size(); ++i) need(f.keys[i] == number(static_cast<std::int64_t>(i) + 1));
  return f.results;
}
inline bool contains(thing const& s, thing const& x) { return std::ranges::binary_search(elements(s), x); }

class naive {
 public:
  std::uint64_t steps_left = ~std::uint64_t{0};

  thing value(expr const& e) {
    if (steps_left-- == 0) throw too_long{};
    switch (e.kind) {
      case expr_kind::number: return number(e.number);
      case expr_kind::string: return {thing::sort::text, 0, std::string{e.text}, {}, {}};
      case expr_kind::bound_name:
        return e.args.empty() ? bound_.at(e.bind) : applied(*operators_.at(e.bind), e);
      case expr_kind::apply: return e.def->primitive == primitive::none ? called(e) : primitive_value(e);
      case expr_kind::exists:
      case expr_kind::forall: {
        bool const wanted = e.kind == expr_kind::exists;
        bool found = false;
        each(e.bounds, 0, [&] {
          found = found || is_true(*e.args[0]) == wanted;
          return found;
        });
        return truth(found == wanted);
      }
      case expr_kind::choose: {
        thing chosen;
        bool found = false;
        each(e.bounds, 0, [&] {
          if (is_true(*e.args[0])) {
            chosen = bound_.at(e.bounds[0].names[0]);
            found = true;
          }
          return found;
        });
        need(found);
        return chosen;
      }
      case expr_kind::if_then_else: return value(is_true(*e.args[0]) ? *e.args[1] : *e.args[2]);
      case expr_kind::case_of: {
        for (std::size_t i = 0; i + 1 < e.args.size(); i += 2) {
          if (is_true(*e.args[i])) return value(*e.args[i + 1]);
        }
        need(e.args.size() % 2 == 1);
        return value(*e.args.back());
      }
      case expr_kind::let: return value(*e.args[0]);
      case expr_kind::tuple: return tuple(values(e.args));
      case expr_kind::set_of: return set(values(e.args));
      case expr_kind::set_filter: {
        std::vector<thing> kept;
        each(e.bounds, 0, [&] {
          if (is_true(*e.args[0])) kept.push_back(bound_.at(e.bounds[0].names[0]));
          return false;
        });
        return set(std::move(kept));
      }
      case expr_kind::set_map: {
        std::vector<thing> all;
        each(e.bounds, 0, [&] {
          all.push_back(value(*e.args[0]));
          return false;
        });
        return set(std::move(all));
      }
      case expr_kind::function: {
        std::vector<std::pair<thing, thing>> pairs;
        each(e.bounds, 0, [&] {
          auto const at = bound_.at(e.bounds[0].names[0]);  // a copy: the body may bind more names
          pairs.emplace_back(at, value(*e.args[0]));
          return false;
        });
        return function(std::move(pairs));
      }
      case expr_kind::function_set:
        return functions(elements(value(*e.args[0])), elements(value(*e.args[1])));
      case expr_kind::product: {
        std::vector<thing> all;
        auto const right = value(*e.args[1]);
        auto const left = value(*e.args[0]);
        for (auto const& a : elements(left)) {
          for (auto const& b : elements(right)) all.push_back(tuple({a, b}));
        }
        return set(std::move(all));
      }
      case expr_kind::record: {
        std::vector<std::pair<thing, thing>> pairs;
        for (std::size_t i = 0; i < e.names.size(); ++i)
          pairs.emplace_back(thing{thing::sort::text, 0, std::string{e.names[i]}, {}, {}}, value(*e.args[i]));
        return function(std::move(pairs));
      }
      case expr_kind::index: return indexed(*e.args[0], *e.args[1]);
      case expr_kind::except: return updated(e);
      default: throw std::logic_error{"not in the naive language"};
    }
  }

 private:
  bool is_true(expr const& e) {
    auto const v = value(e);
    need(v.what == thing::sort::truth);
    return v.number != 0;
  }

  std::vector<thing> values(std::vector<expr const*> const& all) {
    std::vector<thing> out;
    for (auto const* e : all) out.push_back(value(*e));
    return out;
  }

  template <class Visit>
  bool each(std::vector<bound> const& bounds, std::size_t from, Visit visit) {
    if (from == bounds.size()) return visit();
    auto const s = value(*bounds[from].set);
    auto const& names = bounds[from].names;
    auto const choose = [&](auto const& self, std::size_t i) -> bool {
      if (i == names.size()) return each(bounds, from + 1, visit);
      for (auto const& x : elements(s)) {
        if (steps_left-- == 0) throw too_long{};
        if (bounds[from].tuple) {
          need(sequence(x).size() == names.size());
          for (std::size_t k = 0; k < names.size(); ++k) bound_[names[k]] = sequence(x)[k];
        } else {
          bound_[names[i]] = x;
        }
        if (self(self, bounds[from].tuple ? names.size() : i + 1)) return true;
      }
      return false;
    };
    return choose(choose, 0);
  }

  /// By value: an argument that is not used has no error here either, since it is looked at when it is
  /// needed.
  thing called(expr const& e) {
    auto const saved = bound_;
    auto const operators = operators_;
    auto given = bound_;
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      auto const* p = e.def->params[i];
      if (p->arity > 0) {
        operators_[p] = e.args[i];
      } else {
        given[p] = value(*e.args[i]);
      }
    }
    bound_ = std::move(given);
    auto v = value(*e.def->body);
    bound_ = saved;
    operators_ = operators;
    return v;
  }

  thing applied(expr const& lambda, expr const& e) {
    auto const saved = bound_;
    auto given = bound_;
    for (std::size_t i = 0; i < e.args.size(); ++i) given[lambda.bounds[0].names[i]] = value(*e.args[i]);
    bound_ = std::move(given);
    auto v = value(*lambda.args[0]);
    bound_ = saved;
    return v;
  }

  /// f[x], where f may be defined by f[y \in S] == e with f in e.
  thing indexed(expr const& f, expr const& x) {
    if (f.kind != expr_kind::apply || !f.def->is_function) return at(value(f), value(x));
    auto const key = value(x);
    auto const& b = f.def->body->bounds[0];
    need(contains(value(*b.set), key));
    auto const saved = bound_;
    bound_[b.names[0]] = key;
    auto v = value(*f.def->body->args[0]);
    bound_ = saved;
    return v;
  }

  static thing at(thing const& f, thing const& x) {
    need(f.what == thing::sort::function);
    auto const it = std::ranges::lower_bound(f.keys, x);
    need(it != f.keys.end() && *it == x);
    return f.results[static_cast<std::size_t>(it - f.keys.begin())];
  }

  static thing functions(std::vector<thing> const& domain, std::vector<thing> const& range) {
    std::vector<std::vector<std::pair<thing, thing>>> all{{}};
    for (auto const& k : domain) {
      std::vector<std::vector<std::pair<thing, thing>>> more;
      for (auto const& f : all) {
        for (auto const& v : range) {
          more.push_back(f);
          more.back().emplace_back(k, v);
        }
      }
      need(more.size() < 5000);
      all = std::move(more);
    }
    std::vector<thing> out;
    for (auto& f : all) out.push_back(function(std::move(f)));
    return set(std::move(out));
  }

  thing updated(expr const& e) {
    auto f = value(*e.args[0]);
    need(f.what == thing::sort::function);
    for (auto const& u : e.updates) {
      auto const key = value(*u.path[0]);
      auto const it = std::ranges::lower_bound(f.keys, key);
      if (it == f.keys.end() || *it != key) continue;
      auto& old = f.results[static_cast<std::size_t>(it - f.keys.begin())];
      if (u.at != nullptr) bound_[u.at] = old;
      old = value(*u.value);
    }
    return f;
  }

  thing subsets(thing const& s) {
    need(elements(s).size() <= 12);
    std::vector<thing> all;
    for (std::size_t mask = 0; mask < std::size_t{1} << elements(s).size(); ++mask) {
      std::vector<thing> some;
      for (std::size_t i = 0; i < elements(s).size(); ++i) {
        if ((mask >> i & 1) != 0) some.push_back(elements(s)[i]);
      }
      all.push_back(set(std::move(some)));
    }
    return set(std::move(all));
  }

  thing primitive_value(expr const& e) {
    auto const p = e.def->primitive;
    switch (p) {
      case primitive::true_: return truth(true);
      case primitive::false_: return truth(false);
      case primitive::conjunction: return truth(is_true(*e.args[0]) && is_true(*e.args[1]));
      case primitive::disjunction: return truth(is_true(*e.args[0]) || is_true(*e.args[1]));
      case primitive::implication: return truth(!is_true(*e.args[0]) || is_true(*e.args[1]));
      case primitive::in: return truth(member(*e.args[0], *e.args[1]));
      case primitive::not_in: return truth(!member(*e.args[0], *e.args[1]));
      case primitive::select_seq: return selected(e);
      default: break;
    }
    auto const a = values(e.args);
    switch (p) {
      case primitive::negation: need(a[0].what == thing::sort::truth); return truth(a[0].number == 0);
      case primitive::equivalence: return truth(a[0] == a[1]);
      case primitive::equal: return truth(a[0] == a[1]);
      case primitive::not_equal: return truth(a[0] != a[1]);
      case primitive::less: return truth(count(a[0]) < count(a[1]));
      case primitive::less_equal: return truth(count(a[0]) <= count(a[1]));
      case primitive::greater: return truth(count(a[0]) > count(a[1]));
      case primitive::greater_equal: return truth(count(a[0]) >= count(a[1]));
      case primitive::plus: return number(count(a[0]) + count(a[1]));
      case primitive::minus: return number(count(a[0]) - count(a[1]));
      case primitive::times: return number(count(a[0]) * count(a[1]));
      case primitive::negative: return number(-count(a[0]));
      case primitive::quotient: return number(quotient(count(a[0]), count(a[1])));
      case primitive::remainder: {
        need(count(a[1]) > 0);
        return number(count(a[0]) - count(a[1]) * quotient(count(a[0]), count(a[1])));
      }
      case primitive::interval: {
        std::vector<thing> all;
        need(count(a[1]) - count(a[0]) < 10000);
        for (auto i = count(a[0]); i <= count(a[1]); ++i) all.push_back(number(i));
        return set(std::move(all));
      }
      case primitive::cup: {
        auto all = elements(a[0]);
        all.insert(all.end(), elements(a[1]).begin(), elements(a[1]).end());
        return set(std::move(all));
      }
      case primitive::cap: return kept(a[0], [&](thing const& x) { return contains(a[1], x); });
      case primitive::set_minus: return kept(a[0], [&](thing const& x) { return !contains(a[1], x); });
      case primitive::subset_or_equal:
        return truth(std::ranges::all_of(elements(a[0]), [&](thing const& x) { return contains(a[1], x); }));
      case primitive::power_set: return subsets(a[0]);
      case primitive::big_union: {
        std::vector<thing> all;
        for (auto const& s : elements(a[0])) all.insert(all.end(), elements(s).begin(), elements(s).end());
        return set(std::move(all));
      }
      case primitive::domain: need(a[0].what == thing::sort::function); return set(a[0].keys);
      case primitive::cardinality: return number(static_cast<std::int64_t>(elements(a[0]).size()));
      case primitive::len: return number(static_cast<std::int64_t>(sequence(a[0]).size()));
      case primitive::head: need(!sequence(a[0]).empty()); return sequence(a[0])[0];
      case primitive::tail: {
        need(!sequence(a[0]).empty());
        auto q = sequence(a[0]);
        q.erase(q.begin());
        return tuple(q);
      }
      case primitive::append: {
        auto q = sequence(a[0]);
        q.push_back(a[1]);
        return tuple(q);
      }
      case primitive::concat: {
        auto q = sequence(a[0]);
        q.insert(q.end(), sequence(a[1]).begin(), sequence(a[1]).end());
        return tuple(q);
      }
      case primitive::sub_seq: {
        auto const& q = sequence(a[0]);
        std::vector<thing> some;
        for (auto i = count(a[1]); i <= count(a[2]); ++i) {
          need(i >= 1 && i <= static_cast<std::int64_t>(q.size()));
          some.push_back(q[static_cast<std::size_t>(i - 1)]);
        }
        return tuple(some);
      }
      default: throw std::logic_error{"not in the naive language: " + std::string{e.def->name}};
    }
  }

  /// x \in S, where S may be Seq(T), which has no end.
  bool member(expr const& x, expr const& s) {
    auto const v = value(x);
    if (s.kind == expr_kind::apply && s.def->primitive == primitive::seq) {
      auto const of = value(*s.args[0]);
      return std::ranges::all_of(sequence(v), [&](thing const& i) { return contains(of, i); });
    }
    if (s.kind == expr_kind::function_set) {
      auto const domain = value(*s.args[0]), range = value(*s.args[1]);
      need(v.what == thing::sort::function);
      elements(range);
      return v.keys == elements(domain) &&
             std::ranges::all_of(v.results, [&](thing const& i) { return contains(range, i); });
    }
    if (s.kind == expr_kind::record_set) {
      need(v.what == thing::sort::function);
      std::vector<std::pair<thing, thing>> fields;
      for (std::size_t i = 0; i < s.names.size(); ++i)
        fields.emplace_back(thing{thing::sort::text, 0, std::string{s.names[i]}, {}, {}}, value(*s.args[i]));
      auto const sets = function(std::move(fields));
      for (auto const& of : sets.results) elements(of);
      return v.keys == sets.keys &&
             std::ranges::all_of(std::views::iota(std::size_t{0}, v.keys.size()),
                                 [&](auto i) { return contains(sets.results[i], v.results[i]); });
    }
    return contains(value(s), v);
  }

  thing selected(expr const& e) {
    auto const from = value(*e.args[0]);
    std::vector<thing> some;
    for (auto const& x : sequence(from)) {
      bound_[e.args[1]->bounds[0].names[0]] = x;
      if (is_true(*e.args[1]->args[0])) some.push_back(x);
    }
    return tuple(some);
  }

  template <class Keep>
  static thing kept(thing const& s, Keep keep) {
    std::vector<thing> some;
    for (auto const& x : elements(s)) {
      if (keep(x)) some.push_back(x);
    }
    return set(std::move(some));
  }

  static std::int64_t quotient(std::int64_t a, std::int64_t b) {
    need(b != 0);
    auto const q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
  }

  std::map<binder const*, thing> bound_;
  std::map<binder const*, expr const*> operators_;  // LAMBDAs
};

/// The compiled evaluator's value in the naive form.
inline thing converted(values const& v, value x) {
  auto const list = [&](std::span<value const> all) {
    std::vector<thing> out;
    for (auto i : all) out.push_back(converted(v, i));
    return out;
  };
  if (x.is_integer()) return number(x.integer());
  if (x.is_boolean()) return truth(x.truth());
  if (x.is_string()) return {thing::sort::text, 0, std::string{v.name(x)}, {}, {}};
  if (is_tuple(x)) return tuple(list(items(x)));
  if (is_explicit_set(x)) return set(list(items(x)));
  if (!is_function(x)) throw std::logic_error{"a value in no normal form: " + v.text(x)};
  std::vector<std::pair<thing, thing>> pairs;
  auto const keys = items(items(x)[0]);
  for (std::size_t i = 0; i < keys.size(); ++i)
    pairs.emplace_back(converted(v, keys[i]), converted(v, items(x)[i + 1]));
  return function(std::move(pairs));
}

struct both {
  std::optional<thing> compiled, naive;
  std::string problem;
};

/// The two, side by side, in a module that extends Integers, Sequences and FiniteSets.
class pair_of_evaluators {
 public:
  /// What both say of an expression; neither value where the naive one takes more than `steps`.
  both evaluate(std::string const& text, std::uint64_t steps = ~std::uint64_t{0}) {
    both out;
    auto const e = spec_.parse_expression(text);
    if (!e) return {{}, {}, to_string(e.error().at(0))};
    auto const& body = *(*e)->body;
    try {
      naive n;
      n.steps_left = steps;
      out.naive = n.value(body);
    } catch (no_value) {
      if (steps != ~std::uint64_t{0} && text.size() > 200) return out;
    } catch (too_long) {
      return out;
    }
    compiler c{spec_, binding_, pool_};
    try {
      auto const p = c.expression(body, c.root());
      machine_.frame = base_;  // an error may have left it elsewhere
      machine_.top = base_ + c.frame_size();
      out.compiled = converted(machine_.v, machine_.v.normal(p.run->run(machine_)));
    } catch (value_error const& x) {
      out.problem = x.what;
    } catch (compile_error const& x) {
      out.problem = x.what;
    }
    return out;
  }

 private:
  spec spec_ =
      load_text("---- MODULE M ----\nEXTENDS Integers, Sequences, FiniteSets\n====\n", "M.tla").value();
  binding const binding_;
  value_pool pool_;
  machine machine_{pool_};
  value* const base_ = machine_.frame;
};

}  // namespace halfopen::tla::naive_evaluator
