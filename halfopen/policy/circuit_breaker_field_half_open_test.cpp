// Failures that users of other systems reported, each impossible here. The numbers are public issues.
// Half-open and its probes; all else is in circuit_breaker_field_test.cpp.
#include <thread>

#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

// --- wedged half-open, lost probes

// resilience4j#544: the last half-open call was ignored, its permit gone. Polly#1979, opossum#388,
// Hystrix#1621 (cancelled), gobreaker#105: the same by other ways.
TEST(field_neutral_probes, leave_the_slot_free_and_a_later_probe_decides) {
  for (outcome const how : {outcome::ignored, outcome::abandoned}) {
    opened s;
    s.calls(9, how);
    EXPECT_EQ(s.state(), breaker_state::half_open);
    s.call(outcome::success);
    EXPECT_EQ(s.state(), breaker_state::closed);
  }
}

// resilience4j#935, #903, #1007, Hystrix#1781, gh-aw-mcpg#10686, nora#585, OmniRoute#13836: a probe that
// never reports.
TEST(field_lost_probe, is_reclaimed_by_its_lease_and_its_late_result_does_nothing) {
  opened s;
  auto lost = s.admitted();
  s.after(5s + 1ns);
  EXPECT_EQ(s.refused(), errc::open);
  s.wait_out();
  auto next = s.admitted();
  std::move(lost).failure(s.now());
  EXPECT_EQ(s.state(), breaker_state::half_open);
  std::move(next).success(s.now());
  EXPECT_EQ(s.state(), breaker_state::closed);
}

// resilience4j#903: whatever is lost, it goes on. Every probe but one in a hundred is lost for ever.
TEST(field_lost_probe, any_number_of_them_never_wedges) {
  opened s;
  std::vector<permit> lost;
  for (int probes = 0; probes < 100; s.after(1s)) {
    ASSERT_LT(s.now(), instant{24h}) << "wedged";
    auto p = s.ask();
    if (!p) continue;
    if (++probes == 100)
      std::move(*p).success(s.now());
    else
      lost.push_back(*std::move(p));
  }
  EXPECT_EQ(s.state(), breaker_state::closed);
}

// resilience4j#858: looking took half-open permits.
TEST(field_looking, takes_no_permit) {
  opened s;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(s.breaker.would_admit(s.now()));
    (void)s.look();
    (void)s.breaker.status(s.now());
  }
  EXPECT_TRUE(s.admitted().is_probe());
  EXPECT_EQ(s.totals().admitted, 3U);
}

// resilience4j#2028, #2289: one call each half hour never filled the half-open quota.
TEST(field_little_traffic, decides_with_one_call_each_half_hour) {
  opened s{with(plain_breaker(), [](auto& c) { c.required_successes = 3; })};
  for (int i = 0; i < 3; ++i) {
    s.after(30min);
    s.call(outcome::success);
  }
  EXPECT_EQ(s.state(), breaker_state::closed);
  for (auto const exit : {neutral_exit::open, neutral_exit::closed}) {
    opened t{with(plain_breaker(), [&](auto& c) { c.neutral_max = 2, c.after_neutral = exit; })};
    for (int i = 0; i < 2; ++i) {
      t.after(30min);
      t.call(outcome::ignored);
    }
    t.after(30min);
    EXPECT_EQ(t.ask().has_value(), exit == neutral_exit::closed);
    EXPECT_EQ(t.state(), exit == neutral_exit::open ? breaker_state::open : breaker_state::closed);
  }
}

// Whoever chooses among breakers asks first and calls only the one that says yes. A half-open that neutral
// results have used up says no, and must end all the same.
TEST(field_half_open, ends_for_those_who_only_consult) {
  opened s{with(plain_breaker(), [](auto& c) { c.neutral_max = 2; })};
  for (int i = 0; i < 2; ++i) {
    s.after(30min);
    EXPECT_TRUE(s.breaker.consult(s.now()));
    EXPECT_NE(s.state(), breaker_state::closed);
    s.call(outcome::ignored);
  }
  EXPECT_FALSE(s.breaker.consult(s.now()));
  EXPECT_EQ(s.state(), breaker_state::open);
  EXPECT_EQ(s.events.back().cause, breaker_cause::only_neutral);  // told at once
  EXPECT_EQ(s.totals().refused_open, 0U);
  s.after(30min);
  EXPECT_TRUE(s.breaker.consult(s.now()));
  s.call(outcome::success);
  EXPECT_EQ(s.state(), breaker_state::closed);
  s.expect_one_event_an_epoch();
}

// resilience4j#1568: open <-> half-open without a call ever permitted. Here no half-open begins without its
// probe.
TEST(field_half_open, begins_only_with_a_probe_in_hand) {
  opened s;
  for (int i = 0; i < 20; ++i) {
    auto p = s.admitted();
    EXPECT_TRUE(p.is_probe());
    std::move(p).failure(s.now());
    s.wait_out();
  }
  EXPECT_EQ(s.events.size(), 1U + 2 * 20);
}

// Sentinel#1638, #2136, sentinel-golang#196: a later rule blocks the call after the breaker has admitted it.
// matrixone#26473: the local queue was full. Finagle#524: failed before it began, which counts for the probe.
TEST(field_refused_further_in, gives_the_probe_back_and_failing_before_the_start_counts) {
  opened s;
  for (int i = 0; i < 5; ++i) {
    auto p = s.admitted();
    auto const inner = with(plain_breaker(), [](auto&) {});
    circuit_breaker second{inner, {.now = instant{}}};
    second.force_open(s.now());
    EXPECT_FALSE(second.try_acquire(s.now()));
  }  // p is dropped
  EXPECT_EQ(s.look().probes_out, 0U);
  s.admitted().failure(s.now());
  EXPECT_EQ(s.state(), breaker_state::open);
}

// opossum#276: the volume threshold applied in half-open, when the window had emptied. opossum#119, #120: a
// failed probe below the error rate did not open again.
TEST(field_half_open, decides_without_the_closed_states_rates) {
  breaker_config c = plain_breaker();
  c.window = call_window{.size = 100};
  c.failure_rate = percent{100};
  c.minimum_calls = 50;
  c.required_successes = 2;
  breaker_subject s{c};
  s.calls(50, outcome::failure);
  s.wait_out();
  s.call(outcome::success);
  s.call(outcome::failure);  // one of two, and only two
  EXPECT_EQ(s.state(), breaker_state::open);
  s.wait_out();
  s.calls(2, outcome::success);
  EXPECT_EQ(s.state(), breaker_state::closed);
}

// opossum#7, #57, #59, envoy#18950, #40697: the second and later cycles behaved otherwise than the first.
TEST(field_cycles, are_all_alike) {
  breaker_subject s{with(plain_breaker(), [](auto& c) { c.reset_after = 0s; })};
  for (int cycle = 0; cycle < 10; ++cycle) {
    s.call(outcome::failure);
    EXPECT_EQ(s.state(), breaker_state::closed) << cycle;
    s.call(outcome::failure);
    EXPECT_EQ(s.state(), breaker_state::open) << cycle;
    EXPECT_EQ(s.look().retry_after, 10s);
    s.wait_out();
    s.call(outcome::success);
    EXPECT_EQ(s.state(), breaker_state::closed) << cycle;
  }
}

// gobreaker#49, #30: "too many requests", and nobody knew why. gh-aw-mcpg#10686: a negative retry-after.
TEST(field_rejection, says_why_since_when_and_when_to_come_back) {
  opened s;
  auto probe = s.admitted();
  s.after(3s);
  auto const no = s.ask();
  EXPECT_EQ(no.error().why, errc::probe_in_flight);
  EXPECT_EQ(no.error().probe_age, 3s);
  EXPECT_EQ(no.error().retry_after, 2s);
  EXPECT_EQ(no.error().who, "subject");
  error const e = no.error();
  EXPECT_TRUE(is_refusal(e.why));
  for (int i = 0; i < 1000; ++i) {
    if (auto const p = s.ask(); !p) {
      EXPECT_GE(p.error().retry_after, 0s);
    }
    s.after(17ms);
  }
}

// semantic-router#3740: half_open_max_requests = 0 was accepted.
TEST(field_settings, that_could_never_leave_half_open_are_refused) {
  for (auto const& bad : {with(plain_breaker(), [](auto& c) { c.probes = 0; }),
                          with(plain_breaker(), [](auto& c) { c.required_successes = 0; }),
                          with(plain_breaker(), [](auto& c) { c.neutral_max = 0; }),
                          with(plain_breaker(), [](auto& c) { c.probe_timeout = 0s; })}) {
    EXPECT_FALSE(circuit_breaker::make(bad));
  }
}

// --- too many probes

// resilience4j#1432, Polly#216, smallrye#319, zealphp#255, jac#7909, virtrigaud#70 (N + 1), opossum#119.
TEST(field_probes, are_exactly_as_many_as_configured_also_under_threads) {
  for (std::uint32_t const n : {1U, 3U}) {
    opened s{with(plain_breaker(), [&](auto& c) { c.probes = c.required_successes = n; })};
    std::atomic<int> granted{0};
    std::vector<permit> kept[4];
    std::vector<std::thread> threads;
    for (auto& mine : kept) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          auto p = s.breaker.try_acquire(s.now());
          if (!p) continue;
          granted.fetch_add(1);
          mine.push_back(*std::move(p));
        }
      });
    }
    for (auto& t : threads) t.join();
    EXPECT_EQ(granted.load(), static_cast<int>(n));
  }
}

// failsafe#391: permits given back let more than the configured number run in all.
TEST(field_probes, are_bounded_over_the_whole_half_open) {
  opened s{with(plain_breaker(), [](auto& c) { c.required_successes = 3, c.neutral_max = 4; })};
  int probes = 0;
  for (int i = 0; i < 100 && s.state() != breaker_state::closed; ++i) {
    auto p = s.ask();
    if (!p) break;
    ++probes;
    std::move(*p).settle(probes % 2 == 0 && probes < 6 ? outcome::success : outcome::ignored, s.now());
  }
  EXPECT_LE(probes, 3 + 4);
}

// rubyist#63, stoplight#375: a single success closes, and it flaps.
TEST(field_quorum, of_successes_can_be_set) {
  opened s{with(plain_breaker(), [](auto& c) { c.required_successes = 5; })};
  s.calls(4, outcome::success);
  EXPECT_EQ(s.state(), breaker_state::half_open);
  s.call(outcome::success);
  EXPECT_EQ(s.state(), breaker_state::closed);
}

}  // namespace
}  // namespace halfopen
