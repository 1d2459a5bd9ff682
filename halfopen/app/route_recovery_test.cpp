#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// The life of a breaker after its trip, seen from outside: probe, recovery, and everything that may come in
// between. (route_trip_test.cpp has how it begins.)
namespace halfopen::route {
namespace {

constexpr auto long_open = "{initial: 1h, multiplier: 1, maximum: 1h, jitter: none}";

std::string reason_of(reply const& r) {
  auto const problem = json::parse(r.body, nullptr, false);
  return problem.is_object() ? problem.value("reason", "") : "no problem document";
}

// ---- probe and recovery

class route_recovery_per : public ::testing::TestWithParam<char const*> {};

TEST_P(route_recovery_per, breaker_of_each_kind_comes_by_itself_three_times_in_a_row) {
  upstream u;
  gateway g{setup{.hosts = {u.url()},
                  .open_for = "{initial: 20ms, multiplier: 1, maximum: 20ms, jitter: none}",
                  .per = GetParam(),
                  .tool = ", last_host: reject"}};
  for (int cycle = 0; cycle < 3; ++cycle) {
    g.trip(u);
    u.now(answers(200));
    ASSERT_TRUE(g.calls_until(200)) << cycle;
    for (int i = 0; i < 4; ++i) ASSERT_EQ(g.get().status, 200) << cycle;
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, route_recovery_per, ::testing::Values("tool", "host", "both"));

TEST(route_recovery, failed_probe_opens_again_for_longer) {
  upstream u{answers(500)};
  gateway g{setup{.hosts = {u.url()}}};
  using clock = std::chrono::steady_clock;
  std::vector<clock::time_point> before, after;  // around each call that reached the tool
  while (before.size() < 4 + 3) {
    auto const start = clock::now();
    if (g.get().status != 500) continue;
    before.push_back(start);
    after.push_back(clock::now());
    ASSERT_LT(before.size(), 10U);
  }
  // The opening falls between `before` and `after` of the call that caused it, so this much lies between
  // them.
  EXPECT_GE(after[4] - before[3], 58ms);
  EXPECT_GE(after[5] - before[4], 118ms);
  EXPECT_GE(after[6] - before[5], 238ms);
}

TEST(route_recovery, needs_as_many_good_probes_as_configured) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .breaker = ", required_successes: 3"}};
  g.trip(u);
  int const before = u.requests();
  u.now(answers(200));
  ASSERT_TRUE(g.calls_until(200));
  EXPECT_EQ(g.state(), "half_open");
  EXPECT_EQ(g.get().status, 200);
  EXPECT_EQ(g.get().status, 200);
  EXPECT_EQ(g.state(), "closed");
  EXPECT_EQ(u.requests() - before, 3);
}

TEST(route_recovery, concurrent_callers_at_the_probe_get_one_through) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .loops = "2"}};
  g.trip(u);
  auto const door = std::make_shared<gate>();
  u.now(answers_after(door, 200));
  int const before = u.requests();
  std::vector<std::unique_ptr<client>> callers;
  ASSERT_TRUE(becomes_true([&] {  // until one of them is the probe
    callers.push_back(std::make_unique<client>(g.port()));
    callers.back()->start("GET", "/");
    return door->waiting() == 1;
  }));
  std::vector<std::thread> crowd;
  std::atomic<int> refused{0};
  for (int i = 0; i < 8; ++i) {
    crowd.emplace_back([&] {
      auto const r = g.get();
      if (r.status == 503 && reason_of(r) == "probe_in_flight" && r.has("retry-after")) ++refused;
    });
  }
  for (auto& c : crowd) c.join();
  EXPECT_EQ(refused, 8);
  EXPECT_EQ(u.requests() - before, 1);
  door->open();
  EXPECT_TRUE(g.reaches("closed"));
}

TEST(route_recovery, callers_who_come_at_the_very_deadline_get_one_through) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .loops = "2"}};
  for (int round = 0; round < 3; ++round) {
    g.trip(u);
    auto const door = std::make_shared<gate>();
    u.now(answers_after(door, 200));
    int const before = u.requests();
    std::vector<std::thread> crowd;
    std::atomic<bool> done{false};
    for (int i = 0; i < 6; ++i) {
      crowd.emplace_back([&] {
        client c{g.port()};
        while (!done) {
          c.start("GET", "/");
          if (c.finish().status == 200) return;
        }
      });
    }
    EXPECT_TRUE(becomes_true([&] { return door->waiting() == 1; }));
    done = true;
    EXPECT_EQ(u.requests() - before, 1);
    door->open();
    for (auto& c : crowd) c.join();
    ASSERT_TRUE(g.reaches("closed"));
  }
}

TEST(route_recovery, probe_that_never_answers_is_lost_with_its_lease_and_the_next_one_comes) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .breaker = ", probe_timeout: 50ms, max_probe_timeout: 10s"}};
  g.trip(u);
  u.now(never_answers());
  ASSERT_TRUE(g.calls_until(504));
  u.now(answers(200));
  EXPECT_TRUE(g.calls_until(200));
  EXPECT_EQ(g.state(), "closed");
}

TEST(route_recovery, probe_whose_client_goes_away_gives_its_slot_back) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .breaker = ", probe_timeout: 1h, max_probe_timeout: 1h"}};
  g.trip(u);
  auto const door = std::make_shared<gate>();
  u.now(answers_after(door, 200));
  ASSERT_TRUE(becomes_true([&] {
    client c{g.port()};
    c.start("GET", "/");
    return becomes_true([&] { return door->waiting() == 1; }, 20ms);
  }));
  u.now(answers(200));
  EXPECT_TRUE(g.calls_until(200)) << "wedged: " << g.breaker().dump();
  door->open();
}

TEST(route_recovery, probe_answered_with_callers_mistake_gives_its_slot_back) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  g.trip(u);
  u.now(answers(404));
  ASSERT_TRUE(g.calls_until(404));
  EXPECT_EQ(g.state(), "half_open");
  u.now(answers(200));
  EXPECT_EQ(g.get().status, 200);
  EXPECT_EQ(g.state(), "closed");
}

// Ten callers' mistakes, and the half-open is used up: it opens again, and its time comes again.
TEST_P(route_recovery_per, breaker_of_each_kind_comes_after_probes_that_said_nothing) {
  upstream u;
  gateway g{setup{.hosts = {u.url()},
                  .open_for = "{initial: 20ms, multiplier: 1, maximum: 20ms, jitter: none}",
                  .per = GetParam(),
                  .breaker = ", neutral_max: 3",
                  .tool = ", last_host: reject"}};
  g.trip(u);
  u.now(answers(404));
  ASSERT_TRUE(g.calls_until(404));
  for (int i = 0; i < 2; ++i) ASSERT_EQ(g.get().status, 404) << i;
  EXPECT_EQ(g.get().status, 503);
  u.now(answers(200));
  EXPECT_TRUE(g.calls_until(200)) << "wedged: " << g.breaker().dump();
  EXPECT_EQ(g.get().status, 200);
}

TEST(route_recovery, of_a_host_that_ramps_is_by_its_share) {
  upstream u;
  gateway g{setup{.hosts = {u.url()},
                  .per = "host",
                  .breaker = ", ramp: 1h, ramp_from: 50%",
                  .tool = ", last_host: reject"}};
  g.trip(u);
  u.now(answers(200));
  ASSERT_TRUE(g.calls_until(200));  // the probe
  int good = 0;
  for (int i = 0; i < 10; ++i) good += g.get().status == 200 ? 1 : 0;
  EXPECT_EQ(good, 5);
}

TEST(route_recovery, comes_when_the_tool_listens_again) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  u.refuse();
  EXPECT_TRUE(g.calls_until(503));
  u.listen_again();
  EXPECT_TRUE(g.calls_until(200));
}

TEST(route_recovery, dials_anew_for_the_probe) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  g.trip(u);
  int const before = u.connections();
  u.now(answers(200));
  ASSERT_TRUE(g.calls_until(200));
  EXPECT_EQ(u.connections(), before + 1);
}

TEST(route_recovery, of_a_probe_that_outlives_its_caller_still_decides) {
  upstream u;
  gateway g{setup{.hosts = {u.url()},
                  .breaker = ", probe_timeout: 10s, max_probe_timeout: 10s",
                  .call_timeout = "100ms"}};
  g.trip(u);
  auto const door = std::make_shared<gate>();
  u.now(answers_after(door, 200));
  ASSERT_TRUE(g.calls_until(504));  // the caller's limit came before the probe's
  door->open();
  EXPECT_TRUE(g.reaches("closed"));
}

// ---- late replies

class route_late : public ::testing::TestWithParam<int> {};

TEST_P(route_late, reply_of_an_older_epoch_changes_nothing_and_is_counted_as_late) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open, .breaker = ", lease_learns: false"}};
  auto const door = std::make_shared<gate>();
  u.now(answers_after(door, GetParam()));
  client slow{g.port()};
  slow.start("GET", "/");
  ASSERT_TRUE(becomes_true([&] { return door->waiting() == 1; }));
  g.trip(u);
  auto const before = g.breaker();
  auto const failures = g.count("failure");
  auto const successes = g.count("success");
  door->open();
  EXPECT_EQ(slow.finish().status, GetParam());
  EXPECT_TRUE(becomes_true([&] { return g.count("late") == 1; }));
  EXPECT_EQ(g.count("failure"), failures);
  EXPECT_EQ(g.count("success"), successes);
  auto const after = g.breaker();
  EXPECT_EQ(after["state"], "open");
  EXPECT_EQ(after["epoch"], before["epoch"]);
  EXPECT_EQ(g.get().status, 503);
}

INSTANTIATE_TEST_SUITE_P(statuses, route_late, ::testing::Values(200, 500));

}  // namespace
}  // namespace halfopen::route
