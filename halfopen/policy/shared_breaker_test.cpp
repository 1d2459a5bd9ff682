// One breaker, several processes, some of which die.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <halfopen/base/random.hpp>
#include <halfopen/policy/shared_breaker.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

breaker_config const in_a_row{.window = consecutive{2},
                              .open_for = {.initial = 10s, .maximum = 40s, .jitter = jitter::none},
                              .probe_timeout = 5s};
breaker_config const ring{.window = call_window{.size = 40},
                          .minimum_calls = 10,
                          .open_for = {.initial = 10s, .maximum = 40s, .jitter = jitter::none},
                          .probes = 2,
                          .required_successes = 2,
                          .probe_timeout = 5s};

// A file of its own for each test, gone with it.
class shared_breaker_test : public ::testing::Test {
 protected:
  shared_breaker_test()
      : path_{std::filesystem::temp_directory_path() / ("halfopen-shared-" + std::to_string(::getpid()))} {
    std::filesystem::remove(path_);
  }
  ~shared_breaker_test() override { std::filesystem::remove(path_); }

  [[nodiscard]] shared_breaker join(breaker_config const& c,
                                    breaker_options const& o = {.now = instant{}}) const {
    auto b = shared_breaker::open(path_, c, o);
    if (!b) ADD_FAILURE() << b.error();
    return *std::move(b);
  }

  std::string path_;
};

template <class F>
pid_t fork_and(F child) {
  pid_t const pid = ::fork();
  if (pid != 0) return pid;
  child();
  ::_exit(0);
}

int wait_for(pid_t pid) {
  int how = 0;
  ::waitpid(pid, &how, 0);
  return how;
}

[[maybe_unused]] void kill_and_wait(pid_t pid) {
  ::kill(pid, SIGKILL);
  wait_for(pid);
}

// From whatever the dead have left, a breaker can be brought to trip, to probe and to close.
[[maybe_unused]] void expect_to_work(shared_breaker& b, breaker_config const& c, instant now) {
  b.reset(now);
  ASSERT_EQ(b.state(), breaker_state::closed);
  for (std::uint32_t i = 0; i < c.minimum_calls && b.state() == breaker_state::closed; ++i) {
    std::move(*b.try_acquire(now)).failure(now);
  }
  ASSERT_EQ(b.state(), breaker_state::open);
  ASSERT_FALSE(b.try_acquire(now));
  now += 10s;
  for (std::uint32_t i = 0; i < c.required_successes; ++i) {
    auto probe = b.try_acquire(now);
    ASSERT_TRUE(probe && probe->is_probe());
    std::move(*probe).success(now);
  }
  ASSERT_EQ(b.state(), breaker_state::closed);
}

TEST_F(shared_breaker_test, two_of_them_are_one) {
  auto a = join(in_a_row);
  auto b = join(in_a_row);
  std::move(*a.try_acquire(instant{})).failure(instant{});
  std::move(*b.try_acquire(instant{})).failure(instant{});
  EXPECT_EQ(a.state(), breaker_state::open);
  EXPECT_EQ(b.try_acquire(instant{}).error().retry_after, 10s);
  auto probe = b.try_acquire(instant{10s});
  EXPECT_EQ(a.try_acquire(instant{10s}).error().why, errc::probe_in_flight);
  std::move(*probe).success(instant{10s});
  EXPECT_EQ(a.state(), breaker_state::closed);
}

TEST_F(shared_breaker_test, what_one_process_has_learnt_another_knows) {
  auto b = join(in_a_row);
  wait_for(fork_and([&] {
    auto mine = join(in_a_row);
    for (int i = 0; i < 2; ++i) std::move(*mine.try_acquire(instant{})).failure(instant{});
  }));
  EXPECT_EQ(b.state(), breaker_state::open);
}

TEST_F(shared_breaker_test, a_process_that_dies_with_the_probe_loses_it_by_its_lease) {
  auto b = join(in_a_row);
  for (int i = 0; i < 2; ++i) std::move(*b.try_acquire(instant{})).failure(instant{});
  int const how = wait_for(fork_and([&] {
    auto mine = join(in_a_row);
    auto probe = mine.try_acquire(instant{10s});
    if (probe && probe->is_probe()) ::kill(::getpid(), SIGKILL);  // no destructor runs
  }));
  ASSERT_TRUE(WIFSIGNALED(how));
  EXPECT_EQ(b.try_acquire(instant{12s}).error().why, errc::probe_in_flight);
  EXPECT_EQ(b.try_acquire(instant{16s}).error().why, errc::open);
  auto next = b.try_acquire(instant{35s});
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->is_probe());
  std::move(*next).success(instant{36s});
  EXPECT_EQ(b.state(), breaker_state::closed);
}

TEST_F(shared_breaker_test, starts_closed_where_the_file_is_of_another_shape_boot_or_half_written) {
  auto old = join(in_a_row);
  old.force_open(instant{});
  auto other = join(ring);
  EXPECT_EQ(other.state(), breaker_state::closed);
  EXPECT_EQ(old.state(), breaker_state::forced_open);  // who uses the old file goes on with it
  other.force_open(instant{});
  for (std::streamoff const damaged : {0, 10}) {  // the layout's version, the boot's id
    std::fstream file{path_, std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(damaged);
    file.put('!');
    file.close();
    auto again = join(ring);
    EXPECT_EQ(again.state(), breaker_state::closed);
    again.force_open(instant{});
  }
  std::filesystem::resize_file(path_, 100);
  EXPECT_EQ(join(ring).state(), breaker_state::closed);
}

// --- reload

TEST_F(shared_breaker_test, a_reload_keeps_what_the_processes_share) {
  auto a = join(in_a_row);
  auto b = join(in_a_row);
  for (int i = 0; i < 2; ++i) std::move(*a.try_acquire(instant{})).failure(instant{});
  auto const before = b.snapshot(instant{});
  auto c = in_a_row;
  c.open_for.initial = 1s;
  c.probe_timeout = 2s;
  ASSERT_TRUE(b.reconfigure(c, instant{1s}));
  EXPECT_EQ(b.config(), c);
  EXPECT_EQ(a.config(), in_a_row);
  for (auto* one : {&a, &b}) {
    EXPECT_EQ(one->state(), breaker_state::open);
    EXPECT_EQ(one->snapshot(instant{1s}).epoch, before.epoch);
    EXPECT_EQ(one->snapshot(instant{1s}).until, before.until);
  }
  auto probe = a.try_acquire(instant{10s});
  ASSERT_TRUE(probe && probe->is_probe());
  EXPECT_EQ(a.try_acquire(instant{10s}).error().why, errc::probe_in_flight);
  ASSERT_TRUE(b.reconfigure(in_a_row, instant{11s}));  // while the probe is out
  std::move(*probe).success(instant{12s});
  EXPECT_EQ(b.state(), breaker_state::closed);
}

TEST_F(shared_breaker_test, a_reload_of_how_many_failures_trip_counts_anew_and_says_so) {
  struct last_event final : breaker_observer {
    void on_event(breaker_event const& e) override { seen = e; }
    breaker_event seen{};
  } observer;
  auto a = join(in_a_row, {.observer = &observer, .now = instant{}});
  auto early = a.try_acquire(instant{});
  std::move(*a.try_acquire(instant{})).failure(instant{});
  auto c = in_a_row;
  c.window = consecutive{3};
  ASSERT_TRUE(a.reconfigure(c, instant{}));
  EXPECT_EQ(observer.seen.kind, breaker_event_kind::window_emptied);
  EXPECT_EQ(observer.seen.cause, breaker_cause::reconfigured);
  EXPECT_EQ(observer.seen.counts.failures, 1U);
  std::move(*early).failure(instant{});
  std::move(*a.try_acquire(instant{})).failure(instant{});
  EXPECT_EQ(a.state(), breaker_state::closed);
  std::move(*a.try_acquire(instant{})).failure(instant{});
  EXPECT_EQ(a.state(), breaker_state::open);
  EXPECT_EQ(join(c).state(), breaker_state::open);  // who starts with the new settings, or the old, joins
  EXPECT_EQ(join(in_a_row).state(), breaker_state::open);
}

TEST_F(shared_breaker_test, a_reload_to_another_shape_is_refused_and_changes_nothing) {
  auto b = join(ring);
  for (int i = 0; i < 5; ++i) std::move(*b.try_acquire(instant{})).failure(instant{});
  auto c = ring;
  c.window = call_window{.size = 41};
  c.probes = 3;
  auto const no = b.reconfigure(c, instant{});
  ASSERT_FALSE(no);
  ASSERT_EQ(no.error().size(), 3U) << to_string(no.error());  // the first: a warning about probes
  EXPECT_EQ(no.error()[1].field, "window");
  EXPECT_EQ(no.error()[2].what,
            "is 3; the file that the processes share has room for 2; open a new file for it");
  c = ring;
  c.failure_rate = percent{0};
  EXPECT_FALSE(b.reconfigure(c, instant{}));
  c = ring;
  c.window = time_window{.length = 10s};
  EXPECT_FALSE(b.reconfigure(c, instant{}));
  EXPECT_EQ(b.config(), ring);
  EXPECT_EQ(b.snapshot(instant{}).window.failures, 5U);
}

TEST_F(shared_breaker_test, says_why_it_cannot_be_had) {
  EXPECT_FALSE(shared_breaker::open("/nonexistent/breaker", in_a_row));
  auto bad = in_a_row;
  bad.probes = 0;
  EXPECT_NE(shared_breaker::open(path_, bad).error().find("probes"), std::string::npos);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HALFOPEN_UNDER_TSAN  // it cannot follow a process that is killed, and slows what is traced too much
#endif
#if __has_feature(address_sanitizer)
#define HALFOPEN_UNDER_ASAN  // ten times the instructions, each of them traced
#endif
#endif

#if !defined(HALFOPEN_UNDER_TSAN) && !defined(__SANITIZE_THREAD__)

// Shared by a test and its children: how far each has come, and what time it is.
struct progress {
  std::atomic<std::int64_t> now_ms{1};
  std::atomic<std::uint64_t> steps[2]{};
};

progress* shared_progress() {
  void* const at =
      ::mmap(nullptr, sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return ::new (at) progress{};
}

// Calls with every outcome, for ever: trips, loses probes, recovers.
[[noreturn]] void hammer(shared_breaker& b, progress& p, int me, std::uint64_t seed) {
  random_stream chance{seed};
  for (;;) {
    std::uint64_t const bits = chance();
    instant const now{std::chrono::milliseconds{p.now_ms.fetch_add(bits % 64 == 0 ? 2000 : 1)}};
    auto permit = b.try_acquire(now);
    if (permit && bits % 16 < 8)
      std::move(*permit).success(now);
    else if (permit && bits % 16 < 15)
      std::move(*permit).failure(now);
    if (bits % 512 == 1) b.reset(now);
    p.steps[me].fetch_add(1, std::memory_order_relaxed);
  }
}

bool comes_further(progress& p, int who, std::uint64_t by) {
  auto const from = p.steps[who].load();
  auto const until = std::chrono::steady_clock::now() + 20s;
  while (p.steps[who].load() < from + by) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST_F(shared_breaker_test, a_process_killed_at_any_moment_never_stops_the_others) {
  char const* const longer = std::getenv("HALFOPEN_KILLS");
  int const kills = longer != nullptr ? std::atoi(longer) : 50;
  auto b = join(ring);
  progress& p = *shared_progress();
  pid_t pids[2];
  auto const start = [&](int who, std::uint64_t seed) {
    pids[who] = fork_and([&] { hammer(b, p, who, seed); });
  };
  start(0, 1);
  start(1, 2);
  random_stream chance{7};
  for (int i = 0; i < kills; ++i) {
    int const victim = static_cast<int>(chance() % 2);
    ASSERT_TRUE(comes_further(p, victim, 1 + chance() % 50)) << "before kill " << i;
    kill_and_wait(pids[victim]);
    ASSERT_TRUE(comes_further(p, 1 - victim, 1)) << "after kill " << i;
    start(victim, chance());
  }
  for (pid_t const pid : pids) kill_and_wait(pid);
  expect_to_work(b, ring, instant{std::chrono::milliseconds{p.now_ms.load()} + 1h});
  ::munmap(&p, sizeof p);
}

// One step of a breaker, interrupted after exactly `instructions` machine instructions. False when it was
// not: it is shorter than that.
template <class Step>
bool killed_within(Step step, long instructions) {
  pid_t const pid = fork_and([&] {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    step();
    ::_exit(0);
  });
  int how = wait_for(pid);
  for (long i = 0; i < instructions && WIFSTOPPED(how); ++i) {
    ::ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr);
    how = wait_for(pid);
  }
  bool const within = WIFSTOPPED(how);
  if (within) kill_and_wait(pid);
  return within;
}

// Some instructions of a step, ever further apart; with HALFOPEN_KILLS set, each of them.
template <class Prepare, class Step>
void kill_within(shared_breaker& b, breaker_config const& c, instant const& now, Prepare prepare, Step step) {
  bool const all = std::getenv("HALFOPEN_KILLS") != nullptr;
#if defined(HALFOPEN_UNDER_ASAN)
  long const apart = 1;
#else
  long const apart = 3;
#endif
  long deaths = 0;
  for (long at = 1;; at += all ? 1 : 1 + at / apart) {
    prepare();
    auto const before = b.snapshot(instant{});
    if (!killed_within(step, at)) break;
    auto const after = b.snapshot(instant{});  // nobody is stopped
    // Taken back or whole, never in between.
    EXPECT_TRUE(after.epoch == before.epoch || after.epoch == before.epoch + 1) << "killed after " << at;
    EXPECT_EQ(after.openings,
              before.openings + (after.state == breaker_state::open && before.state != after.state));
    EXPECT_LE(after.window.failures, after.window.calls);
    EXPECT_LE(after.probes_out, c.probes);
    ++deaths;
  }
  EXPECT_GT(deaths, 8);
  expect_to_work(b, c, now + 1h);
}

bool may_trace() {
  pid_t const pid = fork_and([] { ::_exit(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1); });
  int const how = wait_for(pid);
  return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

TEST_F(shared_breaker_test, a_process_killed_at_any_instruction_of_a_trip_never_stops_the_others) {
  if (!may_trace()) GTEST_SKIP() << "ptrace is not allowed here";
  auto b = join(ring);
  instant const now{1h};
  kill_within(
      b, ring, now,
      [&] {
        b.reset(now);
        for (int i = 0; i < 9; ++i) std::move(*b.try_acquire(now)).failure(now);
      },
      [&] { std::move(*b.try_acquire(now)).failure(now); });
}

TEST_F(shared_breaker_test, a_process_killed_at_any_instruction_of_a_probe_never_stops_the_others) {
  if (!may_trace()) GTEST_SKIP() << "ptrace is not allowed here";
  auto b = join(ring);
  instant now{1h};
  kill_within(
      b, ring, now,
      [&] {
        now += 1h;
        b.reset(now);
        for (int i = 0; i < 10; ++i) std::move(*b.try_acquire(now)).failure(now);
        now += 10s;
      },
      [&] {
        auto probe = b.try_acquire(now);  // open -> half_open
        if (!b.try_acquire(now)->is_probe()) ::abort();
        std::move(*probe).success(now);
      });
}

#endif

}  // namespace
}  // namespace halfopen
