#include <gtest/gtest.h>

#include <halfopen/gateway/migrations.hpp>
#include <halfopen/gateway/storage_fixture.hpp>
#include <halfopen/gateway/storage_session.hpp>

namespace halfopen::gateway {
namespace {

using namespace testing;

// The schema of a gateway that kept rates only, with what it had averaged.
constexpr char const* rates_only = R"(
  CREATE TABLE health_metrics (tool TEXT NOT NULL PRIMARY KEY, success_rate REAL NOT NULL, error_rate REAL NOT NULL,
                               last_success_at TEXT, last_failure_at TEXT);
  INSERT INTO health_metrics VALUES ('payments', 0.4, 0.6, '2026-06-24T10:00:00.123Z', NULL);
  INSERT INTO health_metrics VALUES ('search', 1.0, 0.0, 'yesterday', NULL);
)";

std::int64_t newest() { return migrations().back().version; }

void apply_first(std::filesystem::path const& file, std::size_t steps) {
  for (auto const& m : migrations().first(steps))
    run_sql(file, std::string{"BEGIN;"} + m.sql + "; PRAGMA user_version = " + std::to_string(m.version) +
                      "; COMMIT");
}

TEST(migrations, first_adds_counts_to_a_schema_that_has_only_rates) {
  temporary_folder folder;
  auto const file = folder / "old.db";
  run_sql(file, rates_only);
  apply_first(file, 1);
  EXPECT_EQ(
      sql_number(file, "SELECT success_count + failure_count FROM health_metrics WHERE tool = 'payments'"),
      0);
  EXPECT_EQ(sql_text(file, "SELECT CAST(error_rate AS TEXT) FROM health_metrics WHERE tool = 'payments'"),
            "0.6");
}

TEST(migrations, old_database_keeps_its_tools_and_dates_and_counts_from_zero) {
  temporary_folder folder;
  auto const file = folder / "old.db";
  run_sql(file, rates_only);
  auto session = storage_session::open(file);
  ASSERT_TRUE(session) << session.error().message;
  std::vector<row_problem> problems;
  auto const rows = session->load_counts(problems);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].key, (health_key{"payments", ""}));
  EXPECT_EQ((*rows)[0].counts,
            (health_counts{.last_success_at = parse_wall_time("2026-06-24T10:00:00.123Z")}));
  EXPECT_EQ((*rows)[1].counts, health_counts{});
  EXPECT_EQ(problems.size(), 1U);  // 'yesterday'
}

TEST(migrations, store_no_rate) {
  temporary_folder folder;
  ASSERT_TRUE(storage_session::open(folder / "new.db"));
  EXPECT_EQ(sql_number(folder / "new.db",
                       "SELECT count(*) FROM pragma_table_xinfo('health_metrics') "
                       "WHERE name LIKE '%rate%'"),
            0);
}

TEST(migrations, total_cannot_differ_from_what_it_adds_up) {
  temporary_folder folder;
  auto const file = folder / "new.db";
  ASSERT_TRUE(storage_session::open(file));
  run_sql(file,
          "INSERT INTO health_metrics (tool, host, success_count, failure_count) VALUES ('t', 'h', 3, 4)");
  EXPECT_EQ(sql_number(file, "SELECT total_invocations FROM health_metrics"), 7);
}

class migrations_from : public ::testing::TestWithParam<std::size_t> {};

TEST_P(migrations_from, every_version_reach_the_newest_and_again_change_nothing) {
  temporary_folder folder;
  auto const file = folder / "halfopen.db";
  apply_first(file, GetParam());
  auto db = database::open(file, open_mode::create);
  ASSERT_TRUE(db);
  ASSERT_TRUE(migrate(*db));
  ASSERT_TRUE(migrate(*db));
  EXPECT_EQ(sql_number(file, "PRAGMA user_version"), newest());
  EXPECT_EQ(sql_text(file, "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM audit_state"), 1);
}

INSTANTIATE_TEST_SUITE_P(versions, migrations_from,
                         ::testing::Range<std::size_t>(0, migrations().size() + 1));

TEST(migrations, failed_step_leaves_the_version_before_it_whole) {
  temporary_folder folder;
  auto const file = folder / "halfopen.db";
  apply_first(file, 2);
  run_sql(file, "CREATE TABLE transitions (mine TEXT)");  // in the way of step 3
  auto db = database::open(file, open_mode::create);
  ASSERT_TRUE(db);
  auto const done = migrate(*db);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("migration 3"), std::string::npos) << done.error().message;
  EXPECT_EQ(sql_number(file, "PRAGMA user_version"), 2);
  run_sql(file, "DROP TABLE transitions");
  EXPECT_TRUE(migrate(*db));
}

TEST(migrations, file_of_a_later_program_is_left_alone) {
  temporary_folder folder;
  auto const file = folder / "halfopen.db";
  run_sql(file, "CREATE TABLE theirs (x); PRAGMA user_version = 999");
  auto const session = storage_session::open(file);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().fault, storage_fault::newer);
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM sqlite_schema WHERE name = 'health_metrics'"), 0);
}

}  // namespace
}  // namespace halfopen::gateway
