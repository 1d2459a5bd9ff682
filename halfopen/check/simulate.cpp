#include <algorithm>

#include <halfopen/base/random.hpp>
#include <halfopen/check/simulate.hpp>

namespace halfopen::check {

namespace {

struct walk_ended {};  // with something found

class walker final : sink {
 public:
  walker(model& m, walks const& how) : model_{m}, how_{how} {}

  walk_result run() {
    try {
      start();
      for (std::uint64_t n = 0; n < how_.count && starts_ > 0 && !look_up(); ++n) {
        end_.walk = how_.first + n;
        walk(random_stream{mix(how_.seed, end_.walk)});
        ++end_.counts.walks;
      }
    } catch (walk_ended) {
      ++end_.counts.walks;
    }
    return std::move(end_);
  }

 private:
  void start() {
    model_.begin_walk(how_.seed);
    model_.at_level(0);
    end_.walk = how_.first;
    asked([&] { model_.initial(*this); });
    starts_ = by_.size();
    initial_ = choices_;
  }

  void walk(random_stream chance) {
    model_.begin_walk(mix(how_.seed, ~end_.walk));
    way_.clear();
    go_to(row_of(initial_, below(chance(), starts_)), no_action);
    while (way_.size() < how_.depth) {
      if (++looked_ % 1024 == 0 && look_up()) return;
      if (!successors()) return;
      auto const next = chosen(chance);
      go_to(row_of(choices_, next), by_[next]);
      ++end_.counts.steps;
    }
  }

  [[nodiscard]] row row_of(std::vector<word> const& rows, std::size_t i) const {
    return {rows.data() + i * model_.width(), model_.width()};
  }

  void go_to(row state, action_id by) {
    way_.push_back({{state.begin(), state.end()}, by});
    end_.counts.longest = std::max(end_.counts.longest, static_cast<std::uint32_t>(way_.size()));
  }

  /// Whether there is one to go to.
  bool successors() {
    choices_.clear();
    by_.clear();
    model_.at_level(static_cast<std::uint32_t>(way_.size()));
    auto const before = end_.counts.generated;
    asked([&] { model_.next(way_.back().state, *this); });
    if (end_.counts.generated == before && how_.check_deadlock) {
      end_.found = verdict::deadlock;
      end_at_last();
    }
    return !by_.empty();
  }

  /// An action first, then one of its steps: what has few steps is not drowned by what has many.
  std::size_t chosen(random_stream& chance) {
    auto actions = by_;
    std::ranges::sort(actions);
    actions.erase(std::unique(actions.begin(), actions.end()), actions.end());
    auto const action = actions[below(chance(), actions.size())];
    auto left = below(chance(), static_cast<std::uint64_t>(std::ranges::count(by_, action)));
    std::size_t i = 0;
    while (by_[i] != action || left-- > 0) ++i;
    return i;
  }

  void operator()(row state, action_id by) override {
    ++end_.counts.generated;
    try {
      bool const inside = model_.within(state) && (way_.empty() || model_.within(way_.back().state, state));
      end_.property = model_.broken_invariant(state);
      if (end_.property != model::nothing_broken) end_with(verdict::invariant_broken, state, by);
      if (!way_.empty()) end_.property = model_.broken_step(way_.back().state, state);
      if (end_.property != model::nothing_broken) end_with(verdict::step_broken, state, by);
      if (!inside) return;
      choices_.insert(choices_.end(), state.begin(), state.end());
      by_.push_back(by);
    } catch (cannot_evaluate const& e) {
      end_.message = e.why;
      end_with(verdict::cannot_evaluate, state, by);
    }
  }

  template <class Question>
  void asked(Question ask) {
    try {
      ask();
    } catch (cannot_evaluate const& e) {
      end_.found = verdict::cannot_evaluate;
      end_.message = e.why;
      end_at_last();
    }
  }

  [[noreturn]] void end_with(verdict v, row state, action_id by) {
    end_.found = v;
    go_to(state, by);
    end_at_last();
  }

  [[noreturn]] void end_at_last() {
    end_.trace = std::move(way_);
    throw walk_ended{};
  }

  bool look_up() {
    if (how_.progress) how_.progress(end_.counts);
    end_.stopped = end_.stopped || (how_.stop && how_.stop());
    return end_.stopped;
  }

  model& model_;
  walks const& how_;
  std::vector<word> initial_;  // rows, one after the other
  std::size_t starts_ = 0;     // how many
  std::vector<word> choices_;  // where the walk can go from here
  std::vector<action_id> by_;
  std::vector<trace_step> way_;
  std::uint64_t looked_ = 0;
  walk_result end_;
};

}  // namespace

walk_result simulate(model& m, walks const& how) { return walker{m, how}.run(); }

}  // namespace halfopen::check
