#include <gtest/gtest.h>

#include <halfopen/gateway/audit_chain.hpp>
#include <halfopen/gateway/storage_fixture.hpp>

namespace halfopen::gateway {
namespace {

using namespace testing;

constexpr int rows = 20;

class audit_chain : public ::testing::Test {
 protected:
  audit_chain() {
    health_board board;
    storage s{quick_config(folder_), board};
    for (int i = 0; i < rows; ++i) s.record(some_event("call " + std::to_string(i)));
    EXPECT_TRUE(flush(s));
  }
  /// As someone who has the file and takes the triggers away first.
  void tamper(std::string const& sql) {
    run_sql(file_,
            "DROP TRIGGER audit_log_is_never_changed; DROP TRIGGER audit_log_loses_old_rows_only;"
            "DROP TRIGGER audit_log_grows_at_its_end; DROP TRIGGER audit_state_only_grows;" +
                sql);
  }
  [[nodiscard]] chain_report verify() const {
    auto r = verify_chain(file_);
    EXPECT_TRUE(r) << r.error().message;
    return r.value_or(chain_report{});
  }
  [[nodiscard]] std::int64_t first_fault() const {
    auto const r = verify();
    return r.faults.empty() ? 0 : r.faults.front().id;
  }

  temporary_folder folder_;
  std::filesystem::path file_ = folder_ / "halfopen.db";
};

TEST_F(audit_chain, holds_for_what_the_writer_wrote) {
  auto const r = verify();
  EXPECT_TRUE(r.holds());
  EXPECT_EQ(r.rows, rows);
  EXPECT_EQ(r.first_id, 1);
  EXPECT_EQ(r.last_id, rows);
}

TEST_F(audit_chain, goes_on_over_a_restart) {
  health_board board;
  storage s{quick_config(folder_), board};
  s.record(some_event());
  ASSERT_TRUE(flush(s));
  auto const r = verify();
  EXPECT_TRUE(r.holds());
  EXPECT_EQ(r.last_id, rows + 1);
}

TEST_F(audit_chain, tells_which_row_was_removed) {
  tamper("DELETE FROM audit_log WHERE id = 7");
  EXPECT_EQ(first_fault(), 7);
}

TEST_F(audit_chain, tells_that_the_end_is_missing) {
  tamper("DELETE FROM audit_log WHERE id >= 18");
  EXPECT_EQ(first_fault(), 18);
}

TEST_F(audit_chain, tells_that_the_beginning_is_missing) {
  tamper("DELETE FROM audit_log WHERE id <= 3");
  EXPECT_EQ(first_fault(), 1);
}

TEST_F(audit_chain, tells_that_everything_is_missing) {
  tamper("DELETE FROM audit_log");
  EXPECT_EQ(first_fault(), 1);
}

TEST_F(audit_chain, tells_which_row_was_added_at_the_end) {
  tamper(
      "INSERT INTO audit_log SELECT 21, at, kind, who, what, tool, host, outcome, status, attempts, "
      "duration_us, "
      "arguments, detail, cuts, previous, hash FROM audit_log WHERE id = 20");
  EXPECT_EQ(first_fault(), 21);
}

TEST_F(audit_chain, tells_that_two_rows_changed_places) {
  tamper(
      "UPDATE audit_log SET id = 100 WHERE id = 4; UPDATE audit_log SET id = 4 WHERE id = 5;"
      "UPDATE audit_log SET id = 5 WHERE id = 100");
  EXPECT_EQ(first_fault(), 4);
}

class edited_column : public audit_chain, public ::testing::WithParamInterface<char const*> {};

TEST_P(edited_column, is_told_with_its_row) {
  tamper("UPDATE audit_log SET " + std::string{GetParam()} + " WHERE id = 9");
  EXPECT_EQ(first_fault(), 9);
}

INSTANTIATE_TEST_SUITE_P(
    columns, edited_column,
    ::testing::Values("at = '2020-01-01T00:00:00.000Z'", "at = 'yesterday'", "kind = 'admin'", "who = ''",
                      "what = what || ' '", "tool = 'other'", "host = 'h'", "outcome = 'failed'",
                      "status = 500", "attempts = 2", "duration_us = 1501", "arguments = ''", "detail = 'd'",
                      "cuts = '[]'", "cuts = '[{\"bytes\":1,\"field\":\"who\",\"sha256\":\"\"}]'",
                      "previous = zeroblob(32)", "hash = zeroblob(32)", "hash = 'text'",
                      "who = 'pay', what = 'ments'", "status = 'many'", "status = 4294967496"));

TEST_F(audit_chain, writer_steps_over_a_row_that_someone_added) {
  tamper(
      "INSERT INTO audit_log SELECT 21, at, kind, who, what, tool, host, outcome, status, attempts, "
      "duration_us, "
      "arguments, detail, cuts, previous, hash FROM audit_log WHERE id = 20");
  health_board board;
  storage s{quick_config(folder_), board};
  s.record(some_event());
  ASSERT_TRUE(flush(s));
  EXPECT_EQ(s.health().rows_dropped, 0U);
  EXPECT_EQ(sql_number(file_, "SELECT max(id) FROM audit_log"), 22);
  EXPECT_EQ(first_fault(), 21);
}

class append_only : public audit_chain, public ::testing::WithParamInterface<char const*> {};

TEST_P(append_only, is_held_by_the_database_itself) {
  auto db = database::open(file_, open_mode::create);
  ASSERT_TRUE(db);
  auto const done = db->run(GetParam());
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("append-only"), std::string::npos) << done.error().message;
  EXPECT_TRUE(verify().holds());
}

INSTANTIATE_TEST_SUITE_P(
    statements, append_only,
    ::testing::Values("UPDATE audit_log SET who = 'x' WHERE id = 1", "DELETE FROM audit_log WHERE id = 20",
                      "DELETE FROM audit_log",
                      "INSERT OR REPLACE INTO audit_log SELECT * FROM audit_log WHERE id = 3",
                      "UPDATE audit_state SET last_id = 3", "DELETE FROM audit_state",
                      "UPDATE audit_state SET removed_through = -1"));

TEST_F(audit_chain, holds_after_old_rows_were_removed) {
  health_board board;
  auto config = quick_config(folder_);
  config.retention = 1ms;
  {
    storage s{config, board};
    ASSERT_TRUE(becomes_true(
        [&] { return sql_number(file_, "SELECT count(*) FROM audit_log WHERE id <= 20") == 0; }));
    ASSERT_TRUE(flush(s));
  }
  auto const r = verify();
  EXPECT_TRUE(r.holds()) << r.faults.front().what;
  EXPECT_GT(r.last_id, rows);  // the removal itself has been written down
}

TEST_F(audit_chain, of_a_file_that_is_no_database_is_an_error) {
  EXPECT_FALSE(verify_chain(folder_ / "absent.db"));
  run_sql(folder_ / "other.db", "CREATE TABLE x (y)");
  EXPECT_FALSE(verify_chain(folder_ / "other.db"));
}

}  // namespace
}  // namespace halfopen::gateway
