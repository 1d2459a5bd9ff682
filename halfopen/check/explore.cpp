#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <utility>

#include <halfopen/check/checkpoint.hpp>
#include <halfopen/check/crew.hpp>
#include <halfopen/check/expander.hpp>
#include <halfopen/check/explore.hpp>
#include <halfopen/check/row_index.hpp>

namespace halfopen::check {

namespace {

/// Unwinds a search once its end is known.
struct search_ended {};

constexpr state_id round_states = 8192;  // of each worker
constexpr unsigned workers_max = row_index::parts;
constexpr state_id chunk_states = 64;            // at most
constexpr std::size_t round_bytes = 64UL << 20;  // of successors; then a round takes no more states

// Longer than most files here: the phases of a round share what they hand to each other, and are read
// together.

/// A search goes in rounds over the states that wait, in order. All are expanded, in chunks, by whoever is
/// free; then what was not known goes into the index, each part of it filled by one thread and in order; then
/// what was new gets its number, in order. So many threads number the states as one does, and whatever is
/// found does not depend on how many they are.
class search {
 public:
  search(model& m, options const& how)
      : how_{how},
        graph_{m.width()},
        keys_{m.key_width()},
        index_{m.has_key() ? keys_ : graph_.rows()},
        crew_{how.workers.stack_bytes} {
    join(m);
  }

  result run() {
    try {
      visit_all();
      if (how_.keep_graph) end_.states = std::move(graph_);
    } catch (search_ended) {
    }
    if (end_.found == verdict::not_finished && !how_.checkpoint.file.empty()) save();
    end_.counts = counts_;
    end_.workers = static_cast<unsigned>(team_.size());
    return std::move(end_);
  }

 private:
  /// What became of the candidates that one worker put into the index, in order.
  struct outcome {
    std::uint32_t slot;
    bool fresh;
  };
  struct tally {
    std::size_t outcomes = 0, fresh = 0;
  };
  struct member {
    expander does;
    std::vector<outcome> outcomes{};
    std::vector<tally> before{};  // each chunk, and at the end
  };

  model& asked() { return team_.front()->does.asked(); }

  void join(model& m) {
    auto const number = static_cast<unsigned>(team_.size());
    team_.push_back(std::make_unique<member>(member{{number, m, graph_, index_, how_}}));
  }

  void visit_all() {
    if (!resume()) start();
    settled_ = {at_, counts_};
    while (at_.next < graph_.size()) {
      if (at_.next == at_.level_end) {
        at_.level_end = graph_.size();
        at_level(++counts_.depth);
        if (counts_.depth > how_.stop_at.depth_max) give_up("depth");
      }
      look_up();
      call_others();
      at_.next = round(at_.next, at_.level_end);
      at_.states = graph_.size();
      settled_ = {at_, counts_};
    }
  }

  void start() {
    at_level(0);
    round(no_state, no_state);
    graph_.end_initial();
    if (how_.keep_graph) graph_.grow_steps(0, 0);
    at_ = {.next = 0, .level_end = graph_.size(), .states = graph_.size()};
    if (graph_.size() > 0) counts_.depth = 1;
    at_level(1);
  }

  bool resume() {
    if (how_.checkpoint.file.empty()) return false;
    auto const saved = read_checkpoint(how_.checkpoint, asked(), graph_, how_.keep_graph);
    if (!saved) return false;
    at_ = saved->at;
    counts_ = saved->counts;
    end_.checkpoint.resumed_at = at_.states;
    if (asked().has_key()) know_keys();
    know_states();
    at_level(counts_.depth);
    return true;
  }

  void know_keys() {
    keys_.grow(at_.states);
    std::vector<word> key(keys_.width());
    for (state_id s = 0; s < at_.states; ++s) {
      asked().key(graph_.state(s), key);
      keys_.put(s, key);
    }
  }

  void know_states() {
    auto const& rows = asked().has_key() ? keys_ : graph_.rows();
    for (state_id s = 0; s < at_.states; ++s) {
      if (!index_.know(rows[s], s)) throw checkpoint_refused{how_.checkpoint.file + " has a state twice"};
    }
  }

  void save() {
    end_.checkpoint.failed = write_checkpoint(how_.checkpoint, asked(), graph_, settled_, how_.keep_graph);
    end_.checkpoint.written = end_.checkpoint.failed.empty();
  }

  void at_level(std::uint32_t n) {
    level_ = n;
    for (auto& t : team_) t->does.asked().at_level(n);
  }

  /// Makes the other workers, once it pays.
  void call_others() {
    if (called_ || how_.workers.count <= 1 || graph_.size() < how_.workers.from_states) return;
    called_ = true;
    crew_.grow(std::min(how_.workers.count, workers_max));
    others_.resize(crew_.size());
    crew_.run(crew_.size(), [&](unsigned w) {
      if (w > 0) others_[w] = asked().another();
    });
    for (auto& m : others_) {
      if (m == nullptr) continue;
      m->at_level(level_);
      join(*m);
    }
  }

  /// Expands states from `first` on, all of one level; returns where it stopped. no_state: the initial ones.
  state_id round(state_id first, state_id last) {
    bool const initial = first == no_state;
    auto const wait = initial ? 1 : last - first;
    active_ = initial || wait < how_.workers.from_round ? 1 : static_cast<unsigned>(team_.size());
    cut(first, std::min(wait, round_states * active_));
    expand(initial);
    insert();
    publish();
    end_if_wrong();
    if (how_.keep_graph && !initial) keep_steps();
    index_.end_round();
    asked().at_rest();
    for (auto const& c : chunks_) counts_.generated += c.generated;
    counts_.distinct = graph_.size();
    return chunks_.back().last;
  }

  void cut(state_id first, state_id count) {
    auto const size = std::clamp(count / (active_ * 16), state_id{1}, chunk_states);
    chunks_.clear();
    for (state_id done = 0; done < count; done += size) {
      auto const number = static_cast<std::uint32_t>(chunks_.size());
      chunks_.push_back(
          {.number = number, .first = first + done, .last = first + std::min(count, done + size)});
    }
  }

  void expand(bool initial) {
    next_ = 0;
    stopped_ = false;
    crew_.run(active_, [&](unsigned w) {
      auto& e = team_[w]->does;
      e.begin_round();
      while (!stopped_.load(std::memory_order_relaxed)) {
        auto const c = next_.fetch_add(1);
        if (c >= chunks_.size()) return;
        initial ? e.expand_initial(chunks_[c]) : e.expand(chunks_[c]);
        if (e.end() || e.held_bytes() > round_bytes / active_ || (w == 0 && asked_to_stop())) stopped_ = true;
      }
    });
    if (next_ < chunks_.size()) chunks_.resize(next_);
  }

  void insert() {
    std::size_t found = graph_.size();
    for (unsigned w = 0; w < active_; ++w) found += team_[w]->does.found().size();
    if (found >= no_state) give_up("number of states");
    index_.begin_round();
    crew_.run(active_, [&](unsigned w) { insert_parts_of(w); });
  }

  [[nodiscard]] unsigned owner(std::uint64_t hash) const noexcept {
    return row_index::part_of(hash) % active_;
  }

  void insert_parts_of(unsigned w) {
    for (auto p = w; p < row_index::parts; p += active_) {
      std::size_t rows = 0;
      for (unsigned e = 0; e < active_; ++e) rows += team_[e]->does.found_in(p);
      index_.make_room(p, rows);
    }
    auto& mine = *team_[w];
    mine.outcomes.clear();
    mine.before.assign(1, {});
    for (auto const& c : chunks_) {
      auto const& e = team_[c.by]->does;
      for (auto i = c.found_begin; i < c.found_end; ++i) {
        if (owner(e.found()[i].hash) == w) index_.expect(e.found()[i].hash);
      }
      auto fresh = mine.before.back().fresh;
      for (auto i = c.found_begin; i < c.found_end; ++i) {
        auto const hash = e.found()[i].hash;
        if (owner(hash) != w) continue;
        auto const a = index_.add(e.key(i).data(), hash);
        mine.outcomes.push_back({a.slot, a.fresh});
        fresh += a.fresh ? 1 : 0;
      }
      mine.before.push_back({mine.outcomes.size(), fresh});
    }
  }

  /// Calls `visit(i, outcome)` for each candidate of a chunk, in order, until it returns false.
  template <class Visit>
  void each_outcome(chunk const& c, Visit visit) const {
    std::array<std::size_t, workers_max> at;
    for (unsigned w = 0; w < active_; ++w) at[w] = team_[w]->before[c.number].outcomes;
    auto const& e = team_[c.by]->does;
    for (auto i = c.found_begin; i < c.found_end; ++i) {
      auto const w = owner(e.found()[i].hash);
      if (!visit(i, team_[w]->outcomes[at[w]++])) return;
    }
  }

  /// Gives what is new its number and its place, and checks it.
  void publish() {
    auto id = graph_.size();
    for (auto& c : chunks_) {
      c.first_id = id;
      for (unsigned w = 0; w < active_; ++w) {
        auto const& before = team_[w]->before;
        id += static_cast<state_id>(before[c.number + 1].fresh - before[c.number].fresh);
      }
    }
    graph_.grow_states(id);
    if (asked().has_key()) keys_.grow(id);
    each_chunk([this](unsigned w, chunk const& c) { publish(c, team_[w]->does); });
  }

  void publish(chunk const& c, expander& checks) {
    auto const& e = team_[c.by]->does;
    auto id = c.first_id;
    each_outcome(c, [&](std::size_t i, outcome o) {
      if (!o.fresh) return true;
      auto const& n = e.found()[i];
      if (id >= how_.stop_at.states_max) {
        checks.ends({{c.number, n.from, n.ordinal + 1, ending::stage::found},
                     verdict::not_finished,
                     model::nothing_broken,
                     "number of states"});
        return false;
      }
      graph_.put(id, e.state(i), n.from);
      if (asked().has_key()) keys_.put(id, e.key(i));
      index_.settle(n.hash, o.slot, id++);
      return checks.check(c, n, e.state(i));
    });
  }

  template <class Visit>
  void each_chunk(Visit visit) {
    next_ = 0;
    crew_.run(active_, [&](unsigned w) {
      for (std::size_t c = next_++; c < chunks_.size(); c = next_++) visit(w, chunks_[c]);
    });
  }

  void keep_steps() {
    auto count = graph_.step_count();
    for (auto& c : chunks_) {
      c.first_step = count;
      count += c.steps_end - c.steps_begin;
    }
    graph_.grow_steps(chunks_.back().last, count);
    each_chunk([this](unsigned, chunk const& c) { keep_steps(c); });
  }

  void keep_steps(chunk const& c) {
    auto const& e = team_[c.by]->does;
    auto at = c.first_step;
    for (auto s = c.first; s < c.last; ++s) {
      graph_.put_steps(s, at);
      at += e.steps_of(c.parents_begin + (s - c.first));
    }
    auto i = c.steps_begin;
    auto const known = [&] {
      for (; i < c.steps_end && e.kept(i).known; ++i) put_step(c, i, e.kept(i).to, e.kept(i).by);
    };
    known();
    each_outcome(c, [&](std::size_t n, outcome o) {  // one for each step to a state that was not known
      put_step(c, i, index_.id_at(e.found()[n].hash, o.slot), e.kept(i).by);
      ++i;
      known();
      return true;
    });
  }

  void put_step(chunk const& c, std::size_t i, state_id to, action_id by) noexcept {
    graph_.put_step(c.first_step + (i - c.steps_begin), {to, by});
  }

  void end_if_wrong() {
    ending* first = nullptr;
    for (auto& t : team_) {
      auto& e = t->does.end();
      if (e && (first == nullptr || e->where < first->where)) first = &*e;
    }
    if (first == nullptr) return;
    count_until(first->where);
    end_.found = first->found;
    end_.property = first->property;
    end_.message = std::move(first->message);
    auto const from = first->where.from;
    bool const shown = first->found != verdict::not_finished;
    if (shown && from != no_state) end_.trace = shortest_way(asked(), graph_, from);
    if (shown && first->to) end_.trace.push_back(std::move(*first->to));
    throw search_ended{};
  }

  /// What one thread would have counted when it met the end.
  void count_until(ending::place const& p) {
    auto const& last = chunks_[p.chunk];
    for (std::uint32_t c = 0; c < p.chunk; ++c) counts_.generated += chunks_[c].generated;
    counts_.generated += p.generated;
    counts_.distinct = last.first_id;
    each_outcome(last, [&](std::size_t i, outcome o) {
      if (team_[last.by]->does.found()[i].ordinal >= p.generated) return false;
      counts_.distinct += o.fresh ? 1 : 0;
      return true;
    });
    counts_.distinct = std::min(counts_.distinct, how_.stop_at.states_max);
  }

  void look_up() {
    if (how_.progress) how_.progress(counts_, graph_.size() - at_.next);
    if (!how_.checkpoint.file.empty() && how_.checkpoint.due && how_.checkpoint.due()) save();
    if (asked_to_stop()) give_up("time");
    if (bytes() > how_.stop_at.bytes_max) give_up("memory");
  }

  bool asked_to_stop() { return how_.stop_at.stop && how_.stop_at.stop(); }

  std::size_t bytes() {
    auto const held = [](std::size_t sum, auto const& t) { return sum + t->does.bytes(); };
    return graph_.bytes() + keys_.bytes() + index_.bytes() + asked().bytes() +
           std::accumulate(team_.begin(), team_.end(), std::size_t{0}, held);
  }

  [[noreturn]] void give_up(char const* limit) {
    end_.found = verdict::not_finished;
    end_.message = limit;
    throw search_ended{};
  }

  options const& how_;
  graph graph_;
  row_arena keys_;
  row_index index_;
  crew crew_;
  std::vector<std::unique_ptr<model>> others_;
  std::vector<std::unique_ptr<member>> team_;  // first: who asked
  bool called_ = false;
  unsigned active_ = 1;  // of the team, this round
  std::uint32_t level_ = 0;
  search_position at_;
  saved_search settled_;  // at the end of the latest round
  std::vector<chunk> chunks_;
  std::atomic<std::size_t> next_ = 0;  // chunk that nobody has taken
  std::atomic<bool> stopped_ = false;
  counts counts_;
  result end_;
};

}  // namespace

result explore(model& m, options const& how) { return search{m, how}.run(); }

}  // namespace halfopen::check
