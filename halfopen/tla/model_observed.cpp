#include <algorithm>

#include <halfopen/tla/model.hpp>

/// What a model notes of itself while it is asked for states.
namespace halfopen::tla {

void model::compile_premises() {
  seen_.steps.assign(compiler_.labels().size(), 0);
  seen_.changed.assign(width_, 0);
  for (std::uint32_t i = 0; i < width_; ++i) same_yet_.push_back(i);
  for (auto const& p : invariants_) {
    if (p.formula.e == nullptr) continue;
    for (auto& found : premises_of(splitter_, p.formula)) {
      try {
        auto const code = compiler_.expression(*found.asked.e, found.asked.in);
        if (code.on.next || !code.on.now) continue;
        premise_code_.push_back(code.run);
        false_yet_.push_back(static_cast<std::uint32_t>(premises_.size()));
        premises_.push_back(std::move(found));
      } catch (compile_error const&) {  // then nothing is said of it
      }
    }
  }
  seen_.premise_true.assign(premises_.size(), 0);
}

/// What the steps that have just been found do; the current state is the one they lead from.
void model::note_changes() {
  for (auto const a : found_by_) ++seen_.steps[a];
  if (same_yet_.empty()) return;
  std::erase_if(same_yet_, [&](std::uint32_t v) {
    for (std::size_t at = v; at < found_.size(); at += width_) {
      if (found_[at] != now_[v].word()) return seen_.changed[v] = 1, true;
    }
    return false;
  });
}

/// An invariant has just been true here. Where a premise has no value, it is taken for true: nothing is said
/// of it.
void model::note_premises() {
  std::erase_if(false_yet_, [&](std::uint32_t i) {
    try {
      auto const v = premise_code_[i]->run(machine_);
      if (v.is_boolean() && !v.truth()) return false;
    } catch (value_error const&) {
      machine_.frame = frame_;
    }
    seen_.premise_true[i] = 1;
    return true;
  });
}

observed model::seen() const {
  observed all;
  all.add(seen_);
  std::scoped_lock const lock{others_->mutex};
  all.add(others_->all);
  return all;
}

}  // namespace halfopen::tla
