// New settings for a living breaker.
#include <stdexcept>

#include <halfopen/policy/basic_circuit_breaker.hpp>
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

TEST(circuit_breaker, new_settings_keep_state_deadline_and_permits) {
  tripped s;
  auto const before = s.look();
  auto c = plain_breaker();
  c.open_for.initial = 1s;
  c.probe_timeout = 2s;
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  EXPECT_EQ(s.look().state, before.state);
  EXPECT_EQ(s.look().epoch, before.epoch);
  EXPECT_EQ(s.look().until, before.until);
  auto probe = s.probe();
  c.probes = 3;
  c.required_successes = 3;
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  auto second = s.admitted();
  auto third = s.admitted();
  EXPECT_EQ(s.refused(), errc::probe_in_flight);
  for (auto* p : {&probe, &second, &third}) std::move(*p).success(s.now());
  EXPECT_EQ(s.state(), breaker_state::closed);
  EXPECT_EQ(s.totals().in_flight(), 0U);
}

TEST(circuit_breaker, fewer_probes_and_successes_by_reload_do_not_strand_half_open) {
  tripped s{with(plain_breaker(), [](auto& c) { c.probes = 3, c.required_successes = 3; })};
  s.wait_out();
  s.calls(2, outcome::success);
  ASSERT_TRUE(s.breaker.reconfigure(plain_breaker(), s.now()));
  s.call(outcome::success);
  EXPECT_EQ(s.state(), breaker_state::closed);
}

TEST(circuit_breaker, a_reload_holds_the_next_lease_within_its_new_bounds) {
  tripped s;
  auto lost = s.probe();
  s.after(6s);
  EXPECT_EQ(s.refused(), errc::open);
  EXPECT_EQ(s.look().next_lease, 10s);
  auto const lease = [&](duration base, duration most) {
    auto const c =
        with(plain_breaker(), [&](auto& c) { c.probe_timeout = base, c.max_probe_timeout = most; });
    EXPECT_TRUE(s.breaker.reconfigure(c, s.now()));
    return s.look().next_lease;
  };
  EXPECT_EQ(lease(5s, 7s), 7s);
  EXPECT_EQ(lease(8s, 60s), 8s);
  s.probe().success(s.now());
  EXPECT_EQ(lease(3s, 60s), 3s);  // closed: the base
}

TEST(circuit_breaker, another_window_in_metrics_only_begins_the_condition_anew) {
  breaker_subject s{plain_breaker()};
  s.breaker.metrics_only(s.now());
  s.calls(2, outcome::failure);
  auto c = plain_breaker();
  c.window = consecutive{1};
  ASSERT_TRUE(s.breaker.reconfigure(c, s.now()));
  EXPECT_EQ(s.events.back().kind, breaker_event_kind::window_emptied);
  s.call(outcome::failure);
  EXPECT_EQ(s.events.back().kind, breaker_event_kind::would_trip);
}

TEST(circuit_breaker, bad_settings_change_nothing) {
  breaker_subject s{plain_breaker()};
  auto bad = plain_breaker();
  bad.probes = 0;
  EXPECT_FALSE(s.breaker.reconfigure(bad, s.now()));
  EXPECT_EQ(s.breaker.config(), plain_breaker());
}

TEST(basic_circuit_breaker, keeps_the_window_of_its_type_and_has_room_for_so_many_probes) {
  basic_circuit_breaker<call_window<20>, 2> b{{.window = consecutive{1}, .minimum_calls = 4},
                                              {.now = instant{}}};
  EXPECT_EQ(b.config().window, (window_config{call_window{.size = 20}}));
  EXPECT_EQ(b.config().probes, 2U);
  for (int i = 0; i < 3; ++i) std::move(*b.try_acquire(instant{})).failure(instant{});
  auto c = b.config();
  c.window = time_window{};
  c.probes = c.required_successes = 1;
  ASSERT_TRUE(b.reconfigure(c, instant{}));
  EXPECT_EQ(b.config().window, (window_config{call_window{.size = 20}}));
  EXPECT_EQ(b.snapshot(instant{}).window.failures, 3U);
  c.probes = 3;
  auto const no = b.reconfigure(c, instant{});
  ASSERT_FALSE(no);
  EXPECT_EQ(no.error().back(), (config_problem{"probes", "is more than the breaker's type has room for"}));
  std::move(*b.try_acquire(instant{})).failure(instant{});
  EXPECT_EQ(b.state(), breaker_state::open);
  EXPECT_THROW((basic_circuit_breaker<call_window<20>>{{.minimum_calls = 21}}), std::invalid_argument);
}

}  // namespace
}  // namespace halfopen
