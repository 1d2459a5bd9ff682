#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/policy/layer_stack.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/timeout.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

constexpr instant at(duration d) { return instant{d}; }

// A layer that answers what the test says, and writes down what it is asked.
struct scripted {
  std::string name;
  std::vector<std::string>* log = nullptr;
  step on_start = step::descend;
  step on_done = step::complete;
  step on_wake = step::abort_below;
  instant alarm = instant::max();
  duration cut{};  // what start takes off the deadline
  int again = 0;   // how many times done descends again
  bool probes = false;
  int rungs = 0;  // how many times done diverts, before anything else

  step start(instant, attempt& a, ended& e) {
    log->push_back(name + ".start");
    if (cut != duration::zero()) a.deadline = a.deadline - cut;
    if (probes) a.probe = true, a.lease = at(9ms);
    if (on_start == step::complete) e = {.result = result_class::refused, .why = errc::open, .who = name};
    return on_start;
  }
  step done(instant, ended& e) {
    log->push_back(name + ".done:" + std::to_string(static_cast<int>(e.result)));
    if (rungs > 0) return e.rung = static_cast<std::uint8_t>(rungs--), step::divert;
    if (again > 0) return --again, step::descend;
    return on_done;
  }
  step wake(instant, ended&) {
    log->push_back(name + ".wake");
    alarm = instant::max();
    return on_wake;
  }
  [[nodiscard]] instant wake_at() const { return alarm; }
  void abandon(instant) { log->push_back(name + ".abandon"); }
};
static_assert(layer<scripted>);

struct scripted_layers {
  static constexpr std::size_t capacity = 4;
  std::vector<scripted> all;
  [[nodiscard]] std::size_t size() const { return all.size(); }
  auto visit(std::size_t i, auto f) { return f(all[i]); }
  auto visit(std::size_t i, auto f) const { return f(all[i]); }
  scripted_layers take_from(std::size_t) { return *this; }
};
static_assert(partible_storage<scripted_layers>);

class layer_stack_rules : public testing::Test {
 protected:
  using log = std::vector<std::string>;

  layer_stack<scripted_layers> stack(std::vector<scripted> layers) {
    for (auto& l : layers) l.log = &told;
    return layer_stack{scripted_layers{std::move(layers)}};
  }

  log told;
  attempt a{.deadline = at(1s)};
  ended e;
};

TEST_F(layer_stack_rules, p1_starts_outermost_first_and_ends_innermost_first) {
  auto s = stack({{.name = "a"}, {.name = "b"}});
  EXPECT_EQ(s.start(at(0s), a, e), step::descend);
  EXPECT_EQ(s.done(at(1ms), e), step::complete);
  EXPECT_EQ(told, (log{"a.start", "b.start", "b.done:0", "a.done:0"}));
  EXPECT_EQ(e.attempts, 1U);
  EXPECT_TRUE(s.over());
}

TEST_F(layer_stack_rules, p2_outermost_due_timer_acts_first) {
  auto s = stack({{.name = "a", .alarm = at(5ms)}, {.name = "b", .alarm = at(1ms)}});
  s.start(at(0s), a, e);
  EXPECT_EQ(s.wake_at(), at(1ms));
  EXPECT_EQ(s.wake(at(5ms), e), step::abort_below);
  EXPECT_EQ(s.wake_at(), instant::max()) << "timers inside a layer that has called them off count no more";
  e = ended::called_off();
  EXPECT_EQ(s.done(at(6ms), e), step::complete);
  EXPECT_EQ(told, (log{"a.start", "b.start", "a.wake", "b.done:6", "a.done:6"}));
}

TEST_F(layer_stack_rules, p2_a_timer_that_is_due_beats_a_later_result) {
  auto s = stack({{.name = "a", .alarm = at(5ms)}, {.name = "b", .again = 1}});
  s.start(at(0s), a, e);
  e.result = result_class::failure;
  EXPECT_EQ(s.done(at(6ms), e), step::complete);
  EXPECT_EQ(told, (log{"a.start", "b.start", "a.wake", "b.done:1", "b.abandon", "a.done:6"}));
}

TEST_F(layer_stack_rules, p2_a_result_at_the_very_instant_of_a_timer_is_in_time) {
  auto s = stack({{.name = "a", .alarm = at(5ms)}});
  s.start(at(0s), a, e);
  EXPECT_EQ(s.done(at(5ms), e), step::complete);
  EXPECT_EQ(told, (log{"a.start", "a.done:0"}));
}

TEST_F(layer_stack_rules, p3_a_refusal_ends_the_descent_and_refunds_what_outer_layers_took) {
  auto s = stack({{.name = "a"}, {.name = "b", .on_start = step::complete}, {.name = "c"}});
  EXPECT_EQ(s.start(at(0s), a, e), step::complete);
  EXPECT_EQ(told, (log{"a.start", "b.start", "a.done:5"}));
  EXPECT_EQ(e.who, "b");
  EXPECT_EQ(e.attempts, 0U) << "nothing reached the thing that was called";
}

TEST_F(layer_stack_rules, p4_what_a_layer_calls_off_is_not_taken_up_again_inside) {
  auto s = stack({{.name = "a", .alarm = at(5ms)}, {.name = "b", .again = 9}});
  s.start(at(0s), a, e);
  EXPECT_EQ(s.wake(at(5ms), e), step::abort_below);
  e = ended::called_off();
  EXPECT_EQ(s.done(at(5ms), e), step::complete);
  EXPECT_EQ(told, (log{"a.start", "b.start", "a.wake", "b.done:6", "b.abandon", "a.done:6"}));
}

TEST_F(layer_stack_rules, p4_the_layer_that_called_off_may_itself_descend_again) {
  auto s = stack({{.name = "a", .alarm = at(5ms), .again = 1}, {.name = "b"}});
  s.start(at(0s), a, e);
  EXPECT_EQ(s.wake(at(5ms), e), step::abort_below);
  e = ended::called_off();
  EXPECT_EQ(s.done(at(5ms), e), step::descend);
  EXPECT_EQ(s.below().number, 2U);
  EXPECT_EQ(s.done(at(6ms), e = ended{}), step::complete);
  EXPECT_EQ(e.attempts, 2U);
}

TEST_F(layer_stack_rules, p4_an_outer_layer_takes_over_an_abort_that_is_under_way) {
  auto s =
      stack({{.name = "a", .alarm = at(9ms)}, {.name = "b", .again = 1}, {.name = "c", .alarm = at(5ms)}});
  s.start(at(0s), a, e);
  EXPECT_EQ(s.wake(at(5ms), e), step::abort_below);
  EXPECT_EQ(s.wake(at(9ms), e), step::stay) << "the operation is being cancelled already";
  e = ended::called_off();
  EXPECT_EQ(s.done(at(9ms), e), step::complete);
  EXPECT_EQ(told.back(), "a.done:6");
}

TEST_F(layer_stack_rules, p5_a_wait_that_is_called_off_ends_without_the_driver) {
  auto s = stack({{.name = "a", .alarm = at(5ms)}, {.name = "b"}, {.name = "c", .on_done = step::stay}});
  s.start(at(0s), a, e);
  e.result = result_class::failure;
  EXPECT_EQ(s.done(at(1ms), e), step::stay);
  EXPECT_FALSE(s.in_flight());
  EXPECT_EQ(s.wake(at(5ms), e), step::complete);
  EXPECT_EQ(told, (log{"a.start", "b.start", "c.start", "c.done:1", "a.wake", "c.abandon", "b.done:6",
                       "a.done:6"}));
}

TEST_F(layer_stack_rules, p6_abandon_reaches_each_started_layer_once) {
  auto s = stack({{.name = "a"}, {.name = "b", .on_start = step::stay}, {.name = "c"}});
  EXPECT_EQ(s.start(at(0s), a, e), step::stay);
  s.abandon(at(1ms));
  s.abandon(at(2ms));
  EXPECT_EQ(told, (log{"a.start", "b.start", "b.abandon", "a.abandon"}));
  EXPECT_EQ(s.wake(at(3ms), e), step::stay) << "a timer that was under way already does no harm";
}

TEST_F(layer_stack_rules, p7_a_second_descent_begins_with_the_deadline_of_the_first) {
  auto s = stack({{.name = "a", .cut = 100ms, .again = 1}, {.name = "b", .cut = 100ms}});
  s.start(at(0s), a, e);
  EXPECT_EQ(a.deadline, at(800ms));
  EXPECT_EQ(s.done(at(1ms), e), step::descend);
  EXPECT_EQ(s.below().deadline, at(800ms));
  EXPECT_EQ(s.below().number, 2U);
}

TEST_F(layer_stack_rules, p8_a_deadline_that_grows_on_the_way_in_is_our_mistake) {
  auto s = stack({{.name = "a", .cut = -1ms}});
  EXPECT_DEATH(s.start(at(0s), a, e), "P8");
}

TEST_F(layer_stack_rules, p9_a_parted_probe_is_not_retried_and_tells_nobody_outside) {
  auto s = stack({{.name = "a"}, {.name = "b", .again = 9, .probes = true}, {.name = "c"}});
  s.start(at(0s), a, e);
  ASSERT_TRUE(s.probe_can_outlive(at(1ms)));
  auto orphan = s.part_probe();
  EXPECT_FALSE(s.probe_can_outlive(at(1ms))) << "parted once";
  EXPECT_EQ(s.done(at(1ms), e = ended::called_off()), step::complete);
  EXPECT_EQ(told.back(), "a.done:6");
  told.clear();
  EXPECT_EQ(orphan.done(at(2ms), e = ended{}), step::complete);
  EXPECT_EQ(told, (log{"c.done:0", "b.done:0", "b.abandon"}));
}

TEST_F(layer_stack_rules, p9_a_parted_probe_is_called_off_at_its_leases_end) {
  auto s = stack({{.name = "a", .probes = true}, {.name = "b", .alarm = at(1ms)}});
  s.start(at(0s), a, e);
  auto orphan = s.part_probe();
  s.abandon(at(1ms));
  EXPECT_EQ(told, (log{"a.start", "b.start"})) << "what has been parted is not abandoned with its call";
  EXPECT_EQ(orphan.wake_at(), at(9ms)) << "an orphan has no timer but its lease";
  EXPECT_EQ(orphan.wake(at(8ms), e), step::stay);
  EXPECT_EQ(orphan.wake(at(9ms), e), step::abort_below);
  EXPECT_EQ(orphan.wake_at(), instant::max());
  EXPECT_EQ(orphan.done(at(9ms), e = ended::called_off()), step::complete);
  EXPECT_EQ(e.why, errc::timed_out);
}

TEST_F(layer_stack_rules, p10_a_rung_runs_right_below_its_layer) {
  auto s = stack({{.name = "a"}, {.name = "b", .cut = 100ms, .rungs = 1}, {.name = "c", .cut = 100ms}});
  s.start(at(0s), a, e);
  EXPECT_EQ(s.below().deadline, at(800ms));
  EXPECT_EQ(s.done(at(1ms), e = ended{.result = result_class::failure}), step::descend);
  EXPECT_EQ(s.below().rung, 1);
  EXPECT_EQ(s.below().rung_of, 1);
  EXPECT_EQ(s.below().deadline, at(900ms)) << "what its layer handed inward";
  EXPECT_EQ(s.done(at(2ms), e = ended{}), step::complete);
  EXPECT_EQ(told, (log{"a.start", "b.start", "c.start", "c.done:1", "b.done:1", "b.done:0", "a.done:0"}));
  EXPECT_EQ(e.rung, 1);
  EXPECT_EQ(e.attempts, 1U) << "a rung does not reach the thing that was called";
}

TEST_F(layer_stack_rules, p10_an_outer_layer_calls_a_rung_off_and_nothing_inside_hears_of_it) {
  auto s =
      stack({{.name = "a", .alarm = at(5ms)}, {.name = "b", .rungs = 2}, {.name = "c", .alarm = at(3ms)}});
  s.start(at(0s), a, e);
  s.done(at(1ms), e = ended{});
  EXPECT_EQ(s.wake_at(), at(5ms)) << "c has ended";
  EXPECT_EQ(s.wake(at(5ms), e), step::abort_below);
  EXPECT_EQ(s.done(at(5ms), e = ended::called_off()), step::complete);
  EXPECT_EQ(told, (log{"a.start", "b.start", "c.start", "c.done:0", "b.done:0", "a.wake", "b.done:6",
                       "b.abandon", "a.done:6"}));
}

TEST_F(layer_stack_rules, p10_what_descends_after_a_rung_runs_the_operation_again) {
  auto s = stack({{.name = "a", .again = 1, .rungs = 1}});
  s.start(at(0s), a, e);
  s.done(at(1ms), e = ended{});
  EXPECT_EQ(s.done(at(1ms), e = ended{}), step::descend);
  EXPECT_EQ(s.below().rung, 0);
  EXPECT_EQ(s.below().number, 2U);
  s.abandon(at(2ms));
}

TEST_F(layer_stack_rules, the_answer_says_how_long_the_layers_waited) {
  auto s = stack(
      {{.name = "a"}, {.name = "b", .on_start = step::stay, .on_wake = step::descend, .alarm = at(7ms)}});
  s.start(at(0s), a, e);
  s.wake(at(7ms), e);
  EXPECT_EQ(s.done(at(20ms), e = ended{}), step::complete);
  EXPECT_EQ(e.waited, 7ms);
}

TEST_F(layer_stack_rules, a_waiting_layer_goes_on_when_its_own_timer_is_due) {
  auto s = stack(
      {{.name = "a"}, {.name = "b", .on_start = step::stay, .on_wake = step::descend, .alarm = at(1ms)}});
  EXPECT_EQ(s.start(at(0s), a, e), step::stay);
  EXPECT_EQ(s.wake(at(500us), e), step::stay);
  EXPECT_EQ(s.wake(at(1ms), e), step::descend);
  EXPECT_TRUE(s.in_flight());
}

TEST(timeout, bounds_the_whole_call_when_listed_first_and_each_attempt_when_listed_last) {
  pipeline p{timeout{800ms, "call"}, timeout{250ms, "attempt"}};
  auto c = p.make_call();
  attempt a;
  ended e;
  EXPECT_EQ(c.start(at(0s), a, e), step::descend);
  EXPECT_EQ(a.deadline, at(250ms));
  EXPECT_EQ(c.wake_at(), at(250ms));
  EXPECT_EQ(c.wake(at(250ms), e), step::abort_below);
  EXPECT_EQ(c.done(at(251ms), e = ended::called_off()), step::complete);
  EXPECT_EQ(e.result, result_class::failure);
  EXPECT_EQ(e.why, errc::timed_out);
  EXPECT_EQ(e.who, "attempt");
}

TEST(timeout, a_result_that_comes_after_the_deadline_is_a_timeout) {
  pipeline p{timeout{800ms}};
  auto c = p.make_call();
  attempt a;
  ended e;
  c.start(at(0s), a, e);
  EXPECT_EQ(c.done(at(801ms), e), step::complete);
  EXPECT_EQ(e.why, errc::timed_out);
}

TEST(timeout, gives_way_to_a_probes_lease_but_not_past_the_whole_call) {
  timeout_layer inner = timeout{250ms}.make_layer();
  attempt a{.deadline = at(600ms), .lease = at(2s), .probe = true};
  ended e;
  EXPECT_EQ(inner.start(at(0s), a, e), step::descend);
  EXPECT_EQ(inner.wake_at(), at(600ms));
}

TEST(timeout, refuses_a_call_whose_deadline_has_passed) {
  timeout_layer t = timeout{1s}.make_layer();
  attempt a{.deadline = at(1s)};
  ended e;
  EXPECT_EQ(t.start(at(1s), a, e), step::complete);
  EXPECT_EQ(e.result, result_class::refused);
  EXPECT_EQ(e.why, errc::timed_out);
}

TEST(timeout, of_nothing_is_refused) { EXPECT_THROW(timeout{0ms}, std::invalid_argument); }

}  // namespace
}  // namespace halfopen
