#include <gmock/gmock.h>

#include <halfopen/check/explore.hpp>
#include <halfopen/check/typed_model.hpp>

namespace halfopen::check {
namespace {

/// Two counters, each from 0 to `limit`, one step at a time; `big` jumps by two.
struct counters {
  struct state {
    std::int32_t x;
    std::int32_t y;
  };
  std::int32_t limit = 2;
  bool jump = false;
  bool wrap = false;
  std::int32_t allowed = 1000;
  bool silent = false;

  enum : action_id { start, up_x, up_y, big, back };

  void initial(auto emit) const { emit(state{0, 0}, start); }
  void next(state s, auto emit) const {
    if (s.x < limit) emit(state{s.x + 1, s.y}, up_x);
    if (s.y < limit) emit(state{s.x, s.y + 1}, up_y);
    if (jump && s.x + 2 <= limit) emit(state{s.x + 2, s.y}, big);
    if (wrap && s.x == limit && s.y == limit) emit(state{0, 0}, back);
    if (silent && s.x == 1 && s.y == 1) throw cannot_evaluate{"no answer here"};
  }
  static std::string action_name(action_id a) { return std::array{"Start", "UpX", "UpY", "Big", "Back"}[a]; }
  static std::string show(state s) {
    return "x = " + std::to_string(s.x) + "\ny = " + std::to_string(s.y) + "\n";
  }
  static constexpr auto invariants() {
    return std::array{
        state_property<counters>{"NotNegative", [](auto&, auto& s) { return s.x >= 0 && s.y >= 0; }},
        state_property<counters>{"Allowed", [](auto& m, auto& s) { return s.x + s.y <= m.allowed; }}};
  }
  static constexpr auto step_properties() {
    return std::array{
        step_property<counters>{"OneAtATime", [](auto&, auto& a, auto& b) { return b.x - a.x <= 1; }}};
  }
};

result explored(counters c, options const& how = {}) {
  typed_model<counters> m{c};
  return explore(m, how);
}

std::vector<std::string> actions(std::vector<trace_step> const& trace) {
  std::vector<std::string> names;
  for (auto const& t : trace) names.push_back(counters::action_name(t.by));
  return names;
}

TEST(explore, visits_every_state_once_and_counts_as_tlc_does) {
  auto const r = explored({.wrap = true});
  EXPECT_EQ(r.found, verdict::holds);
  // 9 states; 12 steps up, one back, and the initial state: 14 generated; 0,0 to 2,2 is five states long.
  EXPECT_EQ(r.counts, (counts{.distinct = 9, .generated = 14, .depth = 5}));
}

TEST(explore, finds_the_state_without_a_successor_only_if_asked) {
  EXPECT_EQ(explored({}).found, verdict::deadlock);
  EXPECT_EQ(explored({}).trace.size(), 5U);
  EXPECT_EQ(explored({}, {.check_deadlock = false}).found, verdict::holds);
}

TEST(explore, ends_at_a_broken_invariant_with_a_shortest_way_to_it) {
  auto const r = explored({.limit = 9, .allowed = 2});
  EXPECT_EQ(r.found, verdict::invariant_broken);
  EXPECT_EQ(r.property, 1);
  EXPECT_THAT(actions(r.trace), testing::ElementsAre("Start", "UpX", "UpX", "UpX"));
}

TEST(explore, asks_step_properties_of_every_step) {
  auto const r = explored({.jump = true});
  EXPECT_EQ(r.found, verdict::step_broken);
  EXPECT_THAT(actions(r.trace), testing::ElementsAre("Start", "Big"));
}

TEST(explore, a_limit_never_ends_as_holds) {
  EXPECT_EQ(explored({.wrap = true}, {.stop_at = {.states_max = 8}}).found, verdict::not_finished);
  EXPECT_EQ(explored({.wrap = true}, {.stop_at = {.states_max = 9}}).found, verdict::holds);
  EXPECT_EQ(explored({.wrap = true}, {.stop_at = {.depth_max = 4}}).found, verdict::not_finished);
  EXPECT_EQ(explored({.wrap = true}, {.stop_at = {.bytes_max = 1}}).found, verdict::not_finished);
  EXPECT_EQ(explored({.wrap = true}, {.stop_at = {.stop = [] { return true; }}}).found,
            verdict::not_finished);
}

TEST(explore, a_model_without_an_answer_ends_the_search_at_the_state_asked_about) {
  auto const r = explored({.silent = true});
  EXPECT_EQ(r.found, verdict::cannot_evaluate);
  EXPECT_EQ(r.message, "no answer here");
  ASSERT_EQ(r.trace.size(), 3U);
  EXPECT_EQ(typed_model<counters>::unpacked(r.trace.back().state).x, 1);
}

TEST(explore, keeps_every_step_of_the_graph_if_asked) {
  auto const r = explored({.wrap = true}, {.keep_graph = true});
  ASSERT_TRUE(r.states);
  EXPECT_EQ(r.states->size(), 9U);
  EXPECT_EQ(r.states->step_count(), 13U);
  EXPECT_EQ(r.states->steps(8).size(), 1U);
  EXPECT_EQ(r.states->steps(8)[0], (step{0, counters::back}));
}

TEST(explore, shows_a_trace_with_the_actions_names) {
  typed_model<counters> m{counters{.allowed = 0}};
  EXPECT_EQ(to_text(explore(m).trace, m),
            "State 1: <Initial predicate>\nx = 0\ny = 0\n\nState 2: <UpX>\nx = 1\ny = 0\n\n");
}

TEST(explore, finds_states_among_many) {
  auto const r = explored({.limit = 199, .wrap = true});
  EXPECT_EQ(r.counts.distinct, 40000U);
  EXPECT_EQ(r.counts.depth, 399U);
}

}  // namespace
}  // namespace halfopen::check
