#include <algorithm>

#include <halfopen/check/expander.hpp>

namespace halfopen::check {

namespace {

/// Unwinds from inside the model's answer once the search's end is known.
struct chunk_ended {};

/// The model may reuse what a row points at.
std::vector<word> copied(row r) { return {r.begin(), r.end()}; }

constexpr std::size_t sorted_at_once = 48;  // successors whose slots are fetched together

}  // namespace

expander::expander(unsigned number, model& m, graph const& g, row_index const& index, options const& how)
    : number_{number},
      model_{m},
      graph_{g},
      index_{index},
      how_{how},
      width_{m.width()},
      key_width_{m.key_width()},
      has_key_{m.has_key()} {}

void expander::begin_round() {
  found_.clear();
  rows_.clear();
  keys_.clear();
  steps_.clear();
  steps_of_.clear();
  sorted_ = steps_sorted_ = 0;
  in_part_.fill(0);
}

void expander::expand(chunk& c) {
  at(c, [&] {
    for (from_ = c.first; from_ < c.last; ++from_) {
      auto const before = c.generated;
      auto const steps_before = steps_.size();
      model_.next(graph_.state(from_), *this);
      if (how_.keep_graph) steps_of_.push_back(static_cast<std::uint32_t>(steps_.size() - steps_before));
      if (how_.check_deadlock && c.generated == before)
        return stop(ending::stage::left, verdict::deadlock, model::nothing_broken, {});
      if (found_.size() - sorted_ >= sorted_at_once) sort_out();
    }
  });
}

void expander::expand_initial(chunk& c) {
  from_ = no_state;
  at(c, [&] { model_.initial(*this); });
}

/// Has the model asked something about `from_`, which is what an answer that fails is about.
template <class Question>
void expander::at(chunk& c, Question ask) {
  chunk_ = &c;
  c.by = number_;
  c.found_begin = found_.size();
  c.steps_begin = steps_.size();
  c.parents_begin = steps_of_.size();
  try {
    ask();
  } catch (cannot_evaluate const& e) {
    stop(ending::stage::left, verdict::cannot_evaluate, model::nothing_broken, e.why);
  } catch (chunk_ended) {
  }
  sort_out();
  c.found_end = found_.size();
  c.steps_end = steps_.size();
}

/// What the model produces: an initial state, or a successor of `from_`.
void expander::operator()(row state, action_id by) {
  ++chunk_->generated;
  auto stage = ending::stage::found;
  try {
    bool const inside =
        model_.within(state) && (from_ == no_state || model_.within(graph_.state(from_), state));
    if (inside) note(state, by);
    stage = ending::stage::checked;
    auto const broken = inside ? model::nothing_broken : model_.broken_invariant(state);
    if (broken != model::nothing_broken) {
      stop(stage, verdict::invariant_broken, broken, {}, trace_step{copied(state), by});
      throw chunk_ended{};
    }
    stage = ending::stage::stepped;
    auto const step =
        from_ == no_state ? model::nothing_broken : model_.broken_step(graph_.state(from_), state);
    if (step == model::nothing_broken) return;
    stop(stage, verdict::step_broken, step, {}, trace_step{copied(state), by});
  } catch (cannot_evaluate const& e) {
    stop(stage, verdict::cannot_evaluate, model::nothing_broken, e.why, trace_step{copied(state), by});
  }
  throw chunk_ended{};
}

void expander::note(row state, action_id by) {
  rows_.insert(rows_.end(), state.begin(), state.end());
  if (has_key_) {
    keys_.resize(keys_.size() + key_width_);
    model_.key(state, std::span{keys_}.last(key_width_));
  }
  auto const hash = hash_of(has_key_ ? row{keys_}.last(key_width_) : state);
  index_.expect(hash);
  found_.push_back({.hash = hash, .from = from_, .ordinal = chunk_->generated - 1, .by = by});
  if (how_.keep_graph && from_ != no_state) steps_.push_back({0, by, false});
}

/// Drops what is known from earlier rounds.
void expander::sort_out() {
  bool const steps = how_.keep_graph && from_ != no_state;
  for (auto i = sorted_; i < found_.size(); ++i) index_.expect_row(found_[i].hash);
  auto kept = sorted_;
  for (auto i = sorted_; i < found_.size(); ++i) {
    auto const id = index_.find(key(i), found_[i].hash);
    if (steps) {
      auto& s = steps_[steps_sorted_++];
      s.known = id != no_state;
      if (s.known) s.to = id;
    }
    if (id != no_state) continue;
    ++in_part_[row_index::part_of(found_[i].hash)];
    if (kept != i) {
      found_[kept] = found_[i];
      std::ranges::copy(state(i), rows_.begin() + static_cast<std::ptrdiff_t>(kept * width_));
      if (has_key_) std::ranges::copy(key(i), keys_.begin() + static_cast<std::ptrdiff_t>(kept * key_width_));
    }
    ++kept;
  }
  found_.resize(kept);
  rows_.resize(kept * width_);
  if (has_key_) keys_.resize(kept * key_width_);
  sorted_ = kept;
}

bool expander::check(chunk const& c, candidate const& n, row state) {
  from_ = n.from;
  ending::place const where{c.number, n.from, n.ordinal + 1, ending::stage::checked};
  auto const end = [&](verdict v, int property, std::string why) {
    ends({where, v, property, std::move(why), trace_step{copied(state), n.by}});
    return false;
  };
  try {
    auto const broken = model_.broken_invariant(state);
    return broken == model::nothing_broken || end(verdict::invariant_broken, broken, {});
  } catch (cannot_evaluate const& e) {
    return end(verdict::cannot_evaluate, model::nothing_broken, e.why);
  }
}

void expander::stop(ending::stage at, verdict v, int property, std::string why,
                    std::optional<trace_step> to) {
  ends({{chunk_->number, from_, chunk_->generated, at}, v, property, std::move(why), std::move(to)});
}

std::size_t expander::bytes() const noexcept {
  return found_.capacity() * sizeof(candidate) + (rows_.capacity() + keys_.capacity()) * sizeof(word) +
         steps_.capacity() * sizeof(kept_step) + steps_of_.capacity() * sizeof(std::uint32_t);
}

}  // namespace halfopen::check
