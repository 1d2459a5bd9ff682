#include <csignal>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <halfopen/app/route_gateway_fixture.hpp>

// Storage seen from outside: counts outlive the process, and no state of the disk stops a call.
namespace halfopen::route {
namespace {

constexpr auto long_open = "{initial: 1h, multiplier: 1, maximum: 1h, jitter: none}";

json storage_of(gateway const& g) { return g.ask("/healthz")["storage"]; }
bool storage_is_ok(gateway const& g) { return storage_of(g).value("ok", false); }

/// From now on no file of the gateway's may grow past `bytes`: what a full disk looks like to SQLite.
void limit_files(gateway& g, rlim_t bytes) {
  rlimit limit{};
  ASSERT_EQ(::prlimit(g.command().pid(), RLIMIT_FSIZE, nullptr, &limit), 0);
  limit.rlim_cur = bytes;
  ASSERT_EQ(::prlimit(g.command().pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
}

void verify_audit(gateway const& g) {
  auto const r = run_halfopen({"audit", "verify", "--database", g.file("halfopen.db").string()});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
}

TEST(route_storage, counts_persist_over_a_restart) {
  upstream u{answers(500)};
  gateway g{setup{.hosts = {u.url()}, .open_for = long_open}};
  for (int i = 0; i < 6; ++i) std::ignore = g.get();
  EXPECT_EQ(g.end(), 0);
  g.start();
  EXPECT_EQ(g.count("failure"), 4U);
  EXPECT_EQ(g.count("rejected"), 2U);
  u.now(answers(200));
  EXPECT_EQ(g.get().status, 200);  // counts persist; a breaker starts closed
  EXPECT_EQ(g.count("success"), 1U);
  EXPECT_EQ(g.count("failure"), 4U);
}

TEST(route_storage, counts_of_a_killed_gateway_come_back_once_a_flush_has_passed) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  for (int i = 0; i < 5; ++i) std::ignore = g.get();
  std::ignore = g.ask("/v1/audit");  // reads behind a flush
  g.kill();
  g.start();
  EXPECT_EQ(g.count("success"), 5U);
  verify_audit(g);
}

TEST(route_storage, full_disk_is_told_stops_no_call_and_is_written_once_there_is_room) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  ASSERT_EQ(g.get().status, 200);
  limit_files(g, 4096);
  EXPECT_TRUE(becomes_true([&] { return g.get().status == 200 && !storage_is_ok(g); }));
  EXPECT_FALSE(text_at(storage_of(g), "last_error").empty());
  EXPECT_EQ(g.scrape().at("halfopen_storage_ok"), 0.0);
  int calls = 0;
  for (; calls < 20; ++calls) EXPECT_EQ(g.get().status, 200);
  limit_files(g, RLIM_INFINITY);
  EXPECT_TRUE(becomes_true([&] { return storage_is_ok(g); }));
  auto const counted = g.count("success");
  EXPECT_EQ(g.end(), 0);
  g.start();
  EXPECT_EQ(g.count("success"), counted);
  verify_audit(g);
}

TEST(route_storage, operator_can_act_while_the_disk_is_full) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  limit_files(g, 4096);
  auto const r = g.operate("force-open");
  EXPECT_EQ(r.status, 202) << r.body;  // in force, and the answer says that it is not on the disk
  EXPECT_NE(r.body.find("not on disk"), std::string::npos);
  EXPECT_EQ(g.get().status, 503);
}

TEST(route_storage, corrupt_database_at_the_start_is_moved_aside_and_serving_goes_on) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  g.kill();
  write(g.file("halfopen.db"), std::string(8192, 'x'));
  std::filesystem::remove(g.file("halfopen.db-wal"));
  std::filesystem::remove(g.file("halfopen.db-shm"));
  g.start();
  EXPECT_EQ(g.get().status, 200);
  EXPECT_TRUE(becomes_true([&] { return storage_is_ok(g); }));
  bool aside = false;
  for (auto const& entry : std::filesystem::directory_iterator{g.file("")})
    aside = aside || entry.path().string().find(".corrupt-") != std::string::npos;
  EXPECT_TRUE(aside);
  verify_audit(g);
}

TEST(route_storage, database_corrupted_under_a_running_gateway_stops_no_call_and_loses_no_count) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  for (int i = 0; i < 50; ++i) std::ignore = g.get();
  std::ignore = g.ask("/v1/audit");
  run_sql(g.file("halfopen.db"),
          "PRAGMA wal_checkpoint(TRUNCATE)");  // everything is in the file now, and only there
  {
    std::fstream f{g.file("halfopen.db"), std::ios::in | std::ios::out | std::ios::binary};
    for (int i = 0; i < 200'000; ++i) f.put('\xA5');
  }
  EXPECT_TRUE(becomes_true([&] {
    std::ignore = g.admin("GET", "/v1/audit");  // whoever reads the file notices first
    return g.get().status == 200 && !text_at(storage_of(g), "moved_aside").empty();
  }));
  EXPECT_TRUE(becomes_true([&] { return storage_is_ok(g); }));
  auto const counted = g.count("success");
  EXPECT_EQ(g.end(), 0);
  g.start();
  EXPECT_EQ(g.count("success"), counted);
}

TEST(route_storage, old_database_with_rates_only_is_taken_over) {
  upstream u;
  gateway g{setup{.hosts = {u.url()}}};
  EXPECT_EQ(g.end(), 0);
  std::filesystem::remove(g.file("halfopen.db"));
  run_sql(g.file("halfopen.db"),
          "CREATE TABLE health_metrics (tool TEXT NOT NULL PRIMARY KEY, success_rate REAL NOT NULL, "
          "error_rate REAL NOT "
          "NULL, last_success_at TEXT, last_failure_at TEXT);"
          "INSERT INTO health_metrics VALUES ('t', 0.4, 0.6, NULL, NULL)");
  g.start();
  EXPECT_TRUE(storage_is_ok(g));
  EXPECT_EQ(g.get().status, 200);
  EXPECT_EQ(g.ask("/v1/tools/t")["health"]["success_rate"], 1.0);
}

}  // namespace
}  // namespace halfopen::route
