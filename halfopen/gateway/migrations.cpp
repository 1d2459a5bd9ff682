#include <array>
#include <string>

#include <halfopen/gateway/migrations.hpp>

namespace halfopen::gateway {
namespace {

// Version 0 is either an empty file or the schema of the tool gateway of the post-mortem: one row a tool with
// two running averages and no count. Step 1 gives every file that shape first, so that the later steps see
// one start.
constexpr std::array steps{
    migration{1, "counts beside the rates", R"(
      CREATE TABLE IF NOT EXISTS health_metrics (
        tool TEXT NOT NULL PRIMARY KEY,
        success_rate REAL NOT NULL DEFAULT 0,
        error_rate REAL NOT NULL DEFAULT 0,
        last_success_at TEXT,
        last_failure_at TEXT);
      ALTER TABLE health_metrics ADD COLUMN success_count INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE health_metrics ADD COLUMN failure_count INTEGER NOT NULL DEFAULT 0;
    )"},
    // The old rates are averages of averages: no count can be computed from them, so counting starts at zero.
    // total_invocations is generated, so it cannot differ from what it adds up.
    migration{2, "a row a tool and host, every outcome counted, no stored rate", R"(
      ALTER TABLE health_metrics RENAME TO health_metrics_with_rates;
      CREATE TABLE health_metrics (
        tool TEXT NOT NULL,
        host TEXT NOT NULL,
        success_count INTEGER NOT NULL DEFAULT 0,
        failure_count INTEGER NOT NULL DEFAULT 0,
        ignored_count INTEGER NOT NULL DEFAULT 0,
        abandoned_count INTEGER NOT NULL DEFAULT 0,
        slow_count INTEGER NOT NULL DEFAULT 0,
        late_count INTEGER NOT NULL DEFAULT 0,
        rejected_count INTEGER NOT NULL DEFAULT 0,
        total_invocations INTEGER GENERATED ALWAYS AS (success_count + failure_count) VIRTUAL,
        last_success_at TEXT,
        last_failure_at TEXT,
        PRIMARY KEY (tool, host)) WITHOUT ROWID;
      INSERT INTO health_metrics (tool, host, success_count, failure_count, last_success_at, last_failure_at)
        SELECT tool, '', success_count, failure_count, last_success_at, last_failure_at
        FROM health_metrics_with_rates;
      DROP TABLE health_metrics_with_rates;
    )"},
    migration{3, "every change of a breaker's state", R"(
      CREATE TABLE transitions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        tool TEXT NOT NULL,
        host TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        "from" TEXT NOT NULL,
        "to" TEXT NOT NULL,
        cause TEXT NOT NULL,
        calls INTEGER NOT NULL,
        failures INTEGER NOT NULL,
        slow INTEGER NOT NULL);
      CREATE INDEX transitions_by_tool ON transitions (tool, id);
      CREATE INDEX transitions_by_time ON transitions (at);
    )"},
    // audit_state says where the log begins (older rows were removed by retention) and where it ends (so that
    // a missing end is seen). Rows are never changed, and removed only below `removed_through`, which only
    // grows. last_batch counts the writer's transactions, so that one whose commit ended in an error can be
    // told from one that never was.
    migration{4, "the audit log: append-only, each row bound to the one before", R"(
      CREATE TABLE audit_log (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        who TEXT NOT NULL,
        what TEXT NOT NULL,
        tool TEXT NOT NULL,
        host TEXT NOT NULL,
        outcome TEXT NOT NULL,
        status INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        duration_us INTEGER NOT NULL,
        arguments TEXT,
        detail TEXT NOT NULL,
        cuts TEXT NOT NULL,
        previous BLOB NOT NULL,
        hash BLOB NOT NULL);
      CREATE INDEX audit_log_by_tool ON audit_log (tool, id);
      CREATE INDEX audit_log_by_kind ON audit_log (kind, id);
      CREATE INDEX audit_log_by_time ON audit_log (at);
      CREATE TABLE audit_state (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        removed_through INTEGER NOT NULL,
        removed_hash BLOB NOT NULL,
        last_id INTEGER NOT NULL,
        last_hash BLOB NOT NULL,
        last_batch INTEGER NOT NULL);
      INSERT INTO audit_state VALUES (1, 0, zeroblob(32), 0, zeroblob(32), 0);
      CREATE TRIGGER audit_log_is_never_changed BEFORE UPDATE ON audit_log BEGIN
        SELECT RAISE(ABORT, 'the audit log is append-only');
      END;
      CREATE TRIGGER audit_log_loses_old_rows_only BEFORE DELETE ON audit_log
        WHEN OLD.id > (SELECT removed_through FROM audit_state) BEGIN
        SELECT RAISE(ABORT, 'the audit log is append-only');
      END;
      CREATE TRIGGER audit_log_grows_at_its_end BEFORE INSERT ON audit_log
        WHEN NEW.id <= (SELECT last_id FROM audit_state) BEGIN
        SELECT RAISE(ABORT, 'the audit log is append-only');
      END;
      CREATE TRIGGER audit_state_stays BEFORE DELETE ON audit_state BEGIN
        SELECT RAISE(ABORT, 'the audit log is append-only');
      END;
      CREATE TRIGGER audit_state_only_grows BEFORE UPDATE ON audit_state
        WHEN NEW.removed_through < OLD.removed_through OR NEW.last_id < OLD.last_id BEGIN
        SELECT RAISE(ABORT, 'the audit log is append-only');
      END;
    )"},
};

stored<> apply(database& db, migration const& m) {
  auto t = transaction::begin(db);
  if (!t) return unexpected<storage_error>{t.error()};
  if (auto const done = db.run(m.sql); !done) {
    auto error = done.error();
    error.message = "migration " + std::to_string(m.version) + " (" + m.what + "): " + error.message;
    return unexpected<storage_error>{std::move(error)};
  }
  auto const mark = "PRAGMA user_version = " + std::to_string(m.version);
  if (auto const marked = db.run(mark.c_str()); !marked) return marked;
  return t->commit();
}

}  // namespace

std::span<migration const> migrations() noexcept { return steps; }

stored<> migrate(database& db) {
  auto const version = db.number("PRAGMA user_version");
  if (!version) return unexpected<storage_error>{version.error()};
  auto const have = version->value_or(0);
  if (have > steps.back().version) {
    return unexpected<storage_error>{
        {storage_fault::newer, "the database has schema " + std::to_string(have) + ", this program knows " +
                                   std::to_string(steps.back().version)}};
  }
  for (auto const& m : steps) {
    if (m.version <= have) continue;
    if (auto const applied = apply(db, m); !applied) return applied;
  }
  return {};
}

}  // namespace halfopen::gateway
