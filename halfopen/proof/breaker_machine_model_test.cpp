#include <map>
#include <numeric>

#include <gmock/gmock.h>

#include <halfopen/check/explore.hpp>
#include <halfopen/check/fair_cycle.hpp>
#include <halfopen/proof/breaker_machine_model.hpp>

namespace halfopen::proof {
namespace {

using model = breaker_machine_model;
using check::verdict;

struct finding {
  check::result r;
  std::string rule;  // that is broken, if one is
  std::string story;
};

finding explored(model bounds, bool keep_graph = false) {
  check::typed_model m{bounds};
  finding f{check::explore(m, {.keep_graph = keep_graph}), {}, {}};
  if (f.r.found != verdict::invariant_broken) return f;
  f.rule = m.invariant_name(f.r.property);
  f.story = check::to_text(f.r.trace, m);
  return f;
}

/// Whether the breaker can stay in `s` for ever although time passes and calls keep arriving.
/// A step that begins a new epoch leaves the state, even where it leads back into it at once.
bool may_stay(check::graph const& g, breaker_state s) {
  constexpr check::marks ticks = 1, visits = 2;
  std::map<check::state_id, std::uint32_t> inside;
  for (check::state_id i = 0; i < g.size(); ++i) {
    if (check::typed_model<model>::unpacked(g.state(i)).now == s)
      inside.emplace(i, static_cast<std::uint32_t>(inside.size()));
  }
  check::marked_graph stay;
  for (auto const& [id, number] : inside) {
    stay.first.push_back(stay.to.size());
    stay.of_state.push_back(0);
    for (auto const& step : g.steps(id)) {
      auto const to = inside.find(step.to);
      if (to == inside.end() || step.by >= model::changes_epoch) continue;
      stay.to.push_back(to->second);
      stay.of_step.push_back(step.by == model::tick ? ticks : step.by == model::visit ? visits : 0);
    }
  }
  stay.first.push_back(stay.to.size());
  std::vector<std::uint32_t> starts(stay.size());
  std::iota(starts.begin(), starts.end(), 0U);
  return check::find_fair_cycle(stay, starts, {.must = ticks | visits}).has_value();
}

struct bounds {
  std::uint32_t probes, required;
  check::counts expected;
};

// What the machine does has changed if these do: then note the new ones here and in specs/epochs/README.md.
constexpr bounds small_worlds[] = {{1, 1, {2506, 33313, 24}},
                                   {1, 2, {2764, 36529, 24}},
                                   {2, 1, {4072, 53917, 24}},
                                   {2, 2, {4294, 56359, 24}}};

TEST(breaker_machine_model, s1_to_s8_hold_in_every_state_and_step) {
  for (auto const& [probes, required, expected] : small_worlds) {
    auto const f = explored({.config = model::small(probes, required)});
    EXPECT_EQ(f.r.found, verdict::holds) << f.rule << "\n" << f.story;
    EXPECT_EQ(f.r.counts.distinct, expected.distinct) << probes << " " << required;
    EXPECT_EQ(f.r.counts.generated, expected.generated) << probes << " " << required;
    EXPECT_EQ(f.r.counts.depth, expected.depth) << probes << " " << required;
  }
}

TEST(breaker_machine_model, s1_to_s8_hold_with_a_window_of_calls) {
  auto config = model::small(1, 1);
  config.window = call_window<3>{};
  config.minimum_calls = 2;
  auto const f = explored({.config = config});
  EXPECT_EQ(f.r.found, verdict::holds) << f.rule << "\n" << f.story;
  EXPECT_GT(f.r.counts.distinct, 5000U);
}

TEST(breaker_machine_model, s1_to_s8_hold_where_neutral_results_close) {
  auto config = model::small(2, 2);
  config.after_neutral = neutral_exit::closed;
  auto const f = explored({.config = config});
  EXPECT_EQ(f.r.found, verdict::holds) << f.rule << "\n" << f.story;
}

TEST(breaker_machine_model, l1_and_l2_open_and_half_open_are_left_if_time_passes_and_calls_arrive) {
  for (auto const& [probes, required, expected] : small_worlds) {
    auto const f = explored({.config = model::small(probes, required)}, true);
    ASSERT_EQ(f.r.found, verdict::holds);
    EXPECT_FALSE(may_stay(*f.r.states, breaker_state::open));
    EXPECT_FALSE(may_stay(*f.r.states, breaker_state::half_open));
    EXPECT_TRUE(may_stay(*f.r.states, breaker_state::closed));
    EXPECT_TRUE(may_stay(*f.r.states, breaker_state::forced_open));
  }
}

TEST(breaker_machine_model, l2_fails_without_leases) {
  auto const f = explored({.mutant = breaker_mutant::has_no_lease}, true);
  ASSERT_EQ(f.r.found, verdict::holds) << f.rule << "\n" << f.story;
  EXPECT_TRUE(may_stay(*f.r.states, breaker_state::half_open));
  EXPECT_FALSE(may_stay(*f.r.states, breaker_state::open));
}

struct caught {
  breaker_mutant mutant;
  std::string_view rule;
};

TEST(breaker_machine_model, each_mutant_breaks_its_rule) {
  constexpr caught mutants[] = {
      {breaker_mutant::forgets_epochs, "S2"},           {breaker_mutant::keeps_abandoned_slots, "S1"},
      {breaker_mutant::opens_without_deadline, "S3"},   {breaker_mutant::admits_one_probe_more, "S1"},
      {breaker_mutant::success_in_open_closes, "S5"},   {breaker_mutant::failure_in_open_extends, "S5"},
      {breaker_mutant::timer_leaves_forced_open, "S7"}, {breaker_mutant::counts_neutral_results, "S8"},
      {breaker_mutant::keeps_window_over_epochs, "S8"}, {breaker_mutant::tells_no_reopening, "S6"}};
  for (auto const& [mutant, rule] : mutants) {
    auto const f = explored({.mutant = mutant});
    EXPECT_EQ(f.r.found, verdict::invariant_broken) << "mutant " << static_cast<int>(mutant);
    EXPECT_EQ(f.rule, rule) << "mutant " << static_cast<int>(mutant) << "\n" << f.story;
  }
}

}  // namespace
}  // namespace halfopen::proof
