#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/gateway/audit_chain.hpp>
#include <halfopen/gateway/storage.hpp>
#include <halfopen/gateway/storage_fixture.hpp>

namespace halfopen::gateway {
namespace {

using namespace testing;

health_key const payments{"payments", "http://127.0.0.1:9001"};

struct storage_of_a_gateway : ::testing::Test {
  temporary_folder folder;
  std::filesystem::path file = folder / "halfopen.db";
  health_board board;
};

TEST_F(storage_of_a_gateway, brings_counts_over_a_restart) {
  {
    storage s{quick_config(folder), board};
    ASSERT_TRUE(s.wait_until_loaded(long_enough));
    auto& cell = board.add_cell(payments);
    for (int i = 0; i < 10; ++i) cell.failure(instant{std::chrono::steady_clock::now().time_since_epoch()});
    cell.rejected();
  }
  health_board next;
  storage s{quick_config(folder), next};
  ASSERT_TRUE(s.wait_until_loaded(long_enough));
  next.add_cell(payments).success(instant{});
  auto const counts = next.read(payments);
  EXPECT_EQ(counts.failure, 10U);
  EXPECT_EQ(counts.success, 1U);
  EXPECT_EQ(counts.rejected, 1U);
  EXPECT_EQ(counts.last_failure_at, board.read(payments).last_failure_at);
}

TEST_F(storage_of_a_gateway, writes_counts_within_a_flush_interval_without_being_asked) {
  storage s{quick_config(folder), board};
  board.add_cell(payments).failure(instant{});
  EXPECT_TRUE(
      becomes_true([&] { return sql_number(file, "SELECT failure_count FROM health_metrics") == 1; }));
}

TEST_F(storage_of_a_gateway, writes_nothing_while_nothing_changes) {
  storage s{quick_config(folder), board};
  board.add_cell(payments).failure(instant{});
  ASSERT_TRUE(flush(s));
  auto const size = [&] { return std::filesystem::file_size(file.string() + "-wal"); };
  auto const before = size();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(flush(s));
  EXPECT_EQ(size(), before);
}

TEST_F(storage_of_a_gateway, gives_back_what_was_recorded_before_the_question) {
  auto config = quick_config(folder);
  config.flush_every = 1h;
  storage s{config, board};
  auto e = some_event("POST /v1/tools/payments/invoke");
  e.kind = audit_kind::refusal;
  e.outcome = "open";
  e.arguments = R"({"amount":5})";
  e.detail = std::string(5000, 'x');
  ASSERT_TRUE(s.record(e));
  auto const page = read(s);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->rows.size(), 1U);
  auto const& row = page->rows[0];
  EXPECT_EQ(row.event.kind, audit_kind::refusal);
  EXPECT_EQ(row.event.at, e.at);
  EXPECT_EQ(row.event.who, e.who);
  EXPECT_EQ(row.event.what, e.what);
  EXPECT_EQ(row.event.took, e.took);
  EXPECT_EQ(row.event.arguments, e.arguments);
  EXPECT_EQ(row.event.detail.size(), 4096U);
  ASSERT_EQ(row.cuts.size(), 1U);
  EXPECT_EQ(row.cuts[0].bytes, 5000U);
  EXPECT_EQ(row.hash, chain_hash(row));
}

TEST_F(storage_of_a_gateway, filters_the_audit_log) {
  auto config = quick_config(folder);
  config.retention = {};  // the dates below are old
  storage s{config, board};
  auto e = some_event("a");
  e.at = wall_time{1000ms};
  s.record(e);
  e.kind = audit_kind::admin;
  e.at = wall_time{2000ms};
  s.record(e);
  e.outcome = "failed";
  e.who = "operator";
  e.tool = "search";
  e.at = wall_time{3000ms};
  s.record(e);
  auto const count = [&](audit_query q) {
    auto const page = read(s, std::move(q));
    return page ? page->rows.size() : 99;
  };
  audit_query q;
  EXPECT_EQ(count(q), 3U);
  q.kind = audit_kind::admin;
  EXPECT_EQ(count(q), 2U);
  q.outcome = "failed";
  EXPECT_EQ(count(q), 1U);
  EXPECT_EQ(count({{.tool = "search"}, {}, {}, {}}), 1U);
  EXPECT_EQ(count({{.from = wall_time{2000ms}}, {}, {}, {}}), 2U);
  EXPECT_EQ(count({{.until = wall_time{2000ms}}, {}, {}, {}}), 1U);
  EXPECT_EQ(count({{}, {}, {}, "operator"}), 1U);
  EXPECT_EQ(count({{.tool = "'; DROP TABLE audit_log; --"}, {}, {}, {}}), 0U);
  EXPECT_EQ(count({}), 3U);
}

TEST_F(storage_of_a_gateway, export_is_page_after_page_until_there_is_no_next) {
  storage s{quick_config(folder), board};
  for (int i = 0; i < 25; ++i) s.record(some_event(std::to_string(i)));
  audit_query q;
  q.order = row_order::oldest_first;
  q.limit = 10;
  std::vector<std::string> seen;
  for (std::optional<std::int64_t> next = 0; next; q.after = next.value_or(0)) {
    auto const page = read(s, q);
    ASSERT_TRUE(page);
    for (auto const& row : page->rows) seen.push_back(row.event.what);
    next = page->next;
  }
  ASSERT_EQ(seen.size(), 25U);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], std::to_string(i));
}

TEST_F(storage_of_a_gateway, newest_page_comes_first_unless_asked_otherwise) {
  storage s{quick_config(folder), board};
  for (int i = 0; i < 5; ++i) s.record(some_event(std::to_string(i)));
  audit_query q;
  q.limit = 2;
  auto const first = read(s, q);
  ASSERT_TRUE(first && first->next);
  EXPECT_EQ(first->rows[0].event.what, "4");
  q.after = *first->next;
  auto const second = read(s, q);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->rows[0].event.what, "2");
}

TEST_F(storage_of_a_gateway, keeps_transitions_with_the_counts_that_justified_them) {
  storage s{quick_config(folder), board};
  transition_event e;
  e.tool = "payments";
  e.host = payments.host;
  e.epoch = 4'000'000'000;
  e.from = "closed";
  e.to = "open";
  e.cause = "failure_rate";
  e.calls = 20;
  e.failures = 11;
  ASSERT_TRUE(s.record(e));
  e.tool = "search";
  ASSERT_TRUE(s.record(e));
  transition_query q;
  q.tool = "payments";
  auto const page = read(s, q);
  ASSERT_TRUE(page);
  ASSERT_EQ(page->rows.size(), 1U);
  EXPECT_EQ(page->rows[0].event.epoch, 4'000'000'000U);
  EXPECT_EQ(page->rows[0].event.cause, "failure_rate");
  EXPECT_EQ(page->rows[0].event.failures, 11U);
}

TEST_F(storage_of_a_gateway, answers_a_durable_row_once_it_is_in_the_file) {
  auto config = quick_config(folder);
  config.flush_every = 1h;  // the answer does not wait for the interval
  storage s{config, board};
  auto e = some_event("force_open");
  e.kind = audit_kind::admin;
  ASSERT_TRUE(record_durably(s, e));
  EXPECT_EQ(sql_text(file, "SELECT what FROM audit_log"), "force_open");
}

TEST_F(storage_of_a_gateway, drops_and_counts_what_the_backlog_cannot_hold_and_says_so_in_the_log) {
  auto config = quick_config(folder);
  config.backlog_rows_max = 10;
  std::filesystem::create_directory(file);  // no database can stand here
  storage s{config, board};
  for (int i = 0; i < 15; ++i) EXPECT_EQ(s.record(some_event(std::to_string(i))), i < 10);
  EXPECT_EQ(s.health().rows_dropped, 5U);
  EXPECT_EQ(s.health().rows_waiting, 10U);
  std::filesystem::remove(file);
  ASSERT_TRUE(becomes_true([&] { return s.health().ok && s.health().rows_written >= 11; }));
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM audit_log WHERE what IN ('0', '9')"), 2);
  EXPECT_EQ(sql_text(file, "SELECT detail FROM audit_log WHERE what = 'rows_lost'"),
            "5 rows could not be kept");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(flush(s));
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM audit_log WHERE what = 'rows_lost'"), 1);
}

TEST_F(storage_of_a_gateway, bounds_the_backlog_in_bytes_too) {
  auto config = quick_config(folder);
  config.backlog_bytes_max = 10'000;
  std::filesystem::create_directory(file);
  storage s{config, board};
  auto e = some_event();
  e.detail = std::string(4000, 'x');
  int kept = 0;
  while (s.record(e)) ASSERT_LT(++kept, 3);
  EXPECT_EQ(s.health().rows_dropped, 1U);
  s.close({});
}

TEST_F(storage_of_a_gateway, storage_channel_closed_drops_rows_answers_waiters_and_stops_nobody) {
  storage s{quick_config(folder), board};
  ASSERT_TRUE(s.record(some_event()));
  s.close(long_enough);
  EXPECT_FALSE(s.record(some_event()));
  EXPECT_FALSE(s.record(transition_event{}));
  EXPECT_EQ(s.health().rows_dropped, 2U);
  EXPECT_FALSE(s.health().ok);
  EXPECT_EQ(record_durably(s, some_event()).error().fault, storage_fault::closed);
  EXPECT_EQ(flush(s).error().fault, storage_fault::closed);
  EXPECT_EQ(read(s).error().fault, storage_fault::closed);
  EXPECT_EQ(s.health().rows_dropped, 3U);
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM audit_log"), 1);
}

TEST_F(storage_of_a_gateway, close_gives_up_in_time_when_the_database_cannot_be_written) {
  std::filesystem::create_directory(file);
  storage s{quick_config(folder), board};
  ASSERT_TRUE(s.record(some_event()));
  s.close(20ms);
  EXPECT_EQ(s.health().rows_dropped, 1U);
}

TEST_F(storage_of_a_gateway, takes_rows_from_many_threads_and_loses_none) {
  constexpr int each = 2000;
  storage s{quick_config(folder), board};
  std::vector<std::thread> loops;
  for (int loop = 0; loop < 3; ++loop) {
    loops.emplace_back([&] {
      for (int i = 0; i < each; ++i) {
        ASSERT_TRUE(s.record(some_event()));
        if (i % 500 == 0) {
          ASSERT_TRUE(record_durably(s, some_event("durable")));
          ASSERT_TRUE(read(s));
        }
      }
    });
  }
  for (auto& loop : loops) loop.join();
  ASSERT_TRUE(flush(s));
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM audit_log"), 3 * each + 3 * 4);
  EXPECT_TRUE(verify_chain(file)->holds());
}

TEST_F(storage_of_a_gateway, refuses_questions_past_its_limit) {
  auto config = quick_config(folder);
  config.reads_waiting_max = 0;
  storage s{config, board};
  EXPECT_EQ(read(s).error().fault, storage_fault::busy);
}

TEST_F(storage_of_a_gateway, breaks_off_a_question_that_takes_too_long) {
  auto config = quick_config(folder);
  config.read_limit = 0ms;
  storage s{config, board};
  for (int i = 0; i < 2000; ++i) s.record(some_event());
  audit_query q;
  q.who = "nobody";
  auto const page = read(s, q);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().fault, storage_fault::refused);
}

TEST_F(storage_of_a_gateway, removes_rows_and_transitions_past_their_retention) {
  auto config = quick_config(folder);
  config.retention = 1h;
  storage s{config, board};
  auto old = some_event("old");
  old.at = wall_now() - 2h;
  transition_event t;
  t.at = old.at;
  ASSERT_TRUE(s.record(old));
  ASSERT_TRUE(s.record(t));
  ASSERT_TRUE(s.record(some_event("young")));
  ASSERT_TRUE(flush(s));
  s.close(long_enough);
  storage next{config, board};  // retention runs at the start and then each hour
  ASSERT_TRUE(becomes_true(
      [&] { return sql_number(file, "SELECT count(*) FROM audit_log WHERE what = 'old'") == 0; }));
  EXPECT_EQ(sql_number(file, "SELECT count(*) FROM audit_log WHERE what = 'young'"), 1);
  EXPECT_TRUE(becomes_true([&] { return sql_number(file, "SELECT count(*) FROM transitions") == 0; }));
}

}  // namespace
}  // namespace halfopen::gateway
