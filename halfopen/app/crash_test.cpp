#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <halfopen/app/route_gateway_fixture.hpp>
#include <halfopen/base/random.hpp>

// kill -9 of the gateway under load, at random moments and inside the writer's transaction; then a restart.
// The counts lack at most the last flush interval, the database is sound, no audit line is torn, and the
// chain holds.
//
//   HALFOPEN_CRASHES=200,50 HALFOPEN_CRASH_SLACK_MS=0 app_test --gtest_filter='crash.*'     the full run,
//   held to the bar
namespace halfopen::route {
namespace {

using clock = std::chrono::steady_clock;

constexpr auto flush = 200ms;
constexpr int callers = 2;
constexpr int rounds_per_database = 25;  // or the checks of ever larger files would take most of the time

int setting(char const* name, int otherwise, bool second = false) {
  char const* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  std::string const all{text};
  return std::atoi((second ? all.substr(all.find(',') + 1) : all).c_str());
}

/// Callers that never stop, and when each of their replies came.
class load {
 public:
  explicit load(std::uint16_t port) {
    for (auto& replies : replies_) callers_.emplace_back([this, port, &replies] { run(port, replies); });
  }
  /// Every reply's moment, in order.
  std::vector<clock::time_point> end() {
    stop_ = true;
    for (auto& c : callers_) c.join();
    std::vector<clock::time_point> all;
    for (auto const& r : replies_) all.insert(all.end(), r.begin(), r.end());
    std::ranges::sort(all);
    return all;
  }
  [[nodiscard]] bool is_under_way() const { return replies_seen_ > 50; }

 private:
  void run(std::uint16_t port, std::vector<clock::time_point>& replies) {
    client c{port};
    for (int i = 0; !stop_; ++i) {
      auto const r = c.call("GET", i % 10 == 0 ? "/bad" : "/good");
      if (r.status == 0) return;
      replies.push_back(clock::now());
      ++replies_seen_;
    }
  }

  std::array<std::vector<clock::time_point>, callers> replies_;
  std::atomic<bool> stop_{false};
  std::atomic<int> replies_seen_{0};
  std::vector<std::thread> callers_;
};

/// Whether some process is inside a write transaction: it holds SQLite's lock on this byte of the
/// shared-memory file.
class transaction_watch {
 public:
  explicit transaction_watch(std::filesystem::path const& database)
      : fd_{::open((database.string() + "-shm").c_str(), O_RDWR | O_CLOEXEC)} {}
  ~transaction_watch() { ::close(fd_); }
  transaction_watch(transaction_watch const&) = delete;
  transaction_watch& operator=(transaction_watch const&) = delete;

  [[nodiscard]] bool is_writing() const {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 120;  // WAL_WRITE_LOCK, see the file format's "WAL-index"
    lock.l_len = 1;
    return ::fcntl(fd_, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  }

 private:
  int fd_;
};

/// Stops the process, looks whether it stopped inside a transaction, and only then kills it.
bool kill_inside_a_transaction(gateway& g) {
  transaction_watch const watch{g.file("halfopen.db")};
  auto const stopped_inside = [&] {
    if (!watch.is_writing()) return false;
    g.command().signal(SIGSTOP);
    int status = 0;
    ::waitpid(g.command().pid(), &status, WUNTRACED);
    if (watch.is_writing()) return true;
    g.command().signal(SIGCONT);
    return false;
  };
  return becomes_true(stopped_inside, long_enough, 20us);
}

std::int64_t number(std::filesystem::path const& file, char const* sql) {
  sqlite3* db = nullptr;
  sqlite3_stmt* s = nullptr;
  std::int64_t n = -1;
  if (sqlite3_open(file.c_str(), &db) == SQLITE_OK &&
      sqlite3_prepare_v2(db, sql, -1, &s, nullptr) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
    n = sqlite3_column_int64(s, 0);
  sqlite3_finalize(s);
  sqlite3_close(db);
  return n;
}

class crash : public ::testing::Test {
 protected:
  crash() {
    u_.now([](message const& request, connection& to) {
      return to.send(reply_text(request.first_line.find("/bad") == std::string::npos ? 200 : 500));
    });
  }

  /// One life of a gateway: load, a kill, a restart, and everything held against everything.
  template <class Kill>
  void round(int number_of_round, Kill const& kill) {
    if (number_of_round % rounds_per_database == 0) begin_anew();
    auto const before = counted();
    load callers_at_work{g_->port()};
    ASSERT_TRUE(becomes_true([&] { return callers_at_work.is_under_way(); }));
    ASSERT_TRUE(kill());
    auto const killed = clock::now();
    g_->kill();
    auto replies = callers_at_work.end();
    std::erase_if(replies, [&](auto const& at) { return at > killed; });
    g_->start();
    ++crashes_;
    hold_counts(counted() - before, replies, killed);
    hold_database();
  }

  void report(char const* what) const {
    std::cout << what << ": " << crashes_ << " kills, " << replies_ << " replies; oldest lost reply "
              << oldest_lost_ / 1us << " us before the kill, most lost at once " << most_lost_ << '\n';
  }

 private:
  void begin_anew() {
    g_.emplace(setup{.hosts = {u_.url()},
                     .window = "{calls: 100}",
                     .minimum_calls = "100",
                     .breaker = ", failure_rate: 100%",
                     .storage = "flush: 200ms"});
  }

  [[nodiscard]] std::int64_t counted() const {
    auto const health = g_->ask("/v1/tools/t")["health"];
    return health["total_invocations"].get<std::int64_t>();
  }

  void hold_counts(std::int64_t counted, std::vector<clock::time_point> const& replies,
                   clock::time_point killed) {
    replies_ += replies.size();
    auto const kept = static_cast<std::size_t>(std::max<std::int64_t>(counted, 0));
    EXPECT_LE(kept, replies.size() + 4 * callers) << "more than was ever answered";
    if (kept >= replies.size()) return;
    oldest_lost_ = std::max<clock::duration>(oldest_lost_, killed - replies[kept]);
    most_lost_ = std::max(most_lost_, replies.size() - kept);
    auto const slack = std::chrono::milliseconds{setting("HALFOPEN_CRASH_SLACK_MS", 5000)};
    EXPECT_LE(killed - replies[kept], flush + slack) << "lost more than the last flush interval";
  }

  void hold_database() {
    auto const file = g_->file("halfopen.db");
    EXPECT_EQ(number(file, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    auto const verified = run_halfopen({"audit", "verify", "--database", file.string()});
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    // Each transaction brings some rows and the counts of its moment, so a row can be missing and a count
    // never.
    auto const calls = number(file, "SELECT sum(total_invocations) FROM health_metrics WHERE host = ''");
    auto const rows = number(file, "SELECT count(*) FROM audit_log WHERE kind = 'call'");
    EXPECT_LE(rows, calls);
  }

 protected:
  upstream u_;
  std::optional<gateway> g_;
  int crashes_ = 0;
  std::size_t replies_ = 0;
  std::size_t most_lost_ = 0;
  clock::duration oldest_lost_{};
};

TEST_F(crash, at_any_moment_costs_at_most_the_last_flush) {
  random_stream random{static_cast<std::uint64_t>(setting("HALFOPEN_SEED", 7))};
  int const rounds = setting("HALFOPEN_CRASHES", 10);
  for (int i = 0; i < rounds && !HasFailure(); ++i) {
    round(i, [&] {
      // The moment is the test's input. Until then, it must not end by itself.
      return !g_->command().wait(std::chrono::milliseconds{below(random(), 500)});
    });
  }
  report("at random moments");
}

TEST_F(crash, inside_the_writers_transaction_costs_at_most_the_last_flush) {
  int const rounds = setting("HALFOPEN_CRASHES", 5, true);
  for (int i = 0; i < rounds && !HasFailure(); ++i) round(i, [&] { return kill_inside_a_transaction(*g_); });
  report("inside a transaction");
}

}  // namespace
}  // namespace halfopen::route
