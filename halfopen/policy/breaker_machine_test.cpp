// The machine alone: what no shell is needed for, and what none could show.
#include <gtest/gtest.h>

#include <halfopen/policy/breaker_permit.hpp>
#include <halfopen/policy/breaker_value.hpp>

namespace halfopen {
namespace {

breaker_config const settings = stories::settings;
constexpr instant start{};

breaker_value<> tripped() {
  breaker_value<> v{settings, start};
  for (int i = 0; i < 2; ++i) {
    auto const a = v.machine(settings).admit(start);
    v.machine(settings).settle(a.grant, {.how = outcome::failure}, start);
  }
  return v;
}

TEST(breaker_machine, a_value_is_the_whole_state) {
  auto a = tripped();
  auto b = tripped();
  EXPECT_EQ(a, b);
  EXPECT_EQ(hash(a), hash(b));
  auto const answer = a.machine(settings).admit(instant{duration{10}});
  EXPECT_NE(a, b);
  EXPECT_NE(hash(a), hash(b));
  EXPECT_EQ(answer, b.machine(settings).admit(instant{duration{10}}));
  EXPECT_EQ(a, b);
}

TEST(breaker_machine,
     an_epoch_wraps_and_only_a_permit_that_lived_through_all_of_them_is_taken_for_a_young_one) {
  constexpr std::uint32_t mask = 3;  // four epochs instead of 2^32
  breaker_value<> v{settings, start};
  auto const old = v.machine(settings, mask).admit(start).grant;
  for (std::uint32_t changes = 1; changes <= 4; ++changes) {
    v.machine(settings, mask).reset(start);
    auto copy = v;
    bool const late = copy.machine(settings, mask).settle(old, {.how = outcome::failure}, start);
    EXPECT_EQ(late, changes < 4) << "S2 is claimed for fewer changes than there are epochs";
  }
}

TEST(breaker_machine, a_permit_of_a_wrapped_epoch_is_harmless_where_nobody_can_hold_one) {
  for (auto const state : {breaker_state::open, breaker_state::half_open, breaker_state::forced_open}) {
    auto v = tripped();
    if (state == breaker_state::half_open) (void)v.machine(settings).admit(instant{duration{10}});
    if (state == breaker_state::forced_open) v.machine(settings).force_open(start);
    breaker_grant const ordinary{.epoch = v.control.epoch};
    EXPECT_TRUE(v.machine(settings).settle(ordinary, {.how = outcome::success}, start));
    EXPECT_EQ(v.control.state, state);
  }
}

TEST(breaker_machine, openings_in_a_row_saturate) {
  auto v = tripped();
  instant now = start;
  for (int i = 0; i < 70'000; ++i) {
    now = v.control.deadline;
    auto const a = v.machine(settings).admit(now);
    v.machine(settings).settle(a.grant, {.how = outcome::failure}, now);
  }
  EXPECT_EQ(v.control.openings, 65535U);
  EXPECT_EQ(v.control.deadline - now, duration{40});
}

TEST(breaker_machine, no_time_leaves_forced_open) {  // S7
  auto v = tripped();
  v.machine(settings).force_open(start);
  breaker_value<> const before = v;
  auto const answer = v.machine(settings).admit(instant{std::chrono::hours{1}});
  EXPECT_FALSE(answer.admitted);
  EXPECT_EQ(answer.why, errc::forced_open);
  EXPECT_EQ(answer.retry_after, settings.forced_retry_after);
  EXPECT_EQ(v.control.state, before.control.state);
  EXPECT_EQ(v.control.epoch, before.control.epoch);
}

TEST(breaker_machine, a_lease_has_not_run_out_at_its_very_end) {
  auto v = tripped();
  instant const end = v.machine(settings).admit(instant{duration{10}}).deadline;
  EXPECT_EQ(v.machine(settings).admit(end).why, errc::probe_in_flight);
  EXPECT_EQ(v.control.state, breaker_state::half_open);
  EXPECT_EQ(v.machine(settings).admit(end + duration{1}).why, errc::open);
}

TEST(breaker_machine, no_more_leases_live_than_probes_and_each_in_a_slot_of_its_own) {  // S1
  auto c = settings;
  c.probes = c.required_successes = 3;
  breaker_value<1, 3> v{c, start};
  for (int i = 0; i < 2; ++i) {
    auto const a = v.machine(c).admit(start);
    v.machine(c).settle(a.grant, {.how = outcome::failure}, start);
  }
  instant const now{duration{10}};
  breaker_answer a[3];
  for (auto& answer : a) answer = v.machine(c).admit(now);
  EXPECT_FALSE(v.machine(c).admit(now).admitted);
  EXPECT_EQ(v.machine(c).probes_out(), 3U);
  v.machine(c).settle(a[1].grant, {.how = outcome::abandoned}, now);
  EXPECT_EQ(v.machine(c).probes_out(), 2U);
  EXPECT_EQ(v.machine(c).admit(now).grant.slot, a[1].grant.slot);
}

template <class Value>
bool is_silent(Value& v) {
  return breaker_ticket{v.control.epoch, breaker_grant::ordinary}.is_silent_in(v.machine(settings).word());
}

TEST(breaker_word, spells_every_state_and_only_admits_where_the_state_does) {
  auto v = tripped();
  EXPECT_EQ(v.machine(settings).word().state(), breaker_state::open);
  EXPECT_FALSE(v.machine(settings).word().admits_all());
  v.machine(settings).reset(start);
  EXPECT_EQ(v.machine(settings).word().code(), word_code::closed_quiet);
  EXPECT_TRUE(is_silent(v));
  auto const a = v.machine(settings).admit(start);
  v.machine(settings).settle(a.grant, {.how = outcome::failure}, start);
  EXPECT_EQ(v.machine(settings).word().code(), word_code::closed);
  EXPECT_FALSE(is_silent(v));
  EXPECT_TRUE(v.machine(settings).word().admits_all());
  v.machine(settings).disable(start);
  EXPECT_TRUE(is_silent(v));
  v.machine(settings).metrics_only(start);
  EXPECT_FALSE(is_silent(v));
  EXPECT_TRUE(v.machine(settings).word().admits_all());
  v.machine(settings).force_open(start);
  EXPECT_FALSE(v.machine(settings).word().admits_all());
}

TEST(breaker_word, knows_its_own_deadline_from_another) {
  instant const deadline{std::chrono::hours{1}};
  breaker_word const w{word_code::open, 7, deadline};
  EXPECT_TRUE(w.has(deadline));
  EXPECT_FALSE(w.has(deadline + std::chrono::milliseconds{2}));
  EXPECT_EQ(w.epoch(), 7U);
}

// One comparison decides, so every word is tried with every ticket.
TEST(breaker_ticket,
     is_silent_only_for_an_unspent_ordinary_call_of_the_epoch_where_a_success_changes_nothing) {
  for (std::uint64_t low = 0; low < 1U << 12; ++low) {
    breaker_word const w{std::uint64_t{7} << 32 | low};
    bool const quiet = low == 0 || low == static_cast<std::uint64_t>(word_code::disabled);
    EXPECT_EQ((breaker_ticket{7, breaker_grant::ordinary}.is_silent_in(w)), quiet) << low;
    EXPECT_FALSE((breaker_ticket{6, breaker_grant::ordinary}.is_silent_in(w))) << low;
    for (std::uint8_t slot = 0; slot < probes_limit; ++slot) {
      breaker_ticket const probe{7, slot};
      EXPECT_TRUE(probe.is_probe());
      EXPECT_EQ(probe.slot(), slot);
      EXPECT_FALSE(probe.is_silent_in(w)) << low;
    }
    breaker_ticket spent{7, breaker_grant::ordinary};
    spent.spend();
    EXPECT_FALSE(spent.is_silent_in(w)) << low;
    EXPECT_TRUE(spent.is_spent());
    EXPECT_EQ(spent.epoch(), 7U);
  }
}

TEST(breaker_word, a_ramp_that_ends_at_a_round_instant_is_still_a_ramp) {
  breaker_word const w{word_code::closed, 1,
                       instant{duration{std::int64_t{1} << 49}}};  // all tag bits are zero
  EXPECT_FALSE(w.admits_all());
  EXPECT_FALSE(w.closed(true).admits_all());
}

}  // namespace
}  // namespace halfopen
