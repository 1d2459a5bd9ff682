#include <fstream>
#include <mutex>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/file.h>

#include <halfopen/gateway/audit_chain.hpp>
#include <halfopen/gateway/storage.hpp>
#include <halfopen/gateway/storage_disk_fixture.hpp>
#include <halfopen/gateway/storage_fixture.hpp>
#include <halfopen/gateway/storage_session.hpp>

namespace halfopen::gateway {
namespace {

using namespace testing;

health_key const payments{"payments", ""};

struct storage_under_fault : ::testing::Test {
  temporary_folder folder;
  std::filesystem::path file = folder / "halfopen.db";
  health_board board;

  [[nodiscard]] bool recovers(storage const& s) const {
    return becomes_true([&] { return s.health().ok && s.health().rows_waiting == 0; });
  }
};

TEST_F(storage_under_fault, full_disk_is_told_keeps_rows_and_writes_them_when_there_is_room) {
  failing_disk disk;
  storage s{quick_config(folder), board};
  ASSERT_TRUE(record_durably(s, some_event("before")));
  disk.fail_from(1, SQLITE_FULL);
  board.add_cell(payments).failure(instant{});
  auto const durable = record_durably(s, some_event("during"));
  ASSERT_FALSE(durable);
  EXPECT_EQ(durable.error().fault, storage_fault::full);
  EXPECT_FALSE(s.health().ok);
  EXPECT_TRUE(s.health().failing_since);
  EXPECT_NE(s.health().last_error.find("full"), std::string::npos);
  disk.heal();
  ASSERT_TRUE(recovers(s));
  EXPECT_FALSE(s.health().failing_since);
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM audit_log WHERE what IN ('before', 'during')"), 2);
  EXPECT_EQ(sql_number(file, "SELECT failure_count FROM health_metrics"), 1);
  EXPECT_EQ(s.health().rows_dropped, 0U);
}

TEST_F(storage_under_fault, questions_are_answered_from_the_file_while_nothing_can_be_written) {
  failing_disk disk;
  storage s{quick_config(folder), board};
  ASSERT_TRUE(record_durably(s, some_event("before")));
  disk.fail_from(1, SQLITE_FULL);
  ASSERT_FALSE(record_durably(s, some_event("during")));
  auto const page = read(s);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->rows.size(), 1U);
  disk.heal();
}

// Every write of a gateway's first second fails once, in each way: nothing is lost, doubled or torn.
class each_write_fails : public storage_under_fault, public ::testing::WithParamInterface<int> {};

TEST_P(each_write_fails, and_after_it_everything_is_there_once) {
  constexpr int rows = 30;
  failing_disk disk;
  int last = 400;
  for (int n = 1; n <= last; ++n) {
    temporary_folder fresh;
    health_board counts;
    disk.fail_from(n, GetParam());
    storage s{quick_config(fresh), counts};
    counts.add_cell(payments).failure(instant{});
    for (int i = 0; i < rows; ++i) ASSERT_TRUE(s.record(some_event(std::to_string(i))));
    bool const reached = !record_durably(s, some_event("durable"));
    if (!reached) last = n;
    disk.heal();
    ASSERT_TRUE(recovers(s)) << "n=" << n << ' ' << s.health().last_error;
    ASSERT_TRUE(flush(s));
    auto const db = fresh / "halfopen.db";
    ASSERT_EQ(sql_text(db, "PRAGMA integrity_check"), "ok") << "n=" << n;
    ASSERT_EQ(sql_number(db, "SELECT count(DISTINCT what) FROM audit_log WHERE kind = 'call'"), rows + 1)
        << "n=" << n;
    ASSERT_EQ(sql_number(db, "SELECT count(*) FROM audit_log WHERE kind = 'call'"), rows + 1) << "n=" << n;
    ASSERT_EQ(sql_number(db, "SELECT failure_count FROM health_metrics"), 1) << "n=" << n;
    ASSERT_TRUE(verify_chain(db)->holds()) << "n=" << n;
  }
  EXPECT_GT(last, 10);
  EXPECT_LT(last, 400) << "the last write was not reached";
}

INSTANTIATE_TEST_SUITE_P(results, each_write_fails, ::testing::Values(SQLITE_FULL, SQLITE_IOERR_WRITE));

class corrupt_file : public storage_under_fault, public ::testing::WithParamInterface<std::string> {};

TEST_P(corrupt_file, at_the_start_is_moved_aside_and_a_new_one_begins) {
  std::ofstream{file} << GetParam();
  storage s{quick_config(folder), board};
  EXPECT_TRUE(s.wait_until_loaded(long_enough)) << s.health().last_error;
  ASSERT_TRUE(record_durably(s, some_event()));
  auto const health = s.health();
  EXPECT_TRUE(std::filesystem::exists(health.moved_aside)) << health.moved_aside;
  EXPECT_NE(health.last_error.find("moved to"), std::string::npos) << health.last_error;
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM audit_log WHERE what = 'database_replaced'"), 1);
  std::ifstream kept{health.moved_aside};
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>{kept}, {}), GetParam());
}

INSTANTIATE_TEST_SUITE_P(contents, corrupt_file,
                         ::testing::Values(std::string(4096, 'x'),
                                           "SQLite format 3" + std::string(5000, '\0'),
                                           std::string("SQLite format 3\0\x10\0\x02\x02\0\x40\x20\x20", 24) +
                                               std::string(8192 - 24, '\xA5')));

TEST_F(storage_under_fault, file_that_is_overwritten_while_open_is_replaced_and_counts_go_on) {
  storage s{quick_config(folder), board};
  auto& cell = board.add_cell(payments);
  cell.failure(instant{});
  for (int i = 0; i < 2000; ++i) s.record(some_event());
  ASSERT_TRUE(record_durably(s, some_event()));
  run_sql(file, "PRAGMA wal_checkpoint(TRUNCATE)");
  {
    std::fstream f{file, std::ios::in | std::ios::out | std::ios::binary};
    f.seekp(100);
    for (int i = 0; i < 100'000; ++i) f.put('\xA5');
  }
  for (int i = 0; i < 2000; ++i) s.record(some_event());
  cell.failure(instant{});
  ASSERT_TRUE(becomes_true([&] { return !s.health().moved_aside.empty() && s.health().ok; }))
      << s.health().last_error;
  ASSERT_TRUE(record_durably(s, some_event("after")));
  EXPECT_EQ(sql_number(file, "SELECT failure_count FROM health_metrics"), 2);
  EXPECT_EQ(sql_text(file, "PRAGMA integrity_check"), "ok");
  EXPECT_TRUE(verify_chain(file)->holds());
}

TEST_F(storage_under_fault, damage_that_only_a_reader_meets_replaces_the_file) {
  storage s{quick_config(folder), board};
  board.add_cell(payments).failure(instant{});
  for (int i = 0; i < 500; ++i) s.record(some_event());
  ASSERT_TRUE(record_durably(s, some_event()));
  run_sql(file, "PRAGMA wal_checkpoint(TRUNCATE)");
  {
    std::fstream f{file, std::ios::in | std::ios::out | std::ios::binary};
    f.seekp(4096 * 8);
    for (int i = 0; i < 100'000; ++i) f.put('\xA5');
  }
  audit_query everything;
  everything.limit = row_query::rows_most;
  ASSERT_TRUE(becomes_true([&] { return !read(s, everything) || !s.health().moved_aside.empty(); }));
  ASSERT_TRUE(becomes_true([&] { return !s.health().moved_aside.empty() && s.health().ok; }))
      << s.health().last_error;
  ASSERT_TRUE(flush(s));
  EXPECT_EQ(sql_number(file, "SELECT failure_count FROM health_metrics"), 1);
}

TEST_F(storage_under_fault, file_that_is_removed_while_open_is_begun_anew_with_all_counts) {
  storage s{quick_config(folder), board};
  board.add_cell(payments).failure(instant{});
  ASSERT_TRUE(record_durably(s, some_event("before")));
  for (auto const* tail : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + tail);
  ASSERT_TRUE(becomes_true([&] { return s.health().last_error.find("removed") != std::string::npos; }));
  ASSERT_TRUE(record_durably(s, some_event("after")));
  EXPECT_EQ(sql_text(file, "SELECT what FROM audit_log"), "after");
  EXPECT_EQ(sql_number(file, "SELECT failure_count FROM health_metrics"), 1);
}

TEST_F(storage_under_fault, folder_that_is_missing_is_waited_for) {
  auto config = quick_config(folder);
  config.file = folder / "later" / "halfopen.db";
  storage s{config, board};
  EXPECT_FALSE(s.wait_until_loaded(long_enough));
  ASSERT_TRUE(s.record(some_event()));
  std::filesystem::create_directory(folder / "later");
  ASSERT_TRUE(recovers(s));
  EXPECT_EQ(sql_number(config.file, "SELECT count(*) FROM audit_log"), 1);
}

TEST_F(storage_under_fault, counts_of_earlier_runs_come_late_when_the_file_opens_late) {
  {
    storage s{quick_config(folder), board};
    board.add_cell(payments).failure(instant{});
  }
  std::filesystem::rename(file, folder / "away.db");
  std::filesystem::create_directory(file);
  health_board next;
  storage s{quick_config(folder), next};
  EXPECT_FALSE(s.wait_until_loaded(long_enough));
  next.add_cell(payments).failure(instant{});
  EXPECT_EQ(next.read(payments).failure, 1U);
  std::filesystem::remove(file);
  std::filesystem::rename(folder / "away.db", file);
  ASSERT_TRUE(recovers(s));
  EXPECT_EQ(next.read(payments).failure, 2U);
  ASSERT_TRUE(flush(s));
  EXPECT_EQ(sql_number(file, "SELECT failure_count FROM health_metrics"), 2);
}

TEST_F(storage_under_fault, lock_of_another_program_is_waited_for) {
  storage s{quick_config(folder), board};
  ASSERT_TRUE(flush(s));
  auto other = database::open(file, open_mode::create);
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->run("BEGIN IMMEDIATE"));
  auto const durable = record_durably(s, some_event());
  ASSERT_FALSE(durable);
  EXPECT_EQ(durable.error().fault, storage_fault::busy);
  ASSERT_TRUE(other->run("ROLLBACK"));
  ASSERT_TRUE(recovers(s));
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM audit_log"), 1);
}

TEST_F(storage_under_fault, second_gateway_on_one_file_writes_nothing_until_the_first_has_gone) {
  std::optional<storage> first;
  first.emplace(quick_config(folder), board);
  ASSERT_TRUE(first->wait_until_loaded(long_enough));
  health_board other;
  storage second{quick_config(folder), other};
  EXPECT_FALSE(second.wait_until_loaded(long_enough));
  EXPECT_EQ(second.health().fault, storage_fault::claimed);
  EXPECT_NE(second.health().last_error.find("is written by process " + std::to_string(::getpid())),
            std::string::npos)
      << second.health().last_error;
  first.reset();
  EXPECT_TRUE(becomes_true([&] { return second.health().ok; }));
}

TEST_F(storage_under_fault, second_gateway_on_one_file_does_not_wait_for_the_first_when_it_ends) {
  storage first{quick_config(folder), board};
  ASSERT_TRUE(first.wait_until_loaded(long_enough));
  health_board other;
  storage second{quick_config(folder), other};
  ASSERT_FALSE(second.wait_until_loaded(long_enough));
  second.record(some_event());
  second.close(std::chrono::hours{1});
  EXPECT_EQ(second.health().rows_dropped, 1U);
}

TEST_F(storage_under_fault, each_fault_is_told_once_to_whoever_asked) {
  run_sql(file, "CREATE TABLE theirs (x); PRAGMA user_version = 999");
  std::mutex mutex;
  std::vector<std::string> faults;
  auto config = quick_config(folder);
  config.told = [&](std::string const& fault) {
    std::lock_guard const lock{mutex};
    faults.push_back(fault);
  };
  storage s{config, board};
  EXPECT_FALSE(s.wait_until_loaded(long_enough));
  s.close({});
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(faults[0].find("schema 999"), std::string::npos);
}

TEST_F(storage_under_fault, file_of_a_later_program_is_told_and_left_alone) {
  run_sql(file, "CREATE TABLE theirs (x); PRAGMA user_version = 999");
  storage s{quick_config(folder), board};
  EXPECT_FALSE(s.wait_until_loaded(long_enough));
  EXPECT_TRUE(s.health().moved_aside.empty());
  EXPECT_NE(s.health().last_error.find("schema 999"), std::string::npos);
  s.close({});
  EXPECT_EQ(sql_number(file, "PRAGMA user_version"), 999);
}

TEST_F(storage_under_fault, bad_timestamp_in_a_stored_row_is_told_and_costs_no_count) {
  ASSERT_TRUE(storage_session::open(file));
  run_sql(file,
          "INSERT INTO health_metrics (tool, host, failure_count, last_failure_at) VALUES "
          "('payments', '', 7, 'yesterday'), ('search', '', 3, X'FF00')");
  storage s{quick_config(folder), board};
  ASSERT_TRUE(s.wait_until_loaded(long_enough));
  EXPECT_EQ(board.read(payments), (health_counts{.failure = 7}));
  EXPECT_EQ(board.read({"search", ""}), (health_counts{.failure = 3}));
  EXPECT_EQ(s.health().rows_unreadable, 2U);
  EXPECT_NE(s.health().last_error.find("yesterday"), std::string::npos) << s.health().last_error;
}

class garbage_counts : public storage_under_fault, public ::testing::WithParamInterface<char const*> {};

TEST_P(garbage_counts, are_left_out_and_told_and_the_other_rows_load) {
  ASSERT_TRUE(storage_session::open(file));
  run_sql(file,
          "INSERT INTO health_metrics (tool, host, failure_count) VALUES ('payments', '', 7);"
          "INSERT INTO health_metrics (tool, host, failure_count, success_count) VALUES " +
              std::string{GetParam()});
  storage s{quick_config(folder), board};
  ASSERT_TRUE(s.wait_until_loaded(long_enough));
  EXPECT_EQ(board.read().size(), 1U);
  EXPECT_EQ(board.read(payments).failure, 7U);
  EXPECT_EQ(s.health().rows_unreadable, 1U);
}

INSTANTIATE_TEST_SUITE_P(values, garbage_counts,
                         ::testing::Values("('t', '', -1, 0)", "('t', '', 'many', 0)", "('t', '', 1.5, 0)",
                                           "('t', '', X'00', 0)", "('t', X'FF', 0, 0)",
                                           "('t', '', 0, 1e300)"));

TEST_F(storage_under_fault, unreadable_audit_rows_are_told_with_their_id_and_the_others_come) {
  storage s{quick_config(folder), board};
  for (int i = 0; i < 3; ++i) s.record(some_event());
  ASSERT_TRUE(flush(s));
  run_sql(file,
          "DROP TRIGGER audit_log_is_never_changed; UPDATE audit_log SET at = 'yesterday' WHERE id = 2");
  auto const page = read(s);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->rows.size(), 2U);
  ASSERT_EQ(page->problems.size(), 1U);
  EXPECT_EQ(page->problems[0], "row 2: at is no time: \"yesterday\"");
  EXPECT_EQ(s.health().rows_unreadable, 1U);
}

TEST_F(storage_under_fault, row_that_no_database_takes_is_dropped_alone) {
  storage s{quick_config(folder), board};
  ASSERT_TRUE(flush(s));
  run_sql(file,
          "CREATE TRIGGER no BEFORE INSERT ON audit_log WHEN NEW.what = 'poison' BEGIN SELECT RAISE(ABORT, "
          "'no'); END");
  ASSERT_TRUE(s.record(some_event("before")));
  ASSERT_TRUE(s.record(some_event("poison")));
  ASSERT_TRUE(s.record(some_event("after")));
  ASSERT_TRUE(recovers(s));
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM audit_log WHERE what IN ('before', 'after')"), 2);
  EXPECT_EQ(s.health().rows_dropped, 1U);
  EXPECT_TRUE(verify_chain(file)->holds());
}

TEST_F(storage_under_fault, text_that_is_not_utf8_is_stored_and_read_back_repaired) {
  storage s{quick_config(folder), board};
  auto e = some_event("caf\xE9");
  e.detail = std::string("a\0b", 3);
  ASSERT_TRUE(s.record(e));
  auto const page = read(s);
  ASSERT_TRUE(page && page->rows.size() == 1);
  EXPECT_EQ(page->rows[0].event.what, "caf\xEF\xBF\xBD");
  EXPECT_EQ(page->rows[0].cuts.size(), 2U);
  EXPECT_TRUE(verify_chain(file)->holds());
}

}  // namespace
}  // namespace halfopen::gateway
