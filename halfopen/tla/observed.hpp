#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include <halfopen/tla/ast.hpp>

namespace halfopen::tla {

/// How often a part of an action was asked, and in how many ways it was true.
struct part_count {
  expr const* at = nullptr;
  std::uint64_t entered = 0;
  std::uint64_t passed = 0;
};

/// A count for each part, wherever it is used. Counts stay where they are.
class part_counts {
 public:
  part_counts() = default;
  part_counts(part_counts const&) = delete;
  part_counts& operator=(part_counts const&) = delete;
  part_counts(part_counts&&) noexcept = default;
  part_counts& operator=(part_counts&&) noexcept = default;

  [[nodiscard]] part_count& of(expr const& e) {
    auto& known = by_place_[&e];
    if (known == nullptr) known = &all_.emplace_back(part_count{&e});
    return *known;
  }
  [[nodiscard]] std::deque<part_count> const& all() const noexcept { return all_; }
  void add(part_counts const& other) {
    for (auto const& c : other.all()) {
      auto& mine = of(*c.at);
      mine.entered += c.entered;
      mine.passed += c.passed;
    }
  }

 private:
  std::deque<part_count> all_;
  std::unordered_map<expr const*, part_count*> by_place_;
};

/// What has been seen of a model while it was asked for states: what coverage and warnings tell.
/// One a model; those of several threads add up.
struct observed {
  std::vector<std::uint64_t> steps{};        // by each action, known states included
  std::vector<std::uint8_t> changed{};       // whether a step has changed a variable
  std::vector<std::uint8_t> premise_true{};  // of the invariants' premises
  part_counts parts{};                       // with coverage only

  void add(observed const& other) {
    steps.resize(std::max(steps.size(), other.steps.size()));
    changed.resize(std::max(changed.size(), other.changed.size()));
    premise_true.resize(std::max(premise_true.size(), other.premise_true.size()));
    for (std::size_t i = 0; i < other.steps.size(); ++i) steps[i] += other.steps[i];
    for (std::size_t i = 0; i < other.changed.size(); ++i)
      changed[i] = std::max(changed[i], other.changed[i]);
    for (std::size_t i = 0; i < other.premise_true.size(); ++i)
      premise_true[i] = std::max(premise_true[i], other.premise_true[i]);
    parts.add(other.parts);
  }
};

}  // namespace halfopen::tla
