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
  // Seven states with the broken one; the initial state, two, two, two, and the one step that broke it.
  EXPECT_EQ(r.counts, (counts{.distinct = 7, .generated = 8, .depth = 3}));
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

/// Everything that a search tells, but how many took part.
void expect_same(result const& a, result const& b) {
  EXPECT_EQ(a.found, b.found);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.property, b.property);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(actions(a.trace), actions(b.trace));
  ASSERT_EQ(a.states.has_value(), b.states.has_value());
  if (!a.states) return;
  ASSERT_EQ(a.states->size(), b.states->size());
  ASSERT_EQ(a.states->step_count(), b.states->step_count());
  EXPECT_EQ(a.states->initial_count(), b.states->initial_count());
  for (state_id s = 0; s < a.states->size(); ++s) {
    EXPECT_THAT(a.states->state(s), testing::ElementsAreArray(b.states->state(s)));
    EXPECT_EQ(a.states->parent(s), b.states->parent(s));
    EXPECT_THAT(a.states->steps(s), testing::ElementsAreArray(b.states->steps(s)));
  }
}

workers at_once(unsigned count) { return {.count = count, .from_round = 0}; }

TEST(explore, finds_the_same_however_many_search) {
  for (auto const& c :
       {counters{.limit = 40, .wrap = true}, counters{.limit = 40}, counters{.limit = 40, .jump = true},
        counters{.limit = 40, .allowed = 61}, counters{.limit = 40, .silent = true}, counters{.limit = 0}}) {
    for (bool const keep : {false, true}) {
      auto const alone = explored(c, {.keep_graph = keep});
      for (unsigned n : {2U, 3U, 7U}) {
        auto const together = explored(c, {.keep_graph = keep, .workers = at_once(n)});
        expect_same(alone, together);
        EXPECT_EQ(together.workers, n);
      }
    }
  }
}

TEST(explore, a_limit_on_states_ends_where_one_alone_would_end) {
  for (std::uint64_t most : {1U, 2U, 50U, 99U, 440U}) {
    options how{.stop_at = {.states_max = most}};
    auto const alone = explored({.limit = 20, .wrap = true}, how);
    EXPECT_EQ(alone.counts.distinct, most);
    how.workers = at_once(3);
    expect_same(alone, explored({.limit = 20, .wrap = true}, how));
  }
}

TEST(explore, others_come_when_there_are_enough_states) {
  counters const c{.limit = 20, .wrap = true};
  EXPECT_EQ(explored(c, {.workers = {.count = 2, .from_states = 100}}).workers, 2U);
  EXPECT_EQ(explored(c, {.workers = {.count = 2, .from_states = 10000}}).workers, 1U);
}

/// As many states on each level as there are numbers, each found by all states before it.
struct crowd {
  struct state {
    std::uint32_t level, number;
  };
  std::uint32_t levels, width;
  void initial(auto emit) const {
    for (std::uint32_t i = 0; i < width; ++i) emit(state{0, i}, 0);
  }
  void next(state s, auto emit) const {
    for (std::uint32_t i = 0; i < width; ++i) {
      if (s.level + 1 < levels) emit(state{s.level + 1, (s.number * 7 + i) % width}, 0);
    }
  }
  static std::string action_name(action_id) { return "Next"; }
  static std::string show(state s) { return "n = " + std::to_string(s.number) + "\n"; }
  static constexpr auto invariants() {
    return std::array{state_property<crowd>{"True", [](auto&, auto&) { return true; }}};
  }
};

TEST(explore, a_state_that_many_find_in_one_round_is_one_state) {
  typed_model<crowd> m{crowd{5, 300}};
  options how{.check_deadlock = false, .keep_graph = true};
  auto const alone = explore(m, how);
  EXPECT_EQ(alone.counts, (counts{.distinct = 1500, .generated = 300 + 4 * 300 * 300, .depth = 5}));
  how.workers = at_once(2);
  expect_same(alone, explore(m, how));
}

/// As many states as there are numbers below the square of `width`, on two levels; several are wrong.
struct several_wrong {
  struct state {
    std::uint64_t number;
  };
  std::uint64_t width = 700;
  void initial(auto emit) const {
    for (std::uint64_t i = 0; i < width; ++i) emit(state{i}, 0);
  }
  void next(state s, auto emit) const {
    for (std::uint64_t i = 0; s.number < width && i < 20; ++i) emit(state{width * (s.number + 1) + i}, 1);
  }
  static std::string action_name(action_id) { return "Next"; }
  static std::string show(state s) { return std::to_string(s.number) + "\n"; }
  static constexpr auto invariants() {
    return std::array{state_property<several_wrong>{
        "Right", [](auto& m, auto& s) { return s.number < m.width * 200 || s.number % 10 != 7; }}};
  }
};

TEST(explore, of_several_wrong_states_the_first_is_shown_whoever_finds_one_sooner) {
  for (int again = 0; again < 20; ++again) {
    typed_model<several_wrong> m;
    auto const r = explore(m, {.check_deadlock = false, .workers = at_once(2)});
    ASSERT_EQ(r.found, verdict::invariant_broken);
    EXPECT_EQ(r.trace.back().state, (std::vector<word>{700 * 200 + 7}));
    EXPECT_EQ(r.counts,
              (counts{.distinct = 700 + 199 * 20 + 8, .generated = 700 + 199 * 20 + 8, .depth = 1}));
  }
}

/// Numbers from 0 upwards; the search goes on below 3 only.
struct constrained final : model {
  explicit constrained(word wrong_) : wrong{wrong_} {}
  std::size_t width() const override { return 1; }
  void initial(sink& to) override {
    word const first = 0;
    to({&first, 1}, 0);
  }
  void next(row from, sink& to) override {
    word const after = from[0] + 1;
    to({&after, 1}, 1);
  }
  bool within(row r) override { return r[0] < 3; }
  int broken_invariant(row r) override { return r[0] == wrong ? 0 : nothing_broken; }
  std::string action_name(action_id) const override { return {}; }
  std::string invariant_name(int) const override { return "Right"; }
  std::string show(row) const override { return {}; }
  word wrong;
};

TEST(explore, asks_invariants_of_states_that_a_constraint_cuts_off_and_does_not_count_them) {
  constrained good{9};
  auto const r = explore(good);
  EXPECT_EQ(r.found, verdict::holds);
  EXPECT_EQ(r.counts, (counts{.distinct = 3, .generated = 4, .depth = 3}));
  constrained bad{3};
  EXPECT_EQ(explore(bad).found, verdict::invariant_broken);
  EXPECT_EQ(explore(bad).trace.size(), 4U);
}

TEST(explore, a_model_that_cannot_be_copied_is_searched_by_one) {
  struct only_one final : model {
    std::size_t width() const override { return 1; }
    void initial(sink& to) override {
      word const first = 0;
      to({&first, 1}, 0);
    }
    void next(row from, sink& to) override {
      word const after = (from[0] + 1) % 100;
      to({&after, 1}, 0);
    }
    int broken_invariant(row) override { return nothing_broken; }
    std::string action_name(action_id) const override { return {}; }
    std::string invariant_name(int) const override { return {}; }
    std::string show(row) const override { return {}; }
  } m;
  auto const r = explore(m, {.workers = at_once(4)});
  EXPECT_EQ(r.counts.distinct, 100U);
  EXPECT_EQ(r.workers, 1U);
}

}  // namespace
}  // namespace halfopen::check
