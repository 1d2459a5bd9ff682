#include <algorithm>
#include <utility>

#include <halfopen/check/explore.hpp>
#include <halfopen/check/row_index.hpp>

namespace halfopen::check {

namespace {

/// Unwinds a search from inside the model's answer once its end is known.
struct search_ended {};

class search final : sink {
 public:
  search(model& m, options const& how)
      : model_{m},
        how_{how},
        graph_{m.width()},
        keys_{m.key_width()},
        key_(m.key_width()),
        index_{m.has_key() ? keys_ : graph_.rows} {}

  result run() {
    try {
      visit_all();
      end_.states = how_.keep_graph ? std::optional{std::move(graph_)} : std::nullopt;
    } catch (search_ended) {
      end_.states.reset();
    }
    end_.counts = counts_;
    return std::move(end_);
  }

 private:
  void visit_all() {
    model_.at_level(0);
    at(no_state, [&] { model_.initial(*this); });
    auto level_end = graph_.size();
    if (level_end > 0) counts_.depth = 1;
    model_.at_level(1);
    for (state_id s = 0; s < graph_.size(); ++s) {
      if (s == level_end) {
        level_end = graph_.size();
        ++counts_.depth;
        model_.at_level(counts_.depth);
        if (counts_.depth > how_.stop_at.depth_max) give_up("depth");
      }
      if (s % 1024 == 0) look_up(s);
      visit(s);
    }
    if (how_.keep_graph) graph_.begin_steps();
  }

  void visit(state_id s) {
    if (how_.keep_graph) graph_.begin_steps();
    auto const before = counts_.generated;
    at(s, [&] { model_.next(graph_.state(s), *this); });
    if (how_.check_deadlock && counts_.generated == before) {
      end_.found = verdict::deadlock;
      end_with_trace(s);
    }
  }

  /// What the model produces: an initial state, or a successor of `from_`.
  void operator()(row state, action_id by) override {
    ++counts_.generated;
    try {
      bool const inside =
          model_.within(state) && (from_ == no_state || model_.within(graph_.state(from_), state));
      auto const [id, fresh] = inside ? insert(state) : row_index::found{no_state, true};
      if (fresh) check_state(state, by);
      if (from_ != no_state) check_step(state, by);
      if (inside && from_ != no_state && how_.keep_graph) graph_.add_step({id, by});
    } catch (cannot_evaluate const& e) {
      end_.found = verdict::cannot_evaluate;
      end_.message = e.why;
      end_with_step(state, by);
    }
  }

  row_index::found insert(row state) {
    if (graph_.size() >= how_.stop_at.states_max && !known(state)) give_up("number of states");
    auto const found = index_.insert(key_of(state));
    if (!found.fresh) return found;
    if (model_.has_key()) graph_.rows.push(state);
    graph_.reached_from(from_);
    ++counts_.distinct;
    return found;
  }

  bool known(row state) { return index_.find(key_of(state)) != no_state; }

  row key_of(row state) {
    if (!model_.has_key()) return state;
    model_.key(state, key_);
    return key_;
  }

  void check_state(row state, action_id by) {
    end_.property = model_.broken_invariant(state);
    if (end_.property == model::nothing_broken) return;
    end_.found = verdict::invariant_broken;
    end_with_step(state, by);
  }

  void check_step(row state, action_id by) {
    end_.property = model_.broken_step(graph_.state(from_), state);
    if (end_.property == model::nothing_broken) return;
    end_.found = verdict::step_broken;
    end_with_step(state, by);
  }

  /// Asks the model something about `s`, which is what an answer that fails is about.
  template <class Question>
  void at(state_id s, Question ask) {
    from_ = s;
    try {
      ask();
    } catch (cannot_evaluate const& e) {
      end_.found = verdict::cannot_evaluate;
      end_.message = e.why;
      if (s == no_state) throw search_ended{};
      end_with_trace(s);
    }
  }

  void look_up(state_id s) {
    if (how_.progress) how_.progress(counts_, graph_.size() - s);
    if (how_.stop_at.stop && how_.stop_at.stop()) give_up("time");
    if (graph_.bytes() + keys_.bytes() + index_.bytes() > how_.stop_at.bytes_max) give_up("memory");
  }

  [[noreturn]] void give_up(char const* limit) {
    end_.found = verdict::not_finished;
    end_.message = limit;
    throw search_ended{};
  }

  [[noreturn]] void end_with_trace(state_id last) {
    end_.trace = shortest_way(model_, graph_, last);
    throw search_ended{};
  }

  [[noreturn]] void end_with_step(row to, action_id by) {
    trace_step last{{to.begin(), to.end()}, by};  // the model may reuse what `to` points at
    if (from_ != no_state) end_.trace = shortest_way(model_, graph_, from_);
    end_.trace.push_back(std::move(last));
    throw search_ended{};
  }

  model& model_;
  options const& how_;
  graph graph_;
  row_arena keys_;
  std::vector<word> key_;
  row_index index_;
  counts counts_;
  state_id from_ = no_state;
  result end_;
};

/// Finds by which action one state leads to another: the first that the model produces.
class action_finder final : public sink {
 public:
  explicit action_finder(row wanted) : wanted_{wanted} {}
  void operator()(row state, action_id by) override {
    if (found == no_action && std::ranges::equal(state, wanted_)) found = by;
  }
  action_id found = no_action;

 private:
  row wanted_;
};

}  // namespace

result explore(model& m, options const& how) { return search{m, how}.run(); }

std::vector<trace_step> shortest_way(model& m, graph const& g, state_id last) {
  std::vector<trace_step> way;
  for (auto s = last; s != no_state; s = g.parent(s)) {
    auto const r = g.state(s);
    action_finder by{r};
    if (g.parent(s) == no_state) {
      m.initial(by);
    } else {
      m.next(g.state(g.parent(s)), by);
    }
    way.push_back({{r.begin(), r.end()}, by.found});
  }
  std::ranges::reverse(way);
  return way;
}

std::string to_text(std::vector<trace_step> const& trace, model& m) {
  std::string text;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    auto const& [state, by] = trace[i];
    auto const name = i == 0 ? "Initial predicate" : m.step_name(trace[i - 1].state, state, by);
    auto const& next = i + 1 < trace.size() ? trace[i + 1].state : state;
    text += "State " + std::to_string(i + 1) + ": <" + name + ">\n" + m.show_in_trace(state, next) + "\n";
  }
  return text;
}

}  // namespace halfopen::check
