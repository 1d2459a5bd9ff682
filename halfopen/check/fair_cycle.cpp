#include <algorithm>
#include <deque>
#include <limits>

#include <halfopen/check/fair_cycle.hpp>

namespace halfopen::check {

namespace {

constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

template <class Marks>
class finder {
 public:
  finder(basic_marked_graph<Marks> const& g, basic_fairness<Marks> const& wanted)
      : g_{g}, wanted_{wanted}, number_(g.size(), unseen), low_(g.size()), part_(g.size(), 0) {}

  std::optional<cycle> among(std::span<std::uint32_t const> starts) {
    mark_reachable(starts);
    std::vector<std::uint32_t> all;
    for (std::uint32_t s = 0; s < g_.size(); ++s) {
      if (reachable_[s]) all.push_back(s);
    }
    return within(std::move(all), 1, {});
  }

 private:
  using part_number = std::uint32_t;

  /// Searches states that belong to `part`; `banned` Marks are not to be met.
  std::optional<cycle> within(std::vector<std::uint32_t> all, part_number part, Marks banned) {
    struct task {
      std::vector<std::uint32_t> states;
      part_number part;
      Marks banned;
    };
    for (auto s : all) part_[s] = part;
    next_part_ = part + 1;
    std::deque<task> tasks;
    tasks.push_back({std::move(all), part, banned});
    while (!tasks.empty()) {
      auto const t = std::move(tasks.front());
      tasks.pop_front();
      for (auto& scc : strong_parts(t.states, t.part, t.banned)) {
        auto const id = next_part_++;
        for (auto s : scc) part_[s] = id;
        auto const seen = marks_in(scc, id, t.banned);
        if (!seen) continue;  // no step inside: nothing goes on here
        if ((*seen & wanted_.must) != wanted_.must) continue;
        Marks out = t.banned;
        for (auto const& [e, f] : wanted_.pairs) {
          if ((*seen & e) != 0 && (*seen & f) == 0) out |= e;
        }
        if (out == t.banned) return tour(scc, id, t.banned, *seen);
        std::erase_if(scc, [&](std::uint32_t s) { return (g_.of_state[s] & out) != 0; });
        if (!scc.empty()) tasks.push_back({std::move(scc), id, out});
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool open(std::size_t step, part_number part, Marks banned) const {
    auto const t = g_.to[step];
    return part_[t] == part && (g_.of_step[step] & banned) == 0 && (g_.of_state[t] & banned) == 0;
  }

  void mark_reachable(std::span<std::uint32_t const> starts) {
    reachable_.assign(g_.size(), false);
    std::vector<std::uint32_t> todo;
    for (auto s : starts) {
      if (!reachable_[s]) reachable_[s] = true, todo.push_back(s);
    }
    while (!todo.empty()) {
      auto const s = todo.back();
      todo.pop_back();
      for (auto i = g_.first[s]; i < g_.first[s + 1]; ++i) {
        if (auto const t = g_.to[i]; !reachable_[t]) reachable_[t] = true, todo.push_back(t);
      }
    }
  }

  /// Tarjan's algorithm without recursion, over the states of one part.
  std::vector<std::vector<std::uint32_t>> strong_parts(std::vector<std::uint32_t> const& states,
                                                       part_number part, Marks banned) {
    std::vector<std::vector<std::uint32_t>> found;
    for (auto s : states) number_[s] = unseen;
    std::uint32_t count = 0;
    std::vector<std::uint32_t> stack;
    std::vector<std::pair<std::uint32_t, std::size_t>> path;  // a state and its next step
    std::vector<bool>& on_stack = on_stack_;
    on_stack.resize(g_.size(), false);
    for (auto root : states) {
      if (number_[root] != unseen || (g_.of_state[root] & banned) != 0) continue;
      auto const enter = [&](std::uint32_t s) {
        number_[s] = low_[s] = count++;
        stack.push_back(s);
        on_stack[s] = true;
        path.emplace_back(s, g_.first[s]);
      };
      enter(root);
      while (!path.empty()) {
        auto const s = path.back().first;
        if (path.back().second < g_.first[s + 1]) {
          auto const i = path.back().second++;
          if (!open(i, part, banned)) continue;
          auto const t = g_.to[i];
          if (number_[t] == unseen) {
            enter(t);
          } else if (on_stack[t]) {
            low_[s] = std::min(low_[s], number_[t]);
          }
          continue;
        }
        path.pop_back();
        if (!path.empty()) low_[path.back().first] = std::min(low_[path.back().first], low_[s]);
        if (low_[s] != number_[s]) continue;
        auto& scc = found.emplace_back();
        for (std::uint32_t t = unseen; t != s;) {
          t = stack.back();
          stack.pop_back();
          on_stack[t] = false;
          scc.push_back(t);
        }
      }
    }
    return found;
  }

  /// What can be seen infinitely often inside; nothing if no behaviour stays inside.
  std::optional<Marks> marks_in(std::vector<std::uint32_t> const& scc, part_number id, Marks banned) const {
    Marks seen = 0;
    bool goes_on = g_.stutters;
    for (auto s : scc) {
      seen |= g_.of_state[s];
      for (auto i = g_.first[s]; i < g_.first[s + 1]; ++i) {
        if (!open(i, id, banned)) continue;
        goes_on = true;
        seen |= g_.of_step[i];
      }
    }
    return goes_on ? std::optional{seen} : std::nullopt;
  }

  /// A way around that meets whatever must be met.
  cycle tour(std::vector<std::uint32_t> const& scc, part_number id, Marks banned, Marks seen) const {
    Marks left = wanted_.must;
    for (auto const& [e, f] : wanted_.pairs) {
      if ((seen & e) != 0) left |= f;
    }
    // The state with the lowest number is the nearest to a start.
    auto const home = *std::ranges::min_element(scc);
    cycle way{home};
    left &= ~g_.of_state[home];
    while (left != 0) {
      auto const leg = walk(way.back(), id, banned, [&](std::uint32_t s, std::size_t step) {
        return ((g_.of_step[step] | g_.of_state[s]) & left) != 0;
      });
      for (auto const& [s, step] : leg) {
        left &= ~(g_.of_step[step] | g_.of_state[s]);
        way.push_back(s);
      }
    }
    if (way.size() == 1 && g_.stutters) return way;
    if (way.back() != home || way.size() == 1) {
      for (auto const& [s, step] :
           walk(way.back(), id, banned, [&](std::uint32_t s, std::size_t) { return s == home; })) {
        way.push_back(s);
      }
    }
    way.pop_back();  // home again
    return way;
  }

  /// A shortest walk inside a part whose last step is as wanted: the states entered and the steps taken.
  template <class Wanted>
  std::vector<std::pair<std::uint32_t, std::size_t>> walk(std::uint32_t from, part_number id, Marks banned,
                                                          Wanted wanted) const {
    std::vector<std::pair<std::uint32_t, std::size_t>> came(g_.size(), {unseen, 0});
    std::deque<std::uint32_t> todo{from};
    std::vector<bool> seen(g_.size(), false);
    seen[from] = true;
    while (!todo.empty()) {
      auto const s = todo.front();
      todo.pop_front();
      for (auto i = g_.first[s]; i < g_.first[s + 1]; ++i) {
        if (!open(i, id, banned)) continue;
        auto const t = g_.to[i];
        if (wanted(t, i)) {
          std::vector<std::pair<std::uint32_t, std::size_t>> steps{{t, i}};
          for (auto at = s; at != from; at = came[at].first) steps.emplace_back(at, came[at].second);
          std::ranges::reverse(steps);
          return steps;
        }
        if (!seen[t]) seen[t] = true, came[t] = {s, i}, todo.push_back(t);
      }
    }
    return {};
  }

  basic_marked_graph<Marks> const& g_;
  basic_fairness<Marks> const& wanted_;
  std::vector<bool> reachable_;
  std::vector<bool> on_stack_;
  std::vector<std::uint32_t> number_, low_;
  std::vector<part_number> part_;
  part_number next_part_ = 1;
};

}  // namespace

std::optional<cycle> find_fair_cycle(marked_graph const& g, std::span<std::uint32_t const> starts,
                                     fairness const& wanted) {
  return finder{g, wanted}.among(starts);
}

std::optional<cycle> find_fair_cycle(basic_marked_graph<wide_marks> const& g,
                                     std::span<std::uint32_t const> starts,
                                     basic_fairness<wide_marks> const& wanted) {
  return finder{g, wanted}.among(starts);
}

std::vector<std::uint32_t> shortest_path(std::span<std::size_t const> first,
                                         std::span<std::uint32_t const> to,
                                         std::span<std::uint32_t const> starts, std::uint32_t goal) {
  std::vector<std::uint32_t> came(first.size() - 1, unseen);
  std::deque<std::uint32_t> todo;
  for (auto s : starts) {
    if (came[s] == unseen) came[s] = s, todo.push_back(s);
  }
  while (!todo.empty() && came[goal] == unseen) {
    auto const s = todo.front();
    todo.pop_front();
    for (auto i = first[s]; i < first[s + 1]; ++i) {
      if (auto const t = to[i]; came[t] == unseen) came[t] = s, todo.push_back(t);
    }
  }
  std::vector<std::uint32_t> way;
  if (came[goal] == unseen) return way;
  for (auto s = goal;; s = came[s]) {
    way.push_back(s);
    if (came[s] == s) break;
  }
  std::ranges::reverse(way);
  return way;
}

}  // namespace halfopen::check
