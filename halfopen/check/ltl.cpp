#include <algorithm>
#include <set>

#include <halfopen/check/ltl.hpp>

namespace halfopen::check {

ltl::formula ltl::made(node n) {
  auto const [at, fresh] = known_.emplace(n, static_cast<formula>(nodes_.size()));
  if (fresh) nodes_.push_back(n);
  return at->second;
}

ltl::formula ltl::both(formula a, formula b) {
  if (nodes_[a].what == kind::falsity || nodes_[b].what == kind::truth || a == b) return a;
  if (nodes_[b].what == kind::falsity || nodes_[a].what == kind::truth) return b;
  return made({kind::both, a, b});
}

ltl::formula ltl::either(formula a, formula b) {
  if (nodes_[a].what == kind::truth || nodes_[b].what == kind::falsity || a == b) return a;
  if (nodes_[b].what == kind::truth || nodes_[a].what == kind::falsity) return b;
  return made({kind::either, a, b});
}

ltl::formula ltl::negated(formula f) {
  auto const n = nodes_[f];
  switch (n.what) {
    case kind::truth: return constant(false);
    case kind::falsity: return constant(true);
    case kind::atom: return made({kind::not_atom, n.left, 0});
    case kind::not_atom: return made({kind::atom, n.left, 0});
    case kind::both: return either(negated(n.left), negated(n.right));
    case kind::either: return both(negated(n.left), negated(n.right));
    case kind::until: return made({kind::release, negated(n.left), negated(n.right)});
    case kind::release: return made({kind::until, negated(n.left), negated(n.right)});
  }
  return f;
}

std::vector<ltl::formula> ltl::disjuncts(formula f) const {
  auto const& n = nodes_[f];
  if (n.what != kind::either) return {f};
  auto all = disjuncts(n.left);
  auto const more = disjuncts(n.right);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

bool ltl::holds(formula f, std::uint32_t n, std::uint32_t back,
                std::function<bool(std::uint32_t, std::uint32_t)> const& atom) const {
  std::map<formula, std::vector<char>> known;
  auto const in = [&](auto const& self, formula g) -> std::vector<char> const& {
    if (auto const k = known.find(g); k != known.end()) return k->second;
    auto const& x = nodes_[g];
    bool const greatest = x.what == kind::release;
    std::vector<char> v(n, greatest ? 1 : 0);
    std::vector<char> l, r;
    if (x.what >= kind::both) l = self(self, x.left), r = self(self, x.right);
    // Twice around the loop, from the end, is enough for a fixed point.
    for (std::uint32_t round = 0; round < 3; ++round) {
      for (std::uint32_t s = n; s-- > 0;) {
        auto const next = v[s + 1 == n ? back : s + 1];
        switch (x.what) {
          case kind::truth: v[s] = 1; break;
          case kind::falsity: v[s] = 0; break;
          case kind::atom: v[s] = atom(s, x.left) ? 1 : 0; break;
          case kind::not_atom: v[s] = atom(s, x.left) ? 0 : 1; break;
          case kind::both: v[s] = l[s] & r[s]; break;
          case kind::either: v[s] = l[s] | r[s]; break;
          case kind::until: v[s] = r[s] | (l[s] & next); break;
          case kind::release: v[s] = r[s] & (l[s] | next); break;
        }
      }
    }
    return known[g] = v;
  };
  return in(in, f)[0] != 0;
}

namespace {

using formulas = std::set<ltl::formula>;

/// The tableau. Each node: what was promised for now and is dealt with, and what is promised for later.
class tableau {
 public:
  explicit tableau(ltl const& l) : l_{l} {}

  automaton of(ltl::formula f) {
    expand({initial}, {f}, {}, {});
    automaton a;
    std::vector<ltl::formula> untils;
    collect_untils(f, untils);
    a.sets = static_cast<std::uint32_t>(untils.size());
    for (auto const& n : nodes_) {
      auto& s = a.states.emplace_back();
      for (auto g : n.now) {
        if (l_[g].what == ltl::kind::atom) s.wanted.push_back(l_[g].left);
        if (l_[g].what == ltl::kind::not_atom) s.unwanted.push_back(l_[g].left);
      }
      for (std::size_t i = 0; i < untils.size(); ++i) {
        if (!n.now.contains(untils[i]) || n.now.contains(l_[untils[i]].right))
          s.sets |= std::uint64_t{1} << i;
      }
    }
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      for (auto from : nodes_[i].incoming) {
        if (from == initial)
          a.initial.push_back(i);
        else
          a.states[from].next.push_back(i);
      }
    }
    return a;
  }

 private:
  static constexpr std::uint32_t initial = ~std::uint32_t{0};
  struct node {
    std::set<std::uint32_t> incoming;
    formulas now, later;
  };

  void collect_untils(ltl::formula f, std::vector<ltl::formula>& into) const {
    auto const& n = l_[f];
    if (n.what < ltl::kind::both) return;
    if (n.what == ltl::kind::until && std::ranges::find(into, f) == into.end()) into.push_back(f);
    collect_untils(n.left, into);
    collect_untils(n.right, into);
  }

  void expand(std::set<std::uint32_t> incoming, formulas todo, formulas now, formulas later) {
    if (todo.empty()) return finish(std::move(incoming), now, later);
    auto const f = *todo.begin();
    todo.erase(todo.begin());
    if (now.contains(f))
      return expand(std::move(incoming), std::move(todo), std::move(now), std::move(later));
    auto const& n = l_[f];
    auto const with = [](formulas s, ltl::formula g) { return s.insert(g), s; };
    switch (n.what) {
      case ltl::kind::falsity: return;
      case ltl::kind::truth:
        return expand(std::move(incoming), std::move(todo), std::move(now), std::move(later));
      case ltl::kind::atom:
      case ltl::kind::not_atom:
        for (auto g : now) {
          if (l_[g].left == n.left && l_[g].what != n.what && l_[g].what <= ltl::kind::not_atom &&
              l_[g].what >= ltl::kind::atom)
            return;
        }
        return expand(std::move(incoming), std::move(todo), with(now, f), std::move(later));
      case ltl::kind::both:
        return expand(std::move(incoming), with(with(todo, n.left), n.right), with(now, f), std::move(later));
      case ltl::kind::either:
        expand(incoming, with(todo, n.left), with(now, f), later);
        return expand(std::move(incoming), with(todo, n.right), with(now, f), std::move(later));
      case ltl::kind::until:
        expand(incoming, with(todo, n.left), with(now, f), with(later, f));
        return expand(std::move(incoming), with(todo, n.right), with(now, f), std::move(later));
      case ltl::kind::release:
        expand(incoming, with(todo, n.right), with(now, f), with(later, f));
        return expand(std::move(incoming), with(with(todo, n.left), n.right), with(now, f), std::move(later));
    }
  }

  void finish(std::set<std::uint32_t> incoming, formulas const& now, formulas const& later) {
    for (auto& n : nodes_) {
      if (n.now == now && n.later == later) {
        n.incoming.merge(incoming);
        return;
      }
    }
    auto const id = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({std::move(incoming), now, later});
    expand({id}, later, {}, {});
  }

  ltl const& l_;
  std::vector<node> nodes_;
};

}  // namespace

automaton automaton_of(ltl const& l, ltl::formula f) { return tableau{l}.of(f); }

}  // namespace halfopen::check
